"""The fifteen queries of a public benchmark of private graphs [Liu 2024]. INTERNAL: reads raw data.

Q1 vertices, Q2 edges, Q3 triangles, Q4 mean degree, Q5 variance of degrees, Q6 distribution of degrees, Q7 diameter, Q8 mean
distance, Q9 distribution of distances, Q10 global and Q11 mean clustering, Q12 communities, Q13 modularity, Q14 assortativity
of degrees, Q15 eigenvector centrality. Errors as there: relative for numbers, KL divergence for Q6 and Q9, mean absolute error
of the largest hundredth of the values for Q15. For Q12 the benchmark gives the normalised mutual information of the communities
of both graphs, of which more is better; we give 1 minus it, so that 0 is best everywhere.

What differs: distances are from 256 seeded sources, not from all vertices, and between vertices that a path joins; the diameter
is the longest of them, and of those from the vertex that is furthest from each of the first eight. Q1 counts vertices that have
an edge: the list of vertices is public here, and would always be right. A frequency of 0 counts as 10⁻⁶ in a divergence.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.evaluate.communities import agreement, communities, modularity
from seqveil.evaluate.graphs import LEAST_FREQUENCY, Graph
from seqveil.tables.wedges import neighbours, triangles_at

SOURCES = 256
"""From so many vertices distances are measured."""

SWEEPS = 8
"""Of these, from so many the vertex that is furthest is a source as well."""


@njit(cache=True)
def _distances(start, neighbour, sources, histogram):  # type: ignore[no-untyped-def]
    """Adds the distances from some sources to a histogram; returns the vertex that is furthest from each."""
    n = len(start) - 1
    far = np.empty(len(sources), np.int64)
    queue = np.empty(n, np.int64)
    for k in range(len(sources)):
        distance = np.full(n, -1, np.int64)
        distance[sources[k]] = 0
        queue[0] = sources[k]
        head, tail = 0, 1
        while head < tail:
            v = queue[head]
            head += 1
            for p in range(start[v], start[v + 1]):
                w = neighbour[p]
                if distance[w] < 0:
                    distance[w] = distance[v] + 1
                    histogram[distance[w]] += 1
                    queue[tail] = w
                    tail += 1
        far[k] = queue[tail - 1]
    return far


class Answers:
    """The answers of one graph, each computed once."""

    def __init__(self, graph: Graph, seed: int = 0) -> None:
        self.graph, self._seed = graph, seed
        self.degrees = graph.degrees
        self._start, self._neighbour = neighbours(graph.n, graph.low, graph.high)

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """At every vertex, by falling degree."""
        return np.asarray(triangles_at(self._start, self._neighbour))

    @cached_property
    def distances(self) -> tuple[NDArray[np.int64], int]:
        """How many pairs of a source and a vertex are how far apart, and the diameter as far as it was seen."""
        n = self.graph.n
        histogram, again = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
        joined = np.flatnonzero(np.diff(self._start))
        if not len(joined):
            return histogram, 0
        sources = np.random.default_rng(self._seed).permutation(joined)[:SOURCES]
        far = _distances(self._start, self._neighbour, sources, histogram)
        _distances(self._start, self._neighbour, far[:SWEEPS], again)
        return histogram, int(max(np.flatnonzero(histogram)[-1], np.flatnonzero(again)[-1]))

    @cached_property
    def communities(self) -> NDArray[np.int64]:
        return communities(self.graph.matrix, self._seed)

    @cached_property
    def centrality(self) -> NDArray[np.float64]:
        """The largest eigenvector of the adjacency matrix, of length 1, in falling order; by power iteration."""
        matrix, values = self.graph.matrix, np.full(self.graph.n, self.graph.n**-0.5)
        for _ in range(300):
            # One half of the vector itself is added, so that bipartite graphs do not swing.
            grown = matrix @ values + 0.5 * values
            grown /= max(float(np.linalg.norm(grown)), 1e-300)
            if np.abs(grown - values).max() < 1e-9:
                break
            values = grown
        return np.sort(values)[::-1]

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The answers that are one number."""
        degree = np.diff(self._start)
        wedges = degree * (degree - 1)
        histogram, diameter = self.distances
        low, high = self.graph.low, self.graph.high
        return {
            "vertices with an edge": float(np.count_nonzero(degree)),
            "edges": float(len(low)),
            "triangles": float(self.triangles.sum() // 3),
            "mean degree": float(degree.mean()) if len(degree) else 0.0,
            "variance of degrees": float(degree.var(ddof=1)) if len(degree) > 1 else 0.0,
            "diameter": float(diameter),
            "mean distance": float((histogram * np.arange(len(histogram))).sum() / max(histogram.sum(), 1)),
            "global clustering": 2 * float(self.triangles.sum()) / max(float(wedges.sum()), 1.0),
            "mean clustering": float((2 * self.triangles / np.maximum(wedges, 1)).mean()) if len(degree) else 0.0,
            "modularity": modularity(low, high, self.communities),
            "assortativity": _assortativity(self.degrees[low], self.degrees[high]),
        }


def _assortativity(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """The correlation of the degrees at the two ends of an edge; 0 where all are equal."""
    first, second = np.concatenate([one, other]), np.concatenate([other, one])
    return float(np.corrcoef(first, second)[0, 1]) if len(first) and first.std() > 0 else 0.0


def divergence(real: NDArray[np.int64], drawn: NDArray[np.int64]) -> float:
    """KL divergence of two histograms, in nats."""
    size = max(len(real), len(drawn))
    f, g = (np.pad(h, (0, size - len(h))) / max(int(h.sum()), 1) for h in (real, drawn))
    some = f > 0
    return max(0.0, float((f[some] * np.log(f[some] / np.maximum(g[some], LEAST_FREQUENCY))).sum()))


def errors(real: Answers, drawn: Answers) -> dict[str, float]:
    """The fifteen errors, in the order of the benchmark; 0 is best.

    >>> ring = Answers(Graph(4, np.array([0, 1, 2, 0], np.int32), np.array([1, 2, 3, 3], np.int32)))
    >>> sum(errors(ring, ring).values()), len(errors(ring, ring))
    (0.0, 15)
    """
    off = {name: abs(drawn.numbers[name] - value) / (abs(value) or 1.0) for name, value in real.numbers.items()}
    top = max(1, real.graph.n // 100)
    off["distribution of degrees"] = divergence(np.bincount(real.degrees), np.bincount(drawn.degrees))
    off["distribution of distances"] = divergence(real.distances[0], drawn.distances[0])
    off["communities"] = 1 - agreement(real.communities, drawn.communities)
    off["eigenvector centrality"] = float(np.abs(real.centrality[:top] - drawn.centrality[:top]).mean())
    return {name: off[name] for name in ORDER}


ORDER = (
    "vertices with an edge",
    "edges",
    "triangles",
    "mean degree",
    "variance of degrees",
    "distribution of degrees",
    "diameter",
    "mean distance",
    "distribution of distances",
    "global clustering",
    "mean clustering",
    "communities",
    "modularity",
    "assortativity",
    "eigenvector centrality",
)
"""Q1 to Q15."""
