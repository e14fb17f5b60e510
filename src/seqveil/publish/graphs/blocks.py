"""A graph with given degrees and about a given number of triangles: block two-level Erdős–Rényi [Seshadhri 2012].

Vertices of like degree form blocks, d + 1 of them where the least degree is d, and inside a block pairs are joined with
probability ρ. What is left of each degree is joined at random, across blocks. Blocks are where triangles come from; but ends
that are joined at random close some too, most of all in dense graphs, so ρ cannot be computed from the wanted number alone.
Here the graph itself is drawn, its triangles are counted, and ρ is corrected: what the background adds is thereby taken off,
whatever it is.

ρ = ω / (ω + √d) with one ω for the whole graph: in measured graphs, pairs of neighbours of a vertex with many neighbours know
each other less often. All of it is a function of the degrees and the number of triangles that are given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.graphs.steering import Groups
from seqveil.release.graphs.draw import Random, generator, paired
from seqveil.release.graphs.wiring import Pairs, wired
from seqveil.tables.wedges import count_triangles

LOOKS = 12
"""Graphs that are drawn at most until the number of triangles is right."""

CLOSE = 0.005
"""The number of triangles is right if it is within half a percent."""

LOST = 0.01
"""A graph that could not place more than one edge in a hundred has blocks that are too dense."""


@njit(cache=True)
def _blocks(degree, group):  # type: ignore[no-untyped-def]
    """Where blocks begin among vertices by group and ascending degree; the last entry is the number of vertices."""
    starts = [0]
    at = 0
    while at < len(degree):
        end = at
        while end < len(degree) and end <= at + degree[at] and group[end] == group[at]:
            end += 1
        starts.append(end)
        at = end
    return np.array(starts)


@njit(cache=True)
def _pairs(starts):  # type: ignore[no-untyped-def]
    """All pairs inside blocks, as places in the order, and their blocks."""
    size = np.diff(starts)
    total = (size * (size - 1) // 2).sum()
    first, second, block = np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int64)
    k = 0
    for b in range(len(size)):
        for i in range(starts[b], starts[b + 1]):
            for j in range(i + 1, starts[b + 1]):
                first[k], second[k], block[k] = i, j, b
                k += 1
    return first, second, block


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The blocks of some degrees, with one lot for every pair inside them: as ω grows, pairs are only ever added."""

    degrees: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    lot: NDArray[np.float64]
    root: NDArray[np.float64]  # √d of the block of each pair, by the mean over all pairs
    seed: int
    groups: Groups | None

    @classmethod
    def of(cls, degrees: NDArray[np.int64], random: Random, groups: Groups | None = None) -> Blocks:
        """Blocks of vertices with two neighbours or more, as a triangle needs; of one group each, where there are groups."""
        member = np.zeros(len(degrees), np.int64) if groups is None else groups.member
        order = np.lexsort((random.random(len(degrees)), degrees, member))
        order = order[degrees[order] >= 2]
        starts = _blocks(degrees[order], member[order])
        first, second, block = _pairs(starts)
        a, b = order[first], order[second]
        root = np.sqrt(degrees[order[starts[:-1]]])[block] if len(order) else np.zeros(0)
        root /= max(float(root.mean()) if len(root) else 0.0, 1.0)
        lot = random.random(len(a))
        return cls(degrees, np.minimum(a, b), np.maximum(a, b), lot, root, int(random.integers(2**40)), groups)

    def draw(self, part: float) -> Pairs:
        """A graph; `part` is ρ where √d has its mean, from 0 (nothing but the background) to 1 (every block is a clique)."""
        n = len(self.degrees)
        # lot < ω / (ω + √d), with ω = part / (1 − part) in units of the mean, written so that ω may be infinite
        drawn = self.lot * (part + (1 - part) * self.root) < part
        if self.groups is not None:
            drawn = self.groups.thinned(drawn, self.low, self.lot * (part + (1 - part) * self.root))
        low, high = self.low[drawn], self.high[drawn]
        left = self.degrees - np.bincount(low, minlength=n) - np.bincount(high, minlength=n)
        random = generator(np.array([self.seed]))
        pairs = (*paired(left, random), None) if self.groups is None else self.groups.paired(left, low, random)
        more = wired(*pairs[:2], low * n + high, n, random, pairs[2])
        return np.concatenate([low.astype(np.int32), more[0]]), np.concatenate([high.astype(np.int32), more[1]])

    def fitted(self, triangles: int, noise: float = 0.0) -> Pairs:
        """A graph with about so many triangles, or as near as it can be with these degrees.

        `noise` is the standard deviation of the number. Where it exceeds the most triangles that degrees allow, the number says
        nothing, and nothing is added to the background.
        """
        n, ends = len(self.degrees), int(self.degrees.sum())
        best = self.draw(0.0)
        least = count_triangles(*best, n)
        most = float((self.degrees * (self.degrees - 1)).sum()) / 6  # one for every three paths of two edges
        triangles = triangles if noise < most else least
        low, high, below, above = 0.0, 1.0, least, None
        off, part = abs(least - triangles), 1.0
        for look in range(LOOKS if least < triangles else 0):
            graph = self.draw(part)
            closed, lost = count_triangles(*graph, n), 1 - 2 * len(graph[0]) / max(ends, 1)
            if lost <= LOST and abs(closed - triangles) < off:
                best, off = graph, abs(closed - triangles)
            if off <= CLOSE * triangles or (part == 1.0 and lost <= LOST and closed < triangles):
                break
            if lost > LOST or closed > triangles:
                high, above = part, closed if closed > triangles else None
            else:
                low, below = part, closed
            part = _between(low, high, below, above, triangles) if look % 3 else (low + high) / 2
        return best


def _between(low: float, high: float, below: int, above: int | None, wanted: int) -> float:
    """The next strength to try: triangles grow with its cube; half-way where the upper end is no measure."""
    if above is None or above <= below:
        return (low + high) / 2
    share = (wanted - below) / (above - below)
    cube = low**3 + (high**3 - low**3) * min(max(share, 0.02), 0.98)
    return float(cube ** (1 / 3))
