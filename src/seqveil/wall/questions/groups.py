"""GroupEdges: how many edges join each two public groups of vertices, and how many lie inside each.

Law: counts plus discrete Laplace noise. Slots are the pairs of groups a ≤ b, row by row. Which vertex is in which group is
public. Sensitivity: an edge has two ends, so one pair of groups: k edges move k in L1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.triangle import cells_at, root
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import edges_of


@dataclass(frozen=True, slots=True, eq=False)
class GroupEdges:
    """`member[v]` is the group of vertex v, a number of 0..groups−1."""

    member: NDArray[np.int64]
    groups: int
    name: str = "edges between groups"

    def slots(self, domain_size: int) -> int:
        return self.groups * (self.groups + 1) // 2

    def influence(self, unit: Unit) -> int:
        return edges_of(unit, "edges between groups")

    def tally(self, table: Any, unit: Unit) -> Tally:
        edges = engine_of(table).edges(table)
        low, high = cells_at(root(len(table.domain)), edges.index)
        a, b = np.sort(np.stack([self.member[low], self.member[high]]), axis=0)
        # Row a of the pairs a ≤ b begins after those of 0..a−1, which have groups, groups − 1, … of them.
        slot = a * self.groups - a * (a - 1) // 2 + (b - a)
        return Tally.of(np.bincount(slot, minlength=self.slots(len(table.domain))), edges.heaviest)
