"""How close a synthetic graph is to the raw one. INTERNAL: reads raw data.

Cut queries and degrees as in [Chen thesis, §7.5], and what graph people look at today: clustering, path lengths, the largest
component, the spectral gap.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

SMALL = (3, 5, 20, 100, 200, 500)
"""Maximal query sizes of [Chen thesis, Fig. 7.3]."""

LARGE = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Maximal query sizes of [Chen thesis, Table 7.2], as shares of the vertices."""

SANITY = 0.001
"""The sanity bound s, as a share of the number of edges."""

LEAST_FREQUENCY = 1e-6
"""What a degree that never occurs counts as in a divergence."""

MOST_WEDGES = 400_000_000
"""Clustering is skipped beyond this many pairs of neighbours."""


class Graph(NamedTuple):
    """A simple undirected graph: edges low < high over vertices 0..n-1."""

    n: int
    low: NDArray[np.int32]
    high: NDArray[np.int32]

    @classmethod
    def of(cls, source: Any) -> Graph:
        """From a GraphTable or a GraphRelease."""
        return cls(len(source.domain), source.low, source.high)

    @property
    def degrees(self) -> NDArray[np.int64]:
        return np.asarray(np.bincount(self.low, minlength=self.n) + np.bincount(self.high, minlength=self.n), np.int64)

    @property
    def matrix(self) -> Any:
        """The symmetric adjacency matrix, sparse."""
        from scipy.sparse import coo_array

        ends = np.concatenate([self.low, self.high]), np.concatenate([self.high, self.low])
        return coo_array((np.ones(2 * len(self.low)), ends), shape=(self.n, self.n)).tocsr()


@njit(cache=True)
def _draw(largest, n, runs, vertex, bit, in_s, in_t):  # type: ignore[no-untyped-def]
    """One cut query, marked by a bit: a size uniform in 1..largest, that many distinct vertices, each in S or T by a coin.

    With `runs`, S and T are two runs of neighbours in the order of the vertices instead; where they meet, S keeps them.
    """
    size = np.random.randint(1, largest + 1)
    if runs:
        half = (size + 1) // 2
        first, second = np.random.randint(0, n - half + 1), np.random.randint(0, n - half + 1)
        for v in range(first, first + half):
            in_s[v] |= bit
        for v in range(second, second + half):
            in_t[v] |= bit & ~in_s[v]
        return
    for k in range(size):
        other = np.random.randint(k, n)
        vertex[k], vertex[other] = vertex[other], vertex[k]
        if np.random.randint(0, 2):
            in_s[vertex[k]] |= bit
        else:
            in_t[vertex[k]] |= bit


@njit(cache=True)
def _cut_counts(seed, n, largest, number, low, high, runs):  # type: ignore[no-untyped-def]
    """Answers to cut queries, 64 at a time: a vertex has one bit per query, and so has a digit of the counters."""
    np.random.seed(seed)
    vertex = np.arange(n)
    counts = np.zeros(number, np.int64)
    in_s, in_t = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    digits = np.zeros(40, np.uint64)
    for start in range(0, number, 64):
        in_s[:], in_t[:], digits[:] = 0, 0, 0
        lanes = min(64, number - start)
        for q in range(lanes):
            _draw(largest, n, runs, vertex, np.uint64(1) << np.uint64(q), in_s, in_t)
        for e in range(len(low)):
            carry = (in_s[low[e]] & in_t[high[e]]) | (in_t[low[e]] & in_s[high[e]])
            place = 0
            while carry:
                # Invariant: digit `place` and the carry are to be added in every lane.
                both = digits[place] & carry
                digits[place] ^= carry
                carry = both
                place += 1
        for q in range(lanes):
            for place in range(40):
                counts[start + q] += np.int64((digits[place] >> np.uint64(q)) & np.uint64(1)) << place
    return counts


def cut_counts(graph: Graph, largest: int, number: int = 20_000, seed: int = 0, runs: bool = False) -> NDArray[np.int64]:
    """Answers to random cut queries; the same seed asks the same queries of every graph with these vertices.

    `runs` asks about runs of vertices that stand together in the public order, such as two districts.

    >>> ring = Graph(4, np.array([0, 1, 2, 0], np.int32), np.array([1, 2, 3, 3], np.int32))
    >>> counts = cut_counts(ring, 4, number=1000)
    >>> int(counts.min()), int(counts.max())
    (0, 4)
    """
    largest = max(1, min(largest, graph.n))
    return np.asarray(_cut_counts(seed, graph.n, largest, number, graph.low, graph.high, runs))


def cut_errors(
    real: Graph, synthetic: Graph, sizes: Iterable[int], number: int = 20_000, seed: int = 0, runs: bool = False
) -> dict[int, float]:
    """Mean relative error |Q̃ − Q| / max(Q, s), s = 0.1 % of |E|, by maximal query size."""
    out = {}
    for largest in sizes:
        truth, answer = (cut_counts(graph, largest, number, seed, runs) for graph in (real, synthetic))
        out[largest] = relative_error(truth, answer, len(real.low))
    return out


def relative_error(truth: NDArray[np.int64], answer: NDArray[np.int64], edges: int) -> float:
    """The mean of |Q̃ − Q| / max(Q, s)."""
    return float((np.abs(answer - truth) / np.maximum(truth, max(SANITY * edges, 1e-12))).mean())


def size_classes(n: int) -> list[int]:
    """The 11 maximal query sizes of [Chen thesis, §7.5.1] for n vertices."""
    return [*SMALL, *(max(1, round(share * n)) for share in LARGE)]


def degree_divergence(real: NDArray[np.int64], synthetic: NDArray[np.int64]) -> float:
    """KL divergence of the degree frequencies [Chen thesis, Eq. 7.1], in nats.

    The printed formula is infinite as soon as one degree of the raw graph never occurs in the synthetic one, which is
    nearly always; frequencies of the synthetic graph are therefore taken as at least 10⁻⁶.

    >>> round(degree_divergence(np.array([1, 1, 2]), np.array([1, 1, 2])), 2)
    0.0
    """
    n = len(real)
    f, g = (np.bincount(np.minimum(d, n - 1), minlength=n) / n for d in (real, synthetic))
    g, some = np.maximum(g, LEAST_FREQUENCY), f > 0
    return max(0.0, float((f[some] * np.log(f[some] / g[some])).sum())) if n > 1 else 0.0


def structure(graph: Graph, sources: int = 64, seed: int = 0) -> dict[str, float]:
    """Clustering (transitivity), mean distance and largest component (as a share), spectral gap of that component."""
    from scipy.sparse.csgraph import connected_components, shortest_path

    matrix = graph.matrix
    if not len(graph.low):
        return {"clustering": 0.0, "distance": 0.0, "largest": 1 / max(graph.n, 1), "gap": 0.0}
    _, label = connected_components(matrix, directed=False)
    inside = np.flatnonzero(label == np.argmax(np.bincount(label)))
    part = matrix[inside][:, inside]
    chosen = np.random.default_rng(seed).permutation(len(inside))[:sources]
    distances = shortest_path(part, directed=False, unweighted=True, indices=chosen)
    return {
        "clustering": _transitivity(graph, matrix),
        "distance": float(distances[distances > 0].mean()),
        "largest": len(inside) / graph.n,
        "gap": _spectral_gap(part),
    }


def _transitivity(graph: Graph, matrix: Any) -> float:
    degrees = graph.degrees.astype(np.float64)
    if (degrees**2).sum() > MOST_WEDGES:
        return float("nan")
    wedges = (degrees * (degrees - 1)).sum()
    return float((matrix @ matrix).multiply(matrix).sum() / wedges) if wedges else 0.0


def _spectral_gap(part: Any) -> float:
    """1 − λ₂ of the normalised adjacency matrix."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import eigsh

    n = part.shape[0]
    root = diags_array(1 / np.sqrt(part.sum(axis=1)))
    normal = root @ part @ root
    if n <= 50:
        return float(1 - np.sort(np.linalg.eigvalsh(normal.toarray()))[-2])
    start = np.random.default_rng(0).random(n)
    return float(1 - np.sort(eigsh(normal, k=2, which="LA", v0=start, tol=1e-4, return_eigenvectors=False))[0])


def compare(real: Graph, synthetic: Graph, number: int = 20_000, seed: int = 0) -> dict[str, Any]:
    """Everything at once, as one JSON object."""
    return {
        "edges": {"real": len(real.low), "made": len(synthetic.low)},
        "cut_error": {str(k): v for k, v in cut_errors(real, synthetic, size_classes(real.n), number, seed).items()},
        "cut_error_runs": {str(k): v for k, v in cut_errors(real, synthetic, size_classes(real.n), number, seed, True).items()},
        "degree_divergence": degree_divergence(real.degrees, synthetic.degrees),
        "structure": {"real": structure(real), "made": structure(synthetic)},
    }
