"""graph-random: a uniformly random graph with a noisy number of edges; what every method must beat. Asks `wall.tree` once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from seqveil.publish.graphs.flood import refuse_flood
from seqveil.release.graphs import GraphRelease, RegionTable
from seqveil.release.graphs.draw import uniform_graph
from seqveil.tables.domain import Domain
from seqveil.tables.triangle import cells, root
from seqveil.tables.units import Edge, Unit
from seqveil.wall import GRAINS, Plan, Regions, Wall


@dataclass(frozen=True, slots=True)
class GraphRandom:
    """A uniformly random graph with a noisy number of edges.

    >>> GraphRandom().parameters()
    {}
    """

    kind: ClassVar[str] = "graph"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Chen, PhD thesis, Concordia University 2012, §7.5 (Random)"
    name: ClassVar[str] = "graph-random"

    def parameters(self) -> dict[str, Any]:
        """There are none."""
        return {}

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """One count."""
        scale = Regions(()).influence(unit) * GRAINS / epsilon
        refuse_flood(len(domain), 10 * scale)
        return Plan([("number of edges", epsilon, "one count")], [f"number of edges: noise within ±{3 * scale:,.0f} (95 %)"])

    def run(self, wall: Wall) -> GraphRelease:
        """Count the edges and draw as many."""
        with wall.stage("number of edges"):
            tree = wall.tree(Regions(()), wall.remaining)
            noisy, scale = tree.refine([tree.root], wall.epsilon)
        whole = root(len(wall.domain))[None]
        count = np.clip(noisy, 0, cells(whole))
        low, high = uniform_graph(len(wall.domain), int(count[0]))
        regions = RegionTable(whole, count, noisy, scale) if cells(whole)[0] else None
        return GraphRelease(wall.domain, low=low, high=high, regions=regions)
