"""How many records are drawn: all of them, or as large a share as a release can hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqveil.models.records.expect import Ends
from seqveil.release.limits import MOST_ITEMS, MOST_UNPACKED
from seqveil.tables.domain import Domain

NEARLY = 0.98
"""Of what a release can hold, as much is drawn at most: rounding to whole records adds a few."""


def share_drawn(ends: Sequence[Ends], domain: Domain) -> float:
    """1, or less where the records would not fit. With very little ε noise alone asks for trillions of them."""
    return min(1.0, NEARLY * room(domain) / max(sum(items(one) for one in ends), 1.0))


def items(ends: Ends) -> float:
    """How many items records with these ends have."""
    steps = np.arange(len(ends.open))
    returned = np.diagonal(ends.trips).copy()
    both = float(returned[-1]) if ends.other is not None else 0.0
    closed = float(returned.sum()) - both
    per = [(float(ends.trips.sum()) - closed - both, ends.open), (closed, ends.closed)]
    if ends.other is not None:
        per.append((both, ends.other))
    return sum(records * float(((steps + 1) * shares).sum()) for records, shares in per)


def room(domain: Domain) -> int:
    """How many items a release can hold and be read again.

    >>> room(Domain.of(["a", "b"])), room(Domain.of(["x" * 1023]))
    (100000000, 1048576)
    """
    longest = max(len(label.encode()) for label in domain.labels(range(len(domain))))
    return min(MOST_ITEMS, MOST_UNPACKED // (longest + 1))
