"""graph-bter: noisy degrees and a noisy number of triangles, and a graph that has both. Asks `wall.ask` and `wall.ask_ladder`.

docs/mechanisms/graph-bter.md
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import comb
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.graphs.blocks import Blocks
from seqveil.publish.graphs.flood import refuse_flood
from seqveil.publish.graphs.spread import likely_degrees
from seqveil.publish.graphs.steering import Groups
from seqveil.release.graphs import DegreeTable, GraphRelease
from seqveil.release.graphs.draw import generator
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Edge, Unit
from seqveil.wall import GRAINS, Degrees, GroupEdges, Plan, Triangles, Wall, decimal

MOST_GROUPS = 1_000
"""Counts between groups are half of the square of their number."""


@dataclass(frozen=True, slots=True)
class GraphBTER:
    """Degrees and triangles with noise, then a block two-level Erdős–Rényi graph [Seshadhri 2012].

    With `groups`, edges between public groups of vertices are counted too, and the graph has about as many.

    >>> GraphBTER().parameters()
    {'triangle_share': 0.15, 'groups': None, 'group_share': 0.1}
    """

    kind: ClassVar[str] = "graph"
    units: ClassVar[tuple[type[Unit], ...]] = (Edge,)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Seshadhri, Kolda, Pinar, Phys. Rev. E 2012; Zhang et al., SIGMOD 2015 (triangles)"
    name: ClassVar[str] = "graph-bter"

    triangle_share: float = described(0.15, "Share of ε for the number of triangles; the rest goes to the degrees.")
    groups: str | None = described(
        None, "File with public groups of vertices: one line per vertex, with the vertex, a tab and its group."
    )
    group_share: float = described(0.1, "With groups: share of ε for the number of edges between any two of them.")

    def __post_init__(self) -> None:
        for name in ("triangle_share", "group_share"):
            if not 0 < getattr(self, name) <= 0.45:
                raise unfit("give a share of ε above 0 and up to 0.45.", **{name: getattr(self, name)})

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """Two questions, or three with groups."""
        degrees, triangles, between = self._shares(epsilon)
        scale = Degrees().influence(unit) * GRAINS / degrees
        refuse_flood(len(domain), scale * len(domain))
        stages = [("degrees", degrees, "one number per vertex"), ("triangles", triangles, "one number")]
        predictions = [f"noise on every degree: within ±{3 * scale:,.0f} (95 %)"]
        if self.groups is not None:
            count = int(self._member(domain).max(initial=0)) + 1
            stages.append(("groups", between, f"edges between any two of {count:,} groups"))
            predictions.append(
                f"noise on the edges between two groups: within ±{3 * unit.sequences * GRAINS / between:,.0f} (95 %)"
            )
        return Plan(stages, predictions)

    def run(self, wall: Wall) -> GraphRelease:
        """Ask, take the noise off the degrees as far as it can be, and draw a graph that has them and the triangles."""
        for_degrees, for_triangles, for_groups = self._shares(wall.epsilon)
        n = len(wall.domain)
        with wall.stage("degrees"):
            noisy = wall.ask(Degrees(), for_degrees)
        with wall.stage("triangles"):
            triangles = min(max(wall.ask_ladder(Triangles(), for_triangles), 0), comb(n, 3))
        random = generator(noisy, np.array([triangles]))
        scale = Degrees().influence(wall.unit) * GRAINS / for_degrees
        degrees = likely_degrees(noisy, scale, random)
        groups = None
        if self.groups is not None:
            member = self._member(wall.domain)
            with wall.stage("groups"):
                counts = wall.ask(GroupEdges(member, int(member.max(initial=0)) + 1), for_groups)
            groups = Groups.of(member, counts, degrees)
        low, high = Blocks.of(degrees, random, groups).fitted(
            triangles, least_noise(n, 2 * wall.unit.sequences * GRAINS / for_triangles)
        )
        return GraphRelease(wall.domain, low=low, high=high, degrees=DegreeTable(noisy, scale, False), triangles=triangles)

    def _shares(self, epsilon: int) -> tuple[int, int, int]:
        """Grains for degrees, triangles and groups."""
        triangles = int(Fraction(str(self.triangle_share)) * epsilon)
        groups = int(Fraction(str(self.group_share)) * epsilon) if self.groups is not None else 0
        if not triangles or (self.groups is not None and not groups):
            raise CallError(f"{parameter('epsilon', decimal(epsilon))}: too small to be divided among the steps of graph-bter.")
        return epsilon - triangles - groups, triangles, groups

    def _member(self, domain: Domain) -> NDArray[np.int64]:
        """The group of every vertex, from the public file."""
        assert self.groups is not None
        member = np.asarray(Granularities.from_file(self.groups, domain).member[0], np.int64)
        if member.max(initial=0) >= MOST_GROUPS:
            raise unfit(f"it has more than {MOST_GROUPS:,} groups: give fewer, larger ones.", groups=self.groups)
        return member


def least_noise(vertices: int, scale: float) -> float:
    """The standard deviation of the noise on the number of triangles, at least, on almost any graph; `scale` is in rungs.

    Two edges give a pair of vertices one more common neighbour, so rung j is j/2 wide or wider, up to n − 2. A rung is then drawn
    with weight j·e^(−j/scale) and lies j²/4 away, so the mean square is 120·scale⁴/16. How wide the first rungs are depends on
    the graph, and is not known here.

    >>> round(least_noise(1000, 10.0)), round(least_noise(4, 10.0))
    (274, 28)
    """
    return min(math.sqrt(7.5) * scale**2, math.sqrt(2) * scale * max(vertices - 2, 0))
