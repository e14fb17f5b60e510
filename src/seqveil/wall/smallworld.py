"""Small worlds: simulated tables on which a run is rehearsed. They depend on public facts alone: the kind, the labels, whether
records have owners."""

from __future__ import annotations

from typing import Any

from seqveil.kinds import KINDS
from seqveil.tables.domain import Domain

_LABELS = 8


def small_world(table: Any, labels: Domain) -> Any:
    """A simulated table of the same kind over these labels, or None for a kind that has no small world.

    >>> from seqveil.tables.sequences import table_of
    >>> domain = Domain.of(["a", "b"])
    >>> world = small_world(table_of([["a"]], domain), domain)
    >>> world, len(world)
    (SequenceTable(domain=2 labels), 120)
    """
    if table is None or table.kind not in KINDS:
        return None
    world = KINDS[table.kind].small_world().rehearsal(labels, users=getattr(table, "users", None) is not None)
    return world if world.engine == table.engine else table.adopt(world)  # so that the engine of the real table is rehearsed


def first_labels(domain: Domain) -> Domain:
    """The domain, or its first labels where it has many."""
    if len(domain) <= _LABELS:
        return domain
    if isinstance(domain.names, range):
        return Domain.range(domain.names.start, domain.names.start + _LABELS - 1)
    return Domain.of(domain.labels(range(_LABELS)))
