"""GraphRelease: a synthetic graph, and the noisy numbers that it was made from."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, ReleaseDamaged
from seqveil.extras import need
from seqveil.release.answers import CutAnswer
from seqveil.release.capabilities import Countable, Degrees, Form, Pictured, Synthetic
from seqveil.release.graphs.cuts import EDGES, cut_from_map, edges_in, edges_of_cut, pairs_of_cut
from seqveil.release.graphs.degrees import DegreeTable, at_least_from_edges
from seqveil.release.graphs.edges import EdgeList
from seqveil.release.graphs.picture import as_svg, as_text
from seqveil.release.graphs.regions import COLUMNS, RegionTable
from seqveil.release.labels import codes_of
from seqveil.release.limits import LEAST_SCALE, MOST_COUNT, MOST_SCALE, refuse_odd_noise
from seqveil.release.lines import lines_to, saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Flag, Maybe, Number, Prose, Whole
from seqveil.tables.flat import Flat
from seqveil.tables.triangle import root
from seqveil.tables.wedges import count_triangles

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

BAR = "|"
"""Between the two sides of a cut, as people type it."""


class GraphRelease(Release, Countable, Synthetic, Degrees, Pictured):
    """A simple undirected graph over the domain, with the noisy numbers behind it: a density map, degrees, triangles.

    >>> from seqveil.tables.domain import Domain
    >>> whole = RegionTable(np.array([[0, 2, 1, 3]]), np.array([2]), np.array([2]), np.array([0.3]))
    >>> streets = GraphRelease(Domain.of(["a", "b", "c"]), low=np.array([0, 1]), high=np.array([1, 2]), regions=whole)
    >>> streets.count(["a", "|", "b", "c"])
    CutAnswer(value=1, low=0, high=2, likely=0..2)
    >>> list(streets.synthesize())
    [['a', 'b'], ['b', 'c']]
    """

    content: ClassVar[str] = "graph"
    description: ClassVar[str] = "a synthetic graph and the noisy numbers it was made from"
    form: ClassVar[Form] = "edges"

    def __init__(
        self,
        domain: Domain,
        *,
        low: NDArray[np.integer],
        high: NDArray[np.integer],
        regions: RegionTable | None = None,
        degrees: DegreeTable | None = None,
        triangles: int | None = None,
    ) -> None:
        super().__init__(domain)
        order = np.lexsort((high, low))
        self.low, self.high = np.asarray(low, np.int32)[order], np.asarray(high, np.int32)[order]
        if len(self.low) and not (self.low.min() >= 0 and (self.low < self.high).all() and self.high.max() < len(domain)):
            raise ReleaseDamaged("The edges do not join two different vertices of the domain. Copy the release again.")
        if regions is not None:
            regions.check(len(domain))
        if degrees is not None and len(degrees.noisy) != len(domain):
            raise ReleaseDamaged("There is not one degree for every vertex. Copy the release again.")
        self.regions, self.noisy_degrees, self.noisy_triangles = regions, degrees, triangles

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """The number of edges of every vertex of the synthetic graph."""
        n = len(self.domain)
        return np.asarray(np.bincount(self.low, minlength=n) + np.bincount(self.high, minlength=n), np.int64)

    @property
    def about(self) -> str:
        """What is counted."""
        return EDGES

    @property
    def synthetic(self) -> Flat:
        """The edges of the synthetic graph, as pairs of codes."""
        return self.synthesize().flat

    def count(self, query: Sequence[str]) -> CutAnswer:
        """Edges between two sets of vertices, written with `|` between them; an empty side means all other vertices.

        Without `|`, the edges inside one set.
        """
        in_s, in_t = self._sides(query)
        return self.cut(in_s, in_t)

    def cut(self, in_s: NDArray[np.bool_], in_t: NDArray[np.bool_]) -> CutAnswer:
        """Edges with one end in S and the other in T, given as one flag per vertex."""
        if self.regions is not None:
            return cut_from_map(self.regions, in_s, in_t)
        pairs = int(pairs_of_cut(root(len(self.domain))[None], in_s, in_t)[0]) if len(self.domain) > 1 else 0
        return CutAnswer(float(edges_of_cut(self.low, self.high, in_s, in_t)), 0, pairs, "cut", EDGES)

    def at_least(self, d: int) -> CutAnswer:
        """How many vertices have d edges or more."""
        if self.noisy_degrees is not None:
            return self.noisy_degrees.at_least(d)
        pairs = len(self.domain) * (len(self.domain) - 1) // 2
        return at_least_from_edges(self.degrees, d, pairs if self.regions is None else min(pairs, edges_in(self.regions)[1]))

    def synthesize(self, n: int | None = None, seed: int | None = None) -> EdgeList:
        """The published graph."""
        if n is not None:
            raise CallError("a graph is published once and as a whole: leave out the number of records.")
        return EdgeList(self.domain, self.low, self.high)

    def to_networkx(self) -> Any:
        """The synthetic graph as a networkx.Graph whose nodes are the labels; vertices without an edge are there, too.

        >>> from seqveil.tables.domain import Domain
        >>> streets = GraphRelease(Domain.of(["a", "b", "c"]), low=np.array([0]), high=np.array([1]))
        >>> sorted(streets.to_networkx().edges), len(streets.to_networkx())
        ([('a', 'b')], 3)
        """
        need("networkx graphs")
        import networkx as nx

        labels = self.domain.labels(range(len(self.domain)))
        graph = nx.Graph()
        graph.add_nodes_from(labels)
        graph.add_edges_from((labels[a], labels[b]) for a, b in zip(self.low.tolist(), self.high.tolist(), strict=True))
        return graph

    def to_scipy(self) -> Any:
        """The adjacency matrix of the synthetic graph, symmetric and sparse (CSR); row i is the i-th label of the domain.

        >>> from seqveil.tables.domain import Domain
        >>> streets = GraphRelease(Domain.of(["a", "b", "c"]), low=np.array([0]), high=np.array([1]))
        >>> streets.to_scipy().toarray().tolist()
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
        """
        from scipy.sparse import csr_array

        ends = (np.concatenate([self.low, self.high]), np.concatenate([self.high, self.low]))
        return csr_array((np.ones(2 * len(self.low), np.int8), ends), shape=(len(self.domain), len(self.domain)))

    def _sides(self, query: Sequence[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if isinstance(query, str) or not query or list(query).count(BAR) > 1 or list(query) == [BAR]:
            raise CallError(f"{query!r} is not a cut: give labels with one | between the two sides, for example 'A B | C D'.")
        words = list(query)
        at = words.index(BAR) if BAR in words else None
        first = self._flags(words if at is None else words[:at])
        second = first if at is None else self._flags(words[at + 1 :])
        if at is not None and not first.any():
            first = ~second
        return first, ~first if not second.any() else second

    def _flags(self, labels: Sequence[str]) -> NDArray[np.bool_]:
        flags = np.zeros(len(self.domain), np.bool_)
        flags[codes_of(labels, self.domain)] = True
        return flags

    def picture(self) -> list[str]:
        """The size of the graph and, where there is one, its density map."""
        lines = [f"Synthetic graph: {len(self.domain):,} vertices, {len(self.low):,} edges."]
        if self.noisy_triangles is not None:
            triangles = count_triangles(self.low, self.high, len(self.domain))
            lines.append(f"Triangles: {triangles:,}; the noisy number of the raw graph is {self.noisy_triangles:,}.")
        if self.regions is None:
            return lines
        about = "vertices run down and to the right, darker is denser (logarithmic)"
        return [*lines, f"Density map: {len(self.regions):,} regions; {about}.", *as_text(self.regions, len(self.domain))]

    def drawing(self) -> str | None:
        """The density map as SVG; None where the method measured none."""
        return None if self.regions is None else as_svg(self.regions, len(self.domain))

    def sizes(self) -> dict[str, int]:
        return {"synthetic edges": len(self.low)}

    def facts(self) -> dict[str, Any]:
        noisy = self.noisy_degrees
        degrees = None if noisy is None else {"scale": noisy.scale, "ascending": noisy.ascending}
        facts = {"order": "the holder states that the order of the vertices is public", "degrees": degrees}
        return facts if self.noisy_triangles is None else {**facts, "triangles": self.noisy_triangles}

    def tables(self) -> dict[str, pa.Table]:
        tables = {} if self.regions is None else {"regions": self.regions.to_columns()}
        return tables if self.noisy_degrees is None else {**tables, "degrees": self.noisy_degrees.to_columns()}

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 6, mtime=0)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        law = facts["degrees"]
        ends = saved_lines(saved)
        if (ends.lengths != 2).any():
            raise ReleaseDamaged("A line of the synthetic graph is not a pair of vertices. Copy the release again.")
        pairs = ends.items.reshape(-1, 2)
        degrees = None
        if law is not None:
            noisy = np.asarray(saved.table("degrees", {"noisy": "whole"})["noisy"], np.int64)
            refuse_odd_noise(noisy, np.array([float(law["scale"])]))
            degrees = DegreeTable(noisy, float(law["scale"]), law["ascending"])
        return cls(
            saved.domain,
            low=pairs[:, 0],
            high=pairs[:, 1],
            regions=RegionTable.from_columns(saved.table("regions", COLUMNS)) if saved.holds("regions.parquet") else None,
            degrees=degrees,
            triangles=facts.get("triangles"),
        )


_DEGREES = Fields({"scale": Number(LEAST_SCALE, MOST_SCALE), "ascending": Flag()})
_FACTS = Fields(
    {"order": Prose(1000), "degrees": Maybe(_DEGREES), "triangles": Whole(0, MOST_COUNT)}, optional=frozenset({"triangles"})
)
