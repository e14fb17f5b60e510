"""LocationGraph: places, the cost of getting between them, and what each of them offers [Bonomi thesis, Def. 6.1]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.fenced.routes.categories import wantable

_SHOWN = 5
"""How many offending edges an error lists."""


class LocationGraph:
    """A directed graph with costs ≥ 0 and any number of categories per node. Nodes are named by text.

    >>> town = LocationGraph.of([("a", "b", 2), ("b", "c", 3)], {"b": ["museum", "café"]}, directed=False)
    >>> town
    LocationGraph(3 nodes, 4 edges, 2 categories on 1 place)
    >>> town.offers("b")
    ['café', 'museum']
    """

    def __init__(
        self,
        ids: Sequence[str],
        edges: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]],
        offers: tuple[NDArray[np.int64], NDArray[np.int64]],
        categories: Sequence[str],
        coordinates: NDArray[np.float64] | None = None,
        source: str = "graph",
    ) -> None:
        tails, heads, costs = edges
        self.ids = list(ids)
        _check(self.ids, tails, heads, costs, source)
        self.categories = list(categories)
        self.coordinates = coordinates
        self.indptr, self.indices, self.costs = compressed(len(self.ids), tails, heads, costs)
        pairs = np.unique(np.stack(offers), axis=1) if len(offers[0]) else np.zeros((2, 0), np.int64)
        self.place, self.offer = pairs
        """Parallel arrays: node `place[j]` offers category `offer[j]`."""

    @classmethod
    def of(
        cls,
        edges: Iterable[tuple[Any, Any, float]],
        categories: Mapping[Any, Iterable[str] | str],
        coordinates: Mapping[Any, tuple[float, float]] | None = None,
        directed: bool = True,
    ) -> LocationGraph:
        """From edges (from, to, cost), {node: its categories} and {node: (longitude, latitude)}."""
        listed = [(str(u), str(v), float(cost)) for u, v, cost in edges]
        offered = {str(node): [some] if isinstance(some, str) else list(some) for node, some in categories.items()}
        code: dict[str, int] = {}
        for name in [*(name for u, v, _ in listed for name in (u, v)), *offered]:
            code.setdefault(name, len(code))
        names = sorted({category for some in offered.values() for category in some})
        rank = {name: at for at, name in enumerate(names)}
        ends = np.array([(code[u], code[v]) for u, v, _ in listed], np.int64).reshape(-1, 2).T
        costs = np.array([cost for *_, cost in listed], float)
        tails, heads = ends
        if not directed:
            tails, heads, costs = np.r_[ends[0], ends[1]], np.r_[ends[1], ends[0]], np.r_[costs, costs]
        pairs = np.array([(code[n], rank[c]) for n, some in offered.items() for c in some], np.int64).reshape(-1, 2).T
        where = None
        if coordinates is not None:
            place = {str(node): xy for node, xy in coordinates.items()}
            missing = [name for name in code if name not in place]
            if missing:
                raise InputProblems("coordinates", [f"no coordinates for node {name!r}" for name in missing])
            where = np.array([place[name] for name in code], float)
        return cls(list(code), (tails, heads, costs), (pairs[0], pairs[1]), names, where)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        places = len(np.unique(self.place))
        kinds = f"{len(self.categories):,} {'category' if len(self.categories) == 1 else 'categories'}"
        return f"LocationGraph({len(self):,} nodes, {len(self.costs):,} edges, {kinds} on {places:,} place{'s' * (places != 1)})"

    @cached_property
    def codes(self) -> dict[str, int]:
        """Node name to position."""
        return {name: at for at, name in enumerate(self.ids)}

    def offers(self, node: str) -> list[str]:
        """The categories of a node."""
        return [self.categories[c] for c in self.offer[self.place == self.codes[node]]]

    @cached_property
    def wantable(self) -> list[str]:
        """What users may ask for: the categories, and what lies above them."""
        return wantable(self.categories)

    def named(self, paths: Mapping[str, str]) -> LocationGraph:
        """The same graph with its categories as paths of a tree; a category without a path keeps its name.

        >>> town = LocationGraph.of([("a", "b", 1)], {"a": "12", "b": ["12", "40"]})
        >>> town.named({"12": "food/pizza", "40": "sights/museum"}).wantable
        ['food/pizza', 'sights/museum', 'food', 'sights']
        """
        unknown = [f"no node offers {name!r}: leave it out" for name in paths if name not in self.categories]
        broken = [f"{path!r} has an empty part: write it as food/pizza" for path in paths.values() if "" in path.split("/")]
        if unknown or broken:
            raise InputProblems("categories", [*unknown, *broken])
        renamed = [paths.get(name, name) for name in self.categories]
        names = list(dict.fromkeys(renamed))
        offer = np.array([names.index(name) for name in renamed], np.int64)[self.offer]
        tails = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return LocationGraph(self.ids, (tails, self.indices, self.costs), (self.place, offer), names, self.coordinates)

    def where(self, nodes: Iterable[str]) -> dict[str, tuple[float, float]] | None:
        """The coordinates of some nodes, if there are any."""
        if self.coordinates is None:
            return None
        return {node: tuple(self.coordinates[self.codes[node]].tolist()) for node in nodes}

    def cost(self, path: Sequence[int]) -> float:
        """What a path along edges costs."""
        total = 0.0
        for u, v in pairwise(path):
            begin, end = self.indptr[u], self.indptr[u + 1]
            total += float(self.costs[begin + np.searchsorted(self.indices[begin:end], v)])
        return total

    def shortest(
        self, sources: Sequence[int], reverse: bool = False, limit: float = np.inf
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Distances up to `limit` from each source (or to it, with `reverse`) and the neighbours that lie on the way back."""
        from scipy.sparse.csgraph import dijkstra

        matrix = self._reversed if reverse else self._matrix
        return dijkstra(matrix, indices=list(sources), return_predecessors=True, limit=limit)  # type: ignore[no-any-return]

    @cached_property
    def _matrix(self) -> Any:
        from scipy.sparse import csr_matrix

        # Costs of 0 stay explicit entries, which scipy's graph routines read as edges that cost nothing.
        return csr_matrix((self.costs, self.indices, self.indptr), shape=(len(self), len(self)))

    @cached_property
    def _reversed(self) -> Any:
        return self._matrix.T.tocsr()


def compressed(
    n: int, tails: NDArray[np.int64], heads: NDArray[np.int64], costs: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Edges grouped by tail; of parallel edges the cheapest stays, loops go.

    >>> [part.tolist() for part in compressed(2, np.array([0, 0, 1]), np.array([1, 1, 1]), np.array([5.0, 4.0, 1.0]))]
    [[0, 1, 1], [1], [4.0]]
    """
    order = np.lexsort((costs, heads, tails))
    tails, heads, costs = tails[order], heads[order], costs[order]
    kept = tails != heads
    kept[1:] &= (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(tails[kept], minlength=n), out=indptr[1:])
    return indptr, heads[kept].astype(np.int64), costs[kept].astype(float)


def _check(ids: list[str], tails: NDArray[np.int64], heads: NDArray[np.int64], costs: NDArray[np.float64], source: str) -> None:
    """Refuse what no shortest path can be defined on."""
    if len(set(ids)) < len(ids):
        raise InputProblems(source, ["two nodes have the same name: give each node its own"])
    wrong = np.flatnonzero(~((costs >= 0) & (costs < np.inf)))
    if len(wrong):
        shown = [
            f"the edge from {ids[tails[j]]} to {ids[heads[j]]} costs {costs[j]:g}: a cost must be a number of at least 0"
            for j in wrong[:_SHOWN]
        ]
        raise InputProblems(source, shown, unlisted=len(wrong) - len(shown))
