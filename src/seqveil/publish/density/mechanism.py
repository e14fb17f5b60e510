"""DER: publish a graph by density-based exploration and reconstruction of its adjacency matrix [Chen 2014], made sound.

[Chen thesis, Alg. 7.1] with the repairs of docs/mechanisms/der.md. The only lines that touch raw data are `wall.tree`,
`tree.choose`, `tree.expand`, `tree.refine` and `tree.ask`; everything else is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.density.consistency import leaf_counts
from seqveil.publish.density.exploration import Budgets, explore
from seqveil.publish.density.height import count_budgets, height, least_sizes
from seqveil.publish.density.quadtree import Quadtree
from seqveil.publish.graphs.flood import refuse_flood
from seqveil.release.graphs import GraphRelease, RegionTable
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.triangle import cells, cells_at, root
from seqveil.tables.units import Edge, Unit
from seqveil.wall import GRAINS, Arrangement, Plan, PrivateTree, Regions, Wall, decimal


@dataclass(frozen=True, slots=True)
class DER:
    """Density-based exploration and reconstruction [Chen thesis, ch. 7].

    Regions of the adjacency matrix are divided where edges are dense, counted with noise, and filled with edges.

    >>> DER().name
    'der'
    >>> DER(counting=0.9, splitting=0.2)
    Traceback (most recent call last):
    seqveil.errors.CallError: counting=0.9, splitting=0.2: shares are 0 or more and together below 1, counting above 0.
    """

    kind: ClassVar[str] = "graph"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Chen, Fung, Yu, Desai, VLDB Journal 2014"
    name: ClassVar[str] = "der"

    counting: float = described(0.8, "Share of ε for noisy counts of regions.")
    splitting: float = described(
        0.1, "Share of ε for choosing splitting points; 0 cuts every region in the middle. The rest of ε arranges the edges."
    )
    height: int | Literal["auto"] = described(
        "auto", "Depth of the quadtree; 'auto' derives it from ε and the number of vertices."
    )
    dense: float = described(0.8, "A region whose noisy density reaches this value is not divided further.")
    step: int | Literal["auto"] = described(
        "auto", "Distance between candidate splitting points; 'auto' tries at most 64 a side."
    )
    smallest: float = described(0.5, "Smallest size of each part of a split, as a share of an even division.")
    consistent: bool = described(True, "Make counts agree across levels; otherwise every leaf is rounded by itself.")

    def __post_init__(self) -> None:
        if not (self.counting > 0 and self.splitting >= 0 and self.counting + self.splitting < 1):
            shares = {"counting": self.counting, "splitting": self.splitting}
            raise unfit("shares are 0 or more and together below 1, counting above 0.", **shares)
        if self.height != "auto" and not (isinstance(self.height, int) and 0 <= self.height <= 20):
            raise unfit("give a whole number from 0 to 20, or 'auto'.", height=self.height)
        if not 0 < self.dense <= 1:
            raise unfit("a density is above 0 and at most 1; 0.8 is usual.", dense=self.dense)
        if not 0 < self.smallest <= 1:
            raise unfit("a share of an even part is above 0 and at most 1; 0.5 is usual.", smallest=self.smallest)
        if self.step != "auto" and not (isinstance(self.step, int) and self.step >= 1):
            raise unfit("give a whole number of at least 1, or 'auto'.", step=self.step)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The shares of ε, and whether any split is possible at this ε."""
        k = Regions(()).influence(unit)
        counting, splitting = self._shares(epsilon)
        h = self._height(len(domain), counting, k)
        first = count_budgets(counting, h)[0] if h else counting + splitting
        refuse_flood(len(domain), 40 * k * GRAINS / max(first, 1))
        stages = [
            ("counts of regions", counting, f"every path through {h} levels"),
            ("splitting points", splitting, "where to cut"),
            ("arrangement", epsilon - counting - splitting, "which pairs of a leaf region become edges"),
        ]
        predictions = []
        if h:
            last = count_budgets(counting, h)[-1]
            leaf = len(domain) ** 2 / 4**h
            predictions.append(
                f"leaf regions (about {leaf:,.0f} pairs each): noise within ±{3 * k * GRAINS / last:,.0f} edges (95 %)"
            )
        warnings = [
            "DER does not measure degrees, only counts of regions: if degrees matter, compare with the method graph-bter.",
        ]
        if h == 0:
            warnings.append(
                f"ε = {decimal(epsilon)} is too small for any split of {len(domain):,} vertices with k = {k}: the release will "
                "be one region, a uniformly random graph with a noisy number of edges. Give more ε."
            )
        return Plan([stage for stage in stages if stage[1]], predictions, warnings)

    def run(self, wall: Wall) -> GraphRelease:
        """Explore, count consistently, arrange edges."""
        vertices = len(wall.domain)
        counting, splitting = self._shares(wall.epsilon)
        h = self._height(vertices, counting, Regions(()).influence(wall.unit))
        least, step = least_sizes(vertices, h, self.smallest), 0 if self.step == "auto" else int(self.step)
        with wall.stage("exploration and arrangement"):
            tree = wall.tree(Regions(least, step), wall.remaining)
            if h:
                budgets = Budgets(count_budgets(counting, h), splitting // h)
                few = self.dense * vertices**2 / 4**h
                quadtree = explore(tree, vertices, budgets, least, step, self.dense, few)
            else:
                quadtree = Quadtree.planted(root(vertices), tree.root)
                quadtree.levels[0].leaf[:] = True
                quadtree.levels[0].again(np.zeros(1, np.int64), *tree.refine([tree.root], counting + splitting))
            counts = leaf_counts(quadtree, self.consistent)
            low, high = arrange(tree, quadtree, counts)
        return GraphRelease(wall.domain, low=low, high=high, regions=region_table(quadtree, counts))

    def _shares(self, epsilon: int) -> tuple[int, int]:
        """Grains for counts and for splits."""
        counting, splitting = (math.floor(epsilon * Fraction(str(share))) for share in (self.counting, self.splitting))
        if counting < 1000 or (self.splitting and splitting < 20) or counting + splitting == epsilon:
            raise CallError(f"{parameter('epsilon', decimal(epsilon))}: too small to be divided among the steps of der.")
        return counting, splitting

    def _height(self, vertices: int, counting: int, k: int) -> int:
        allowed = height(vertices, counting, k) if self.height == "auto" else int(self.height)
        return min(allowed, 20) if vertices > 1 else 0


def arrange(tree: PrivateTree, quadtree: Quadtree, counts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The edges of every leaf, each paid with all that its path has left: shares for levels that it never reached too."""
    lows, highs = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for depth, rows in quadtree.leaves:
        level = quadtree.levels[depth]
        # A leaf without edges has one arrangement, so nothing is asked.
        rows = rows[counts[depth][rows] > 0]
        if len(rows) == 0:
            continue
        nodes = level.node[rows]
        chosen = tree.ask(Arrangement(counts[depth][rows]), nodes, tree.remaining(nodes))
        for row, numbers in zip(rows, chosen, strict=True):
            low, high = cells_at(level.region[row], numbers)
            lows.append(low)
            highs.append(high)
    return np.concatenate(lows), np.concatenate(highs)


def region_table(quadtree: Quadtree, counts: list[np.ndarray]) -> RegionTable:
    """The density map: all leaves with their counts."""
    leaves = [(quadtree.levels[depth], rows, counts[depth]) for depth, rows in quadtree.leaves]
    region = np.concatenate([level.region[rows] for level, rows, _ in leaves])
    real = cells(region) > 0
    return RegionTable(
        region[real],
        np.concatenate([count[rows] for _, rows, count in leaves])[real],
        np.concatenate([level.noisy[rows] for level, rows, _ in leaves])[real],
        np.concatenate([level.scale[rows] for level, rows, _ in leaves])[real],
    )
