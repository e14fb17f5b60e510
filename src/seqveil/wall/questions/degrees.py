"""Degrees: how many edges each vertex has, or the same numbers in ascending order without their vertices.

Law: counts plus discrete Laplace noise. Sensitivity: an edge raises the degree of two vertices by 1 each, so k edges move
2k in L1. Sorting does not increase an L1 distance: for a ≤ b componentwise the i-th smallest of b is at least the i-th
smallest of a, and the sums differ by the same 2 [1]; several edges are several such steps.

[1] Hay, Li, Miklau, Jensen: Accurate Estimation of the Degree Distribution of Private Networks, ICDM 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqveil.tables.graphs import GraphTable
from seqveil.tables.units import Unit
from seqveil.wall.questions.density import edges_of
from seqveil.wall.questions.protocol import Tally


@dataclass(frozen=True, slots=True)
class Degrees:
    """Slot v is the degree of vertex v; with `ascending`, slot i is the i-th smallest degree."""

    ascending: bool = False
    name: str = "degrees"

    def slots(self, domain_size: int) -> int:
        return domain_size

    def influence(self, unit: Unit) -> int:
        return 2 * edges_of(unit, "degrees")

    def tally(self, table: GraphTable, unit: Unit) -> Tally:
        degrees = np.sort(table.degrees) if self.ascending else table.degrees
        index = np.flatnonzero(degrees)
        return Tally(index, degrees[index])
