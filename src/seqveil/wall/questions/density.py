"""Regions: the quadtree over the pairs of vertices of a graph [Chen thesis, ch. 7], made sound (docs/soundness.md, 'DER').

Law: a node is a region of the upper triangle and counts the edges in it; a region is divided into up to four around a
splitting point. `choose` picks the point by the exponential mechanism on the difference of densities, `expand` counts the
parts with discrete Laplace noise.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Sensitivity: a pair of vertices is one cell, so an edge lies in one region per level and walks one root-to-leaf path; k
edges walk at most k. The printed version keeps both (i, j) and (j, i), where an edge walks two.

Score of a splitting point: max − min over its non-empty parts R of ⌊s · c(R) / |R|⌋, in exact integers, where s = `least`
of the level is a public number of cells that every such part has at least. An edge more or less changes one c(R) by 1,
hence one s·c(R)/|R| by at most 1 and its floor by at most 1, hence the score by at most 1. The printed bound leaves the
parts of the last level free, and a part of one cell moves by all of s. A point with a smaller part is no candidate;
which points are candidates follows from the region, `least` and `step`, all public.

tests/publish/density/test_density_sensitivity.py enumerates all of this on small graphs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Counter, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import edges_of


@dataclass(frozen=True, slots=True)
class Regions:
    """Regions of which the parts at depth d + 1 have at least `least[d]` cells; `step` 0 means at most 64 cuts a side."""

    least: tuple[int, ...]
    step: int = 0
    name: str = "regions"

    def __post_init__(self) -> None:
        if any(size < 1 for size in self.least) or self.step < 0:
            raise CallError(f"least = {self.least}, step = {self.step}: parts need at least 1 cell, a step is 0 or more.")

    def influence(self, unit: Unit) -> int:
        return edges_of(unit, "regions")

    def open(self, table: Any, unit: Unit) -> Counter:
        return engine_of(table).regions(table, self.least, self.step)
