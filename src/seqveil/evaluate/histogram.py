"""Histograms over any whole-number key, and how far two of them lie apart. INTERNAL where one of them is raw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SMALL = 1 << 16
"""Keys up to here are counted in a table even where values are few."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How often each key occurs; keys rise strictly, counts are above 0.

    >>> h = Histogram.of(np.array([3, 1, 3]))
    >>> h.keys.tolist(), h.counts.tolist()
    ([1, 3], [1, 2])
    """

    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[np.integer]) -> Histogram:
        """Counted in a table with a row for every key up to the largest, where that is small; else by sorting."""
        if len(values) and 0 <= values.min() and values.max() <= max(len(values), _SMALL):
            table = np.bincount(values)
            keys = np.flatnonzero(table)
            return cls(keys, table[keys])
        keys, counts = np.unique(np.asarray(values, np.int64), return_counts=True)
        return cls(keys, counts.astype(np.int64))

    def at(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counts of the given keys, 0 where a key never occurs."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.counts[place], 0)


def side_by_side(one: Histogram, other: Histogram) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All keys of both, and both counts of each."""
    keys = np.union1d(one.keys, other.keys)
    return keys, one.at(keys), other.at(keys)


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The summands of the Jensen–Shannon divergence in bits, for shares p and q of the same keys."""
    middle = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ours = np.where(p > 0, p * np.log2(p / middle), 0.0)
        theirs = np.where(q > 0, q * np.log2(q / middle), 0.0)
    return np.asarray((ours + theirs) / 2)


def jensen_shannon(one: Histogram, other: Histogram) -> float:
    """Jensen–Shannon divergence in bits: 0 for equal shares, 1 for shares that have no key in common.

    (½, ½) against (1, 0): the middle is (¾, ¼), so ½·(½·log₂ ⅔ + ½·log₂ 2) + ½·log₂ 4⁄3 = 0.311.

    >>> round(jensen_shannon(Histogram.of(np.array([0, 1])), Histogram.of(np.array([0]))), 3)
    0.311
    """
    _, p, q = side_by_side(one, other)
    if not p.sum() or not q.sum():
        return 0.0 if p.sum() == q.sum() else 1.0
    return float(np.clip(divergence(p / p.sum(), q / q.sum()).sum(), 0.0, 1.0))


def total_variation(one: Histogram, other: Histogram) -> float:
    """Half the sum of the differences of shares: the part of the records that one side would have to change. 0 is best, 1 worst.

    (½, ½) against (1, 0): ½ of the records lie elsewhere.

    >>> total_variation(Histogram.of(np.array([0, 1])), Histogram.of(np.array([0])))
    0.5
    """
    _, p, q = side_by_side(one, other)
    return apart(p, q)


def apart(p: NDArray[np.number], q: NDArray[np.number]) -> float:
    """Total variation of two rows of weights, at least 0, of the same keys; against nothing at all it is 1.

    >>> apart(np.array([1, 1]), np.array([0, 5])), apart(np.zeros(2), np.array([0, 5])), apart(np.zeros(2), np.zeros(2))
    (0.5, 1.0, 0.0)
    """
    ours, theirs = float(p.sum()), float(q.sum())
    if not ours or not theirs:
        return 0.0 if ours == theirs else 1.0
    return float(np.clip(np.abs(p / ours - q / theirs).sum() / 2, 0.0, 1.0))
