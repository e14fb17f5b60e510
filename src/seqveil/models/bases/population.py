"""Sets over few labels: from the bins of one basis, or fitted to counts of itemsets by moving labels between sets.

A population is a table of yes and no, one row per synthetic record and one column per label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Population = NDArray[np.bool_]
Ints = NDArray[np.int64]

PASSES = 12
"""How often the itemsets are gone through; after so many the counts of public test sets move by less than their noise."""


def apportioned(weights: NDArray[np.float64], total: int) -> Ints:
    """Whole numbers that add up to `total`, as close to the weights' shares as can be (largest remainders).

    >>> apportioned(np.array([1.0, 1.0, 4.0]), 10).tolist()
    [2, 2, 6]
    """
    mass = float(weights.sum())
    if mass <= 0 or total <= 0:
        return np.zeros(len(weights), np.int64)
    exact = weights * (total / mass)
    whole = np.floor(exact).astype(np.int64)
    whole[np.argsort(whole - exact, kind="stable")[: total - int(whole.sum())]] += 1
    return whole


def from_bins(bins: NDArray[np.float64], labels: int, size: int) -> Population:
    """As many records in each bin as its share of all; column j is the label of bit j.

    >>> from_bins(np.array([1.0, 0.0, 2.0, 1.0]), labels=2, size=4).astype(int).tolist()
    [[0, 0], [0, 1], [0, 1], [1, 1]]
    """
    rows = np.repeat(np.arange(len(bins)), apportioned(bins, size))
    return (rows[:, None] >> np.arange(labels) & 1).astype(np.bool_)


def independent(counts: Ints, size: int, random: np.random.Generator) -> Population:
    """Each label in as many records as its count says, in random ones.

    >>> independent(np.array([3, 0, 9]), 5, np.random.default_rng(1)).sum(axis=0).tolist()
    [3, 0, 5]
    """
    population = np.zeros((size, len(counts)), np.bool_)
    for j, n in enumerate(counts.tolist()):
        population[random.permutation(size)[: max(n, 0)], j] = True
    return population


def fit(population: Population, itemsets: list[tuple[int, ...]], counts: Ints, random: np.random.Generator) -> None:
    """Move labels between records until about `counts` of them contain each itemset (columns, at least two).

    Where too few contain it, one of its labels moves from records without the rest of it to records that have the rest and lack
    this label; where too many do, it moves the other way. So the count of every single label stays what it was. Larger itemsets
    come later, and have the last word.

    >>> random = np.random.default_rng(3)
    >>> sets = independent(np.array([50, 50]), 100, random)
    >>> fit(sets, [(0, 1)], np.array([40]), random)
    >>> int((sets[:, 0] & sets[:, 1]).sum()), sets.sum(axis=0).tolist()
    (40, [50, 50])
    """
    order = sorted(range(len(itemsets)), key=lambda i: (len(itemsets[i]), -counts[i]))
    for turn in range(PASSES):
        for i in order:
            columns = list(itemsets[i])
            moved = columns.pop(turn % len(columns))
            _move(population, moved, columns, int(counts[i]), random)


def _move(population: Population, moved: int, others: list[int], wanted: int, random: np.random.Generator) -> None:
    rest, here = population[:, others].all(axis=1), population[:, moved]
    missing = wanted - int((rest & here).sum())
    inside, outside = (rest & ~here, ~rest & here) if missing > 0 else (~rest & ~here, rest & here)
    to, off = np.flatnonzero(inside), np.flatnonzero(outside)
    n = min(abs(missing), len(to), len(off))
    if n:
        population[random.choice(off, n, replace=False), moved] = False
        population[random.choice(to, n, replace=False), moved] = True
