"""How many false sub-partitions noise will make, from public parameters alone; what could not work is refused.

An empty sub-partition passes θ = √2·C·h/ε_v with probability e^(−√2·C·h)/(1+e^(−ε_v/m)), whatever ε_v is; a cut of a node with l
children has 2^l − 1 sub-partitions, nearly all of them empty. A false sub-partition is divided like a true one, so if a cut
makes one or more of them on average, they multiply with every further cut.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.publish.diffpart.allocation import cut_threshold, share
from seqveil.surface import parameter
from seqveil.tables.taxonomy import Taxonomy
from seqveil.wall import GRAINS, Plan, decimal

MOST_CHILDREN = 60
"""Most children of a taxonomy's node: sub-partitions are numbered in 64 bits."""

MOST_COUNTED = 2**53
"""The largest threshold that the wall takes."""

MOST_FALSE_LEAVES = 1000.0
"""False itemsets that one cut may publish; they do not multiply."""


def false_subpartitions(width: int, deviations: float, height: int, epsilon: float) -> float:
    """Expected empty sub-partitions of one cut that pass, when all of its 2^width − 1 are empty.

    >>> round(false_subpartitions(10, 5.0, 1, 0.01), 2)
    0.44
    """
    return false_among(2.0**width - 1, deviations, height, epsilon)


def false_among(ways: float, deviations: float, height: int, epsilon: float) -> float:
    """Expected empty sub-partitions that pass, of so many."""
    return ways * math.exp(-math.sqrt(2) * deviations * height) / (1 + math.exp(-epsilon))


def worst_cut(taxonomy: Taxonomy, c2: float, epsilon: int, influence: int) -> tuple[float, int, int]:
    """The most false sub-partitions that one cut can make, among cuts that are not the last of their path; l and h of it."""
    most = (0.0, 0, 0)
    inner = np.arange(taxonomy.labels, taxonomy.root + 1)
    height, width = taxonomy.height[inner], taxonomy.width(inner)
    for h in range(1, int(height.max()) + 1 if len(inner) > 1 else 1):
        wide = int(width[height == h].max())
        most = max(most, (false_subpartitions(wide, c2, h, epsilon / (2 * influence * GRAINS)), wide, h))
    return most


def last_cut(taxonomy: Taxonomy, c1: float, epsilon: int, influence: int) -> tuple[float, int]:
    """The most false itemsets that the last cut of a path can make, and the l of it."""
    wide = int(taxonomy.leaf_bits.max())
    return false_subpartitions(wide, c1, 1, epsilon / (influence * GRAINS)), wide


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What public parameters say of a run: `weight` are the cuts to come below every node, by which ε is divided."""

    taxonomy: Taxonomy
    weight: NDArray[np.float64]
    c1: float
    c2: float
    epsilon: int
    influence: int
    growth: float = 1.0

    @property
    def cuts(self) -> int:
        """Over how many cuts the guiding half of ε is divided at first."""
        return math.ceil(float(self.weight[self.taxonomy.trunk].sum()))

    @property
    def first(self) -> int:
        """What the first cut is paid with."""
        return int(share(np.array([self.epsilon // 2]), 0, np.array([self.cuts]), self.growth)[0])

    def first_threshold(self) -> float:
        """What a sub-partition of the first cut must reach, if the tallest node is cut."""
        high = self.taxonomy.height[self.taxonomy.trunk].max(keepdims=True)
        return float(cut_threshold(self.c2, high, np.array([max(self.first, 1)]), self.influence)[0])

    def refuse_too_little(self) -> None:
        """Raise for an ε that no cut could use."""
        if self.first < self.influence or self.first_threshold() > MOST_COUNTED:
            raise CallError(
                f"ε = {decimal(self.epsilon)} is too small to be divided over the {self.cuts:,} cuts of a taxonomy with "
                f"{self.taxonomy.labels:,} labels: give more ε, a larger {parameter('fan_out')} or a smaller domain."
            )

    def refuse(self) -> None:
        """Raise for parameters under which a run could only waste its budget; looks at nothing but public parameters."""
        self.refuse_too_little()
        false, wide, height = worst_cut(self.taxonomy, self.c2, self.epsilon, self.influence)
        if false >= 1:
            enough = math.ceil(10 * (self.c2 + (math.log(false) + 0.01) / (math.sqrt(2) * height))) / 10
            fewer = max((w for w in range(2, wide) if false_subpartitions(w, self.c2, height, 100.0) < 1), default=2)
            raise CallError(
                f"{parameter('fan_out', f'{wide}')} with {parameter('c2', f'{self.c2:g}')}: of the 2^{wide} − 1 sub-partitions "
                f"of a cut, about {false:,.1f} empty ones would pass by noise alone, and as many of each of theirs, until they "
                f"outnumber the true ones. Use {parameter('fan_out', f'{fewer}')} or {parameter('c2', f'{enough:g}')}."
            )
        false, wide = last_cut(self.taxonomy, self.c1, self.epsilon, self.influence)
        if false > MOST_FALSE_LEAVES:
            enough = math.ceil(10 * (self.c1 + math.log(false / MOST_FALSE_LEAVES) / math.sqrt(2))) / 10
            raise CallError(
                f"{parameter('fan_out', f'{wide}')} with {parameter('c1', f'{self.c1:g}')}: every last cut would publish about "
                f"{false:,.0f} false itemsets. Use {parameter('fan_out', '10')} or {parameter('c1', f'{enough:g}')}."
            )

    def plan(self, records: int | None) -> Plan:
        """What the two halves of ε buy, and what noise will do."""
        theta = self.first_threshold()
        half = self.epsilon // 2
        stages = [
            ("partitioning", half, f"about {self.cuts:,} cuts on every path, the first with ε = {decimal(self.first)}"),
            ("leaf counts", self.epsilon - half, "every itemset once, with what the cuts left added"),
        ]
        false, wide, _ = worst_cut(self.taxonomy, self.c2, self.epsilon, self.influence)
        false_leaves, last = last_cut(self.taxonomy, self.c1, self.epsilon, self.influence)
        least = math.sqrt(2) * self.c1 * self.influence * GRAINS / self.epsilon
        predictions = [
            f"an itemset is published if its noisy count reaches a threshold between {least:,.0f} and {2 * least:,.0f} records, "
            "which depends on its path",
            f"of the 2^{last} − 1 itemsets of a last cut, about {false_leaves:,.2g} empty ones are published by noise alone",
        ]
        warnings = []
        if self.cuts > 1:
            predictions.append(f"of the 2^{wide} − 1 sub-partitions of a cut, about {false:,.2g} empty ones pass by noise alone")
            predictions.append(f"the first cut keeps a sub-partition if its noisy count is at least {theta:,.0f} records")
            if records is not None and records < 4 * theta:
                warnings.append(
                    f"little or nothing of {records:,} records will pass the first cut, whose threshold is {theta:,.0f} records. "
                    f"Use a smaller domain, a larger {parameter('fan_out')} or more ε."
                )
        return Plan(stages, predictions, warnings)
