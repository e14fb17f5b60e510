"""Few labels: all of them are one basis, and nothing else need be asked: not which labels are live, not θ, not the sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from seqveil.bases.bins import itemset, labels_of_bins, superset_sums
from seqveil.bases.counting import Binned, Counted
from seqveil.bases.likely import likely
from seqveil.bases.noise import Noise
from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Bins, Wall

FEW = 18
"""Of more labels other bases say more (docs/results/itemsets.md, 'Few labels')."""

SIZE = 33
"""One part in so many of ε asks for the number of records."""


@dataclass(frozen=True, slots=True)
class EveryShares:
    """ε in grains for the number of records and for the bins.

    >>> EveryShares.of(1_000_000)
    EveryShares(size=30303, bins=969697)
    """

    size: int
    bins: int

    @classmethod
    def of(cls, epsilon: int) -> EveryShares:
        return cls(epsilon // SIZE, epsilon - epsilon // SIZE)

    def stages(self, labels: int) -> list[tuple[str, int, str]]:
        """The stages of a plan."""
        return [
            ("size", self.size, "the number of records"),
            ("count", self.bins, f"how many records are each of the {1 << labels:,} sets over all {labels} labels"),
        ]

    def predictions(self, labels: int, unit: Unit) -> list[str]:
        """What noise will do to counts."""
        bar = 3 * unit.sequences * GRAINS / self.bins
        sentence = f"the number of records that are one given set has noise within ±{bar:,.3g} (95 %)"
        wide = 2 * unit.sequences * (2.0 * 2 ** (labels - 1)) ** 0.5 * GRAINS / self.bins
        return [sentence, f"the count of a label, from {1 << labels - 1:,} such numbers, has noise within ±{wide:,.3g} (95 %)"]


def every_set(wall: Wall, top: int, longest: int) -> tuple[int, Counted]:
    """The noisy number of records, and the `top` itemsets of at most `longest` labels; all ε is spent."""
    shares = EveryShares.of(wall.epsilon)
    with wall.stage("size"):
        size = wall.size(shares.size)
    return count_every(wall, size, shares.size, top, longest, shares.bins)


def count_every(wall: Wall, size: int, paid: int, top: int, longest: int, epsilon: int) -> tuple[int, Counted]:
    """The `top` itemsets of at most `longest` labels, from the bins of all labels, and a better number of records.

    `paid` is what the noisy size has cost: all bins together say it, too, and of few labels more precisely.
    """
    basis = tuple(range(len(wall.domain)))
    question = Bins((basis,))
    with wall.stage("count"):
        noisy = wall.ask(question, epsilon)
    scale = question.influence(wall.unit) * GRAINS / epsilon
    for_size, for_sum = wall.unit.sequences * GRAINS / paid, scale * math.sqrt(len(noisy))
    weight = for_size**2 / (for_size**2 + for_sum**2) if for_sum else 1.0
    size = round(size + weight * (int(noisy.sum()) - size))
    fitted = likely(noisy, scale, size, math.sqrt(2 * weight) * for_sum)
    count, sums = superset_sums(fitted), superset_sums(noisy)
    labels = labels_of_bins(len(basis))
    wanted = np.flatnonzero((labels > 0) & (labels <= longest))
    best = wanted[np.argsort(-count[wanted], kind="stable")[:top]]
    return size, Counted(
        [itemset(basis, bin_) for bin_ in best.tolist()],
        sums[best],
        1 << (len(basis) - labels[best]),
        Noise(scale),
        count[best],
        (Binned(basis, noisy, fitted),),
    )
