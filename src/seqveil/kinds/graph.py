"""Graphs: edges between public vertices in a public order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from seqveil.kinds.kind import Kind
from seqveil.kinds.world import BECAUSE, Content, Odd
from seqveil.tables.domain import Domain
from seqveil.tables.units import Edge, Unit

KIND = Kind(
    name="graph",
    noun="a graph",
    table="seqveil.tables.graphs:GraphTable",
    readers={"inspect": "seqveil.sources.graphs:inspect_graph", "read": "seqveil.sources.graphs:read_graph"},
    units=("seqveil.tables.units:Edge",),
    contents=("graph",),
    evaluator="seqveil.evaluate.kinds.graphs:GraphEvaluator",
    views={"check": "seqveil.cli.graphs:check_graph_file"},
    world="seqveil.kinds.graph:GraphWorld",
    unreleased={"order_is_public": True},
)

VERTICES = 7
"""The vertices of a made-up graph."""

_REHEARSED = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (0, 7), (1, 5)]


class GraphWorld:
    """A few edges between a few vertices."""

    @property
    def domain(self) -> Domain:
        return Domain.range(1, VERTICES, public_because=BECAUSE)

    def units(self) -> list[Unit]:
        return [Edge(1), Edge(2)]

    def table(self, people: Sequence[Content], unit: Unit, domain: Domain | None = None) -> Any:
        from seqveil.tables.graphs import GraphTable

        ends = np.array([edge for edges in people for edge in edges], np.int64).reshape(-1, 2)
        return GraphTable.of(domain or self.domain, ends[:, 0], ends[:, 1])

    def rehearsal(self, domain: Domain, users: bool) -> Any:
        """A graph has no users."""
        return self.table([(edge,) for edge in _REHEARSED if max(edge) < len(domain)], Edge(), domain)

    def bases(self) -> list[list[Content]]:
        some: list[Content] = [((0, 1),), ((0, 2),), ((1, 2),), ((3, 5),), ((2, 6),)]
        return [[], some, [((a, b),) for a, b in combinations(range(5), 2) if (a, b) != (3, 4)]]

    def odd(self) -> dict[str, Odd]:
        two = Domain.range(1, 2, public_because=BECAUSE)
        return {
            "no edges": Odd([], self.domain),
            "every edge": Odd([(pair,) for pair in combinations(range(VERTICES), 2)], self.domain),
            "one vertex": Odd([], Domain.range(1, 1, public_because=BECAUSE)),
            "two vertices": Odd([((0, 1),)], two),
            "many vertices, one edge": Odd([((0, 1_999),)], Domain.range(1, 2_000, public_because=BECAUSE)),
        }

    def worst(self, unit: Unit) -> list[Content]:
        k = unit.sequences
        return [((5, 6), (4, 5))[:k], ((0, 6), (1, 6))[:k], ((3, 4), (5, 6))[:k]]

    def every(self) -> Iterator[Content]:
        yield from ((pair,) for pair in combinations(range(VERTICES), 2))

    def changed(self, content: Content, random: np.random.Generator) -> Content:
        edges = list(content)
        a, b = sorted(random.choice(VERTICES, 2, replace=False).tolist())
        edges[int(random.integers(len(edges)))] = (a, b)
        return tuple(dict.fromkeys(edges))

    def write(self, people: Sequence[Content], path: Path) -> list[str]:
        lines = [f"{a + 1},{b + 1}" for edges in people for a, b in edges]
        path.write_text("\n".join(["from,to", *lines]) + "\n", encoding="utf-8")
        return ["--format", "csv", "--domain", f"1..{VERTICES}", "--order-is-public"]
