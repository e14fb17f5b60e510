"""How many records are drawn: all of them, or as large a share as a release can hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc

from seqveil.models.records.expect import Matrix
from seqveil.release.limits import MOST_ITEMS, MOST_UNPACKED
from seqveil.tables.domain import Domain

NEARLY = 0.98
"""Of what a release can hold, as much is drawn at most: rounding to whole records adds a few."""


def share_drawn(records: Sequence[Matrix], domain: Domain) -> float:
    """1, or less where the records would not fit. With very little ε noise alone asks for trillions of them."""
    return min(1.0, NEARLY * room(domain) / max(sum(items(one) for one in records), 1.0))


def items(records: Matrix) -> float:
    """How many items so many records per (steps, first, last) have."""
    return float((records.sum(axis=(1, 2), dtype=np.float64) * np.arange(1, len(records) + 1)).sum())


def room(domain: Domain) -> int:
    """How many items a release can hold and be read again.

    >>> room(Domain.of(["a", "b"])), room(Domain.of(["x" * 1023]))
    (100000000, 1048576)
    """
    longest = int(pc.max(pc.binary_length(domain.strings(np.arange(len(domain))))).as_py())
    return min(MOST_ITEMS, MOST_UNPACKED // (longest + 1))
