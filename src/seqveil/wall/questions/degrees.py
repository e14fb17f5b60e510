"""Degrees: how many edges each vertex has, or the same numbers in ascending order without their vertices.

Law: counts plus discrete Laplace noise. Sensitivity: an edge raises the degree of two vertices by 1 each, so k edges move
2k in L1. Sorting does not increase an L1 distance: for a ≤ b componentwise the i-th smallest of b is at least the i-th
smallest of a, and the sums differ by the same 2 [Hay 2009]; several edges are several such steps.

In L2² an edge moves the degrees by 2 and k edges by at most k·(k + 1): let d be the degrees of the graph of these k edges alone.
Each change is at most d in size, and Σ d² over vertices is the sum of d at both ends over the k edges. Every other edge is at at
most one end of a given one, so this is at most (k − 1) + 2 per edge. A star attains it. Sorting both vectors alike does not
increase the distance: of all ways to pair their entries, the sorted one has the least sum of squared differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import edges_of


@dataclass(frozen=True, slots=True)
class Degrees:
    """Slot v is the degree of vertex v; with `ascending`, slot i is the i-th smallest degree."""

    ascending: bool = False
    name: str = "degrees"

    def slots(self, domain_size: int) -> int:
        return domain_size

    def influence(self, unit: Unit) -> int:
        return 2 * edges_of(unit, "degrees")

    def square(self, unit: Unit) -> int:
        k = edges_of(unit, "degrees")
        return k * (k + 1)

    def tally(self, table: Any, unit: Unit) -> Tally:
        tally = engine_of(table).degrees(table)
        if not self.ascending:
            return tally
        return Tally.of(np.sort(tally.dense(len(table.domain))), tally.heaviest, tally.heaviest_square)
