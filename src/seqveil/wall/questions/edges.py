"""Edges: every pair of vertices as a count of its own, 1 where there is an edge and 0 elsewhere.

Law: cell by cell plus discrete Laplace noise; asked with a threshold, only the cells that reach it are told, and the empty
ones cost nothing (wall/sparse.py). Slot numbers are the cells' numbers in the whole upper triangle, row by row.

Sensitivity: an edge is one cell, so k edges move k in L1, and k in L2², since they are different cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import edges_of


@dataclass(frozen=True, slots=True)
class Edges:
    """The upper triangle of the adjacency matrix."""

    name: str = "edges"

    def slots(self, domain_size: int) -> int:
        return domain_size * (domain_size - 1) // 2

    def influence(self, unit: Unit) -> int:
        return edges_of(unit, "pairs of vertices")

    def square(self, unit: Unit) -> int:
        return edges_of(unit, "pairs of vertices")

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).edges(table)
