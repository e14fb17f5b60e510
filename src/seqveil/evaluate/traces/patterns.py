"""Contiguous patterns of cells: which are frequent, and how often they occur. A stay in a cell is one visit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

LONGEST, MOST = 5, 100
"""Patterns have 2 to so many cells; so many of the most frequent ones are compared."""


def visits(flat: Flat) -> Flat:
    """Records without items that repeat the one before.

    >>> [record.tolist() for record in visits(Flat.of([[1, 1, 2, 1], [1, 1]]))]
    [[1, 2, 1], [1]]
    """
    kept = np.ones(len(flat.items), np.bool_)
    kept[1:] = flat.items[1:] != flat.items[:-1]
    kept[flat.offsets[:-1][flat.lengths > 0]] = True
    return Flat(flat.items[kept], np.concatenate([[0], np.cumsum(kept)])[flat.offsets].astype(np.int64))


@dataclass(frozen=True, eq=False)
class Supports:
    """Patterns, as numbers, and the records in which each occurs; most frequent first."""

    pattern: NDArray[np.int64]
    support: NDArray[np.int64]

    @classmethod
    def of(cls, flat: Flat, cells: int) -> Supports:
        """All patterns of 2 to `LONGEST` visits."""
        seen = visits(flat)
        record = np.repeat(np.arange(len(seen)), seen.lengths)
        patterns, supports = [], []
        for length in range(2, LONGEST + 1):
            places = max(len(seen.items) - length + 1, 0)
            keys = np.zeros(places, np.int64)
            for back in range(length):
                keys = keys * (cells + 1) + seen.items[back : back + places].astype(np.int64) + 1
            inside = record[:places] == record[length - 1 : length - 1 + places]
            pairs = np.unique(np.stack([keys[inside], record[:places][inside]]), axis=1)
            distinct, counts = np.unique(pairs[0], return_counts=True)
            patterns.append(distinct)
            supports.append(counts)
        pattern, support = np.concatenate(patterns), np.concatenate(supports)
        best = np.lexsort((pattern, -support))
        return cls(pattern[best], support[best])

    def agreement(self, other: Supports) -> tuple[float, float]:
        """F1 of the most frequent patterns of both, and the mean relative error of the supports of ours in the other.

        >>> a, b = Supports.of(Flat.of([[0, 1], [0, 1], [1, 2]]), 3), Supports.of(Flat.of([[0, 1], [2, 1]]), 3)
        >>> a.agreement(b)
        (0.5, 0.75)
        """
        ours, theirs = self.pattern[:MOST], other.pattern[:MOST]
        if not len(ours) or not len(theirs):
            return 0.0, 1.0
        common = len(np.intersect1d(ours, theirs))
        others = dict(zip(other.pattern.tolist(), other.support.tolist(), strict=True))
        supports = np.array([others.get(pattern, 0) for pattern in ours.tolist()])
        return 2 * common / (len(ours) + len(theirs)), float(np.mean(abs(supports - self.support[:MOST]) / self.support[:MOST]))
