"""How a level's ε is divided over granularities, the thresholds, and how many empty nodes will pass them (§6.3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, sqrt

import numpy as np

from seqveil.tables.granularity import Granularities
from seqveil.wall import GRAINS

LEAST_SHARE, MOST_SHARE = Fraction(1, 10), Fraction(1, 2)
"""What groups get of a level's ε: 2/f, but within these bounds, since 2/f leaves the labels nothing when f ≤ 2."""


@dataclass(frozen=True, slots=True)
class Sublevel:
    """One question of a level: what it is paid with, the scale of its noise and what a count must reach."""

    grains: int
    scale: float
    threshold: int

    @property
    def chance(self) -> float:
        """The probability that an empty node passes."""
        return exp(-self.threshold / self.scale) / (1 + exp(-1 / self.scale))


def sublevels(level: int, influence: int, fine: Granularities, deviations: float) -> list[Sublevel] | None:
    """The questions of one level that has `level` grains; None when that is too little to divide.

    Each grouping takes its share of what the coarser ones left, the labels get the rest. Labels must reach `deviations`
    standard deviations of their noise, groups twice as many.

    >>> for q in sublevels(10**12, 1, Granularities.grouped(100, 10), 2.0):
    ...     print(q.grains, q.scale, q.threshold, round(q.chance, 4))
    200000000000 5.0 29 0.0017
    800000000000 1.25 4 0.0281
    """
    share = min(max(Fraction(2, max(fine.fan_out, 1)), LEAST_SHARE), MOST_SHARE)
    amounts, left = [], level
    for _ in range(fine.levels - 1):
        amounts.append(int(left * share))
        left -= amounts[-1]
    amounts.append(left)
    if min(amounts) < 1:
        return None
    scales = [influence * GRAINS / amount for amount in amounts]
    demands = [2 * deviations] * (len(amounts) - 1) + [deviations]
    limits = [ceil(demand * sqrt(2) * scale) for demand, scale in zip(demands, scales, strict=True)]
    return [Sublevel(*question) for question in zip(amounts, scales, limits, strict=True)]


def false_nodes(levels: Sequence[list[Sublevel]], fine: Granularities) -> float:
    """How many nodes a tree over an *empty* table is expected to have: exactly the mean, from public numbers.

    A label below a node passes with the product of the chances of its sub-levels. With time slots, only labels of the
    node's slot or later count.

    >>> simple = Granularities.of(34, [])
    >>> round(false_nodes([sublevels(10**11, 1, simple, 2.0)] * 12, simple), 1)
    10.7
    """
    width = np.bincount(fine.slot)
    nodes = np.zeros(len(width))
    nodes[0] = 1.0
    total = 0.0
    with np.errstate(over="ignore"):
        for questions in levels:
            nodes = np.cumsum(nodes) * width * float(np.prod([q.chance for q in questions]))
            total += float(nodes.sum())
    return total
