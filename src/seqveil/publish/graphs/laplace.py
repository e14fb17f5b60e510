"""graph-laplace: noise on every pair of vertices, the obvious baseline [Gupta 2012], as used in [Chen thesis, §7.5].

The threshold by rank is that of [Nguyen 2015]. Touches raw data in `wall.size` and `wall.ask_above`.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.graphs.flood import refuse_flood
from seqveil.release.graphs import GraphRelease
from seqveil.release.graphs.draw import generator
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.triangle import cells_at, root
from seqveil.tables.units import Edge, Unit
from seqveil.wall import GRAINS, Edges, Plan, Wall, decimal

SIZE_SHARE = 10
"""With threshold="auto" one part in this many of ε pays for the number of edges."""


@dataclass(frozen=True, slots=True)
class GraphLaplace:
    """Discrete Laplace noise on every cell of the upper triangle; cells at or above `threshold` become edges.

    threshold = 1 rounds every noisy cell, as printed: most of the edges are then noise. "auto" asks for the number of edges
    first and takes the threshold that about as many cells will pass; where more do, the largest are kept.

    >>> GraphLaplace().name
    'graph-laplace'
    """

    kind: ClassVar[str] = "graph"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Gupta, Roth, Ullman, TCC 2012"
    name: ClassVar[str] = "graph-laplace"

    threshold: int | Literal["auto"] = described(
        "auto", "Noisy value from which a pair becomes an edge; 'auto' derives it from the noisy number of edges."
    )

    def __post_init__(self) -> None:
        if self.threshold != "auto" and not (isinstance(self.threshold, int) and self.threshold >= 1):
            raise unfit("give a whole number of at least 1, or 'auto'.", threshold=self.threshold)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages, and how many false edges to expect."""
        size = self._size_share(epsilon)
        cells = Edges().slots(len(domain))
        stages = [("number of edges", size, "the threshold")] if size else []
        stages.append(("pairs", epsilon - size, f"each of {cells:,} pairs"))
        if self.threshold != "auto":
            refuse_flood(len(domain), self._expected(cells, Edges().influence(unit), epsilon, self.threshold))
        passing = self._expected(cells, Edges().influence(unit), epsilon - size, 1)
        return Plan(stages, [f"about {passing:,.0f} pairs pass a threshold of 1 by noise alone"], [])

    def run(self, wall: Wall) -> GraphRelease:
        """Ask for the cells that pass."""
        size, cells = self._size_share(wall.epsilon), Edges().slots(len(wall.domain))
        threshold, wanted = self.threshold, None
        if size:
            with wall.stage("number of edges"):
                wanted = min(max(wall.size(size), 0), cells)
            threshold = self._rank_threshold(cells, Edges().influence(wall.unit), wall.remaining, wanted)
        with wall.stage("pairs"):
            numbers, noisy = wall.ask_above(Edges(), wall.remaining, int(threshold))
        if wanted is not None and len(numbers) > wanted:
            # Whole noise has many ties, which the numbers of the cells must not decide.
            lot = generator(numbers, noisy).random(len(numbers))
            numbers = numbers[np.lexsort((lot, -noisy))[:wanted]]
        low, high = cells_at(root(len(wall.domain)), np.asarray(numbers, np.int64))
        return GraphRelease(wall.domain, low=low, high=high)

    def _size_share(self, epsilon: int) -> int:
        if self.threshold != "auto":
            return 0
        if epsilon < 2 * SIZE_SHARE:
            raise CallError(
                f"{parameter('epsilon', decimal(epsilon))}: too small to be divided among the steps of graph-laplace."
            )
        return epsilon // SIZE_SHARE

    @staticmethod
    def _expected(cells: int, influence: int, grains: int, threshold: int) -> float:
        """How many empty cells pass a threshold."""
        rate = grains / GRAINS / influence
        return cells * math.exp(-rate * threshold) / (1 + math.exp(-rate))

    def _rank_threshold(self, cells: int, influence: int, grains: int, wanted: int) -> int:
        """The least threshold that no more than `wanted` empty cells are expected to pass."""
        rate = grains / GRAINS / influence
        return max(1, math.ceil((math.log(max(cells, 1)) - math.log1p(math.exp(-rate)) - math.log(max(wanted, 1))) / rate))
