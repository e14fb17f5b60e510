"""GraphTable: the edges of a simple undirected graph over declared vertices. Raw: it never crosses the wall."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.flat import codes
from seqveil.tables.spelling import spelling


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GraphTable:
    """Edge k joins vertices `low[k]` < `high[k]`, codes of the domain; edges are sorted and none is repeated.

    The vertices and their order are the domain and public. Its repr says nothing that depends on the data.

    >>> table = GraphTable.of(Domain.of(["a", "b", "c"]), np.array([2, 0, 1, -1]), np.array([0, 2, 1, 0]))
    >>> table, table.low.tolist(), table.high.tolist()
    (GraphTable(vertices=3), [0], [2])
    """

    kind: ClassVar[str] = "graph"
    engine: ClassVar[str] = "local"

    domain: Domain
    low: NDArray[np.int32]
    high: NDArray[np.int32]

    def __post_init__(self) -> None:
        # An edge that stood here twice would be counted twice, and one outside would send kernels out of bounds.
        if not codes(self.low) or not codes(self.high) or len(self.low) != len(self.high):
            raise CallError(
                "the ends of edges must be two NumPy arrays of whole numbers, equally long: make tables with graph_of."
            )
        low, high = self.low.astype(np.int64, copy=False), self.high.astype(np.int64, copy=False)
        if (low < 0).any() or (low >= high).any() or (high >= len(self.domain)).any():
            raise CallError("an edge must join vertices low < high of the domain: make tables with graph_of.")
        if (np.diff(low * len(self.domain) + high) <= 0).any():
            raise CallError("edges must be sorted, and none repeated: make tables with graph_of.")

    @classmethod
    def of(cls, domain: Domain, ends: NDArray[np.integer], others: NDArray[np.integer]) -> GraphTable:
        """From the two ends of each edge; loops, repeats and edges to vertices outside (-1) are dropped silently."""
        first, second = np.asarray(ends, np.int64), np.asarray(others, np.int64)
        low, high = np.minimum(first, second), np.maximum(first, second)
        inside = (low >= 0) & (low < high)
        pairs = np.unique(low[inside] * len(domain) + high[inside])
        return cls(domain, (pairs // len(domain)).astype(np.int32), (pairs % len(domain)).astype(np.int32))

    def __len__(self) -> int:
        return len(self.low)

    @property
    def owners(self) -> None:
        """Every edge stands for itself."""
        return

    @property
    def degrees(self) -> NDArray[np.int64]:
        """How many edges each vertex has."""
        n = len(self.domain)
        return np.asarray(np.bincount(self.low, minlength=n) + np.bincount(self.high, minlength=n), np.int64)

    def take(self, rows: NDArray[np.integer]) -> GraphTable:
        """The chosen edges."""
        kept = np.sort(np.flatnonzero(rows) if rows.dtype == np.bool_ else rows)
        return GraphTable(self.domain, self.low[kept], self.high[kept])

    def bounded(self, m: int, key: NDArray[np.uint64]) -> GraphTable:
        """Edges have no users, so there is no contribution to bound."""
        raise CallError(f"the edges of a graph have no users: protect edges with {parameter('unit', 'edge')} instead.")

    def __repr__(self) -> str:
        return f"GraphTable(vertices={len(self.domain):,})"


def ask_for_order(order_is_public: bool) -> None:
    """Refuse a graph whose data holder has not stated that the order of its vertices is public.

    Regions are runs of neighbouring vertices, so an order by degree or by community would reveal edges.
    """
    if order_is_public is not True:
        raise CallError(
            "a release makes the order of the vertices public, and an order by degree or by community reveals edges: if yours "
            "was chosen without looking at the edges (by name, by number, at random), add "
            f"{parameter('order_is_public', 'True')}; otherwise shuffle the domain first."
        )


def graph_of(edges: Iterable[tuple[Any, Any]], domain: Domain, *, order_is_public: bool = False) -> GraphTable:
    """A table from pairs of labels, for examples and small data; edges outside the domain are dropped.

    >>> streets = graph_of([("a", "b"), ("b", "a"), ("a", "?")], Domain.of(["a", "b"]), order_is_public=True)
    >>> streets.low.tolist(), streets.high.tolist()
    ([0], [1])
    >>> graph_of([], Domain.of(["a", "b"]))
    Traceback (most recent call last):
    seqveil.errors.CallError: a release makes the order of the vertices public, ...
    """
    ask_for_order(order_is_public)
    pairs = [(spelling(a), spelling(b)) for a, b in edges]
    return GraphTable.of(domain, domain.encode([a for a, _ in pairs]), domain.encode([b for _, b in pairs]))
