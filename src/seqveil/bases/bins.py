"""Noisy bins of a basis, turned into counts of itemsets. Post-processing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def superset_sums(bins: NDArray[Any]) -> NDArray[Any]:
    """For every subset of a basis, the sum of the bins of all its supersets: how many records contain it. One pass per label.

    >>> superset_sums(np.array([5, 1, 2, 4])).tolist()                     # nothing, {0}, {1}, {0, 1}
    [12, 5, 6, 4]
    """
    sums = bins.copy()
    for j in range(len(bins).bit_length() - 1):
        # Invariant: sums[s] adds up the bins that equal s from bit j on and contain it before.
        halves = sums.reshape(-1, 2, 1 << j)
        halves[:, 0] += halves[:, 1]
    return sums


def projected(bins: NDArray[np.int64], total: float) -> Floats:
    """The closest bins, by least squares, that are not negative and add up to `total`.

    Most bins of a large basis hold nobody: what noise put there is taken away evenly, and no sum over many bins inherits it.

    >>> projected(np.array([90, -7, 14, 1]), 100.0).round(6).tolist()
    [88.0, 0.0, 12.0, 0.0]
    >>> projected(np.array([-3, -9]), 0.0).tolist()
    [0.0, 0.0]
    """
    if total <= 0:
        return np.zeros(len(bins))
    falling = np.sort(np.asarray(bins, np.float64))[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    least = excess[np.flatnonzero(falling >= excess)[-1]]
    return np.asarray(np.maximum(bins - least, 0.0))


def itemset(basis: tuple[int, ...], bin_: int) -> tuple[int, ...]:
    """The labels whose bits a bin has, ascending.

    >>> itemset((7, 3, 5), 0b011)
    (3, 7)
    """
    return tuple(sorted(label for j, label in enumerate(basis) if bin_ >> j & 1))


def labels_of_bins(m: int) -> NDArray[np.int64]:
    """How many labels each of the 2^m bins has.

    >>> labels_of_bins(2).tolist()
    [0, 1, 1, 2]
    """
    labels = np.zeros(1, np.int64)
    for _ in range(m):
        labels = np.concatenate([labels, labels + 1])
    return labels


def bin_of(basis: tuple[int, ...], labels: tuple[int, ...]) -> int:
    """The bin whose bits are these labels of a basis.

    >>> bin_of((7, 3, 5), (3, 7))
    3
    """
    return sum(1 << basis.index(label) for label in labels)
