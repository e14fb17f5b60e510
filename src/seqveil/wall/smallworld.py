"""Small worlds: made-up tables on which a run is rehearsed. They depend on public facts alone: the kind, the labels, whether
records have owners."""

from __future__ import annotations

from typing import Any

import numpy as np

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.graphs import GraphTable
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable

_LABELS = 8
_RECORDS = [[0, 1], [1, 2, 0, 1], [0, 1, 2] * 6, [2, 1, 1, 2, 3, 0], [0]] * 24
_EDGES = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (0, 7), (1, 5)]


def small_world(table: Any, labels: Domain) -> Any:
    """A made-up table of the same kind over these labels, or None for a kind that has no small world.

    >>> from seqveil.tables.sequences import table_of
    >>> domain = Domain.of(["a", "b"])
    >>> world = small_world(table_of([["a"]], domain), domain)
    >>> world, len(world)
    (SequenceTable(domain=2 labels), 120)
    """
    n = len(labels)
    if isinstance(table, GraphTable):
        ends = np.array([edge for edge in _EDGES if max(edge) < n], np.int64).reshape(-1, 2)
        return GraphTable.of(labels, ends[:, 0], ends[:, 1])
    if not isinstance(table, SequenceTable | SetTable):
        return None
    records = Flat.of([[code % n for code in record] for record in _RECORDS])
    world = SequenceTable(labels, records, None if table.users is None else np.arange(len(records)) // 2)
    return SetTable.of(world) if isinstance(table, SetTable) else world


def first_labels(domain: Domain) -> Domain:
    """The domain, or its first labels where it has many."""
    if len(domain) <= _LABELS:
        return domain
    if isinstance(domain.names, range):
        return Domain.range(domain.names.start, domain.names.start + _LABELS - 1)
    return Domain.of(domain.labels(range(_LABELS)))
