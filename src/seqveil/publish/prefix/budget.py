"""How a level's ε is divided over groups and labels [Chen thesis, §6.3.1]; docs/soundness.md, 'Irregular fan-out'."""

from __future__ import annotations

from fractions import Fraction

from seqveil.tables.granularity import Granularities
from seqveil.trees.sublevels import Sublevel

LEAST_SHARE, MOST_SHARE = Fraction(1, 10), Fraction(1, 2)
"""What groups get of a level's ε: 2/f, but within these bounds, since 2/f leaves the labels nothing when f ≤ 2."""


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
    demands = [2 * deviations] * (len(amounts) - 1) + [deviations]
    return [Sublevel.of(amount, influence, demand) for amount, demand in zip(amounts, demands, strict=True)]
