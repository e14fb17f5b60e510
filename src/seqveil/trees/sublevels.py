"""The questions of a level, and how many empty nodes will pass their thresholds: public numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, exp, sqrt

import numpy as np

from seqveil.tables.granularity import Granularities
from seqveil.wall import GRAINS

MOST_FALSE = 100_000
"""More false nodes than this, expected of an empty table, and a run is refused: they would outnumber the true ones."""


@dataclass(frozen=True, slots=True)
class Sublevel:
    """One question of a level: what it is paid with, the scale of its noise and what a count must reach."""

    grains: int
    scale: float
    threshold: int

    @classmethod
    def of(cls, grains: int, influence: int, deviations: float) -> Sublevel:
        """Counts must reach so many standard deviations of their noise.

        >>> Sublevel.of(800 * 10**9, 1, 2.0)
        Sublevel(grains=800000000000, scale=1.25, threshold=4)
        """
        scale = influence * GRAINS / grains
        return cls(grains, scale, ceil(deviations * sqrt(2) * scale))

    @property
    def prediction(self) -> str:
        """What noise will do to a count, for a plan. Laplace noise stays within three scales with probability 1 − e⁻³."""
        return f"noise within ±{3 * self.scale:,.0f} (95 %); kept if the noisy count is at least {self.threshold:,}"

    @property
    def chance(self) -> float:
        """The probability that an empty node passes."""
        return exp(-self.threshold / self.scale) / (1 + exp(-1 / self.scale))


def false_nodes(levels: Sequence[list[Sublevel]], fine: Granularities) -> float:
    """How many nodes a tree over an *empty* table is expected to have: exactly the mean, from public numbers.

    A label below a node passes with the product of the chances of its sub-levels. With time slots, only labels of the
    node's slot or later count.

    >>> simple = Granularities.of(34, [])
    >>> round(false_nodes([[Sublevel.of(10**11, 1, 2.0)]] * 12, simple), 1)
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
