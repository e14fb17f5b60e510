"""The meeting graph: where all users can go within their limits, and what they would find there [Bonomi thesis, Def. 6.8]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.fenced.routes.graph import LocationGraph, compressed

SLACK = 1e-9
"""Relative rounding allowed when a cost is compared with a limit: sums of floats are not exact."""


@dataclass(frozen=True, eq=False)
class Trees:
    """Shortest paths from every user's start and to every user's end, over the whole graph: 2m runs, never all pairs."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    out: NDArray[np.float64]
    out_via: NDArray[np.int32]
    home: NDArray[np.float64]
    home_via: NDArray[np.int32]

    @classmethod
    def of(cls, graph: LocationGraph, starts: list[int], ends: list[int]) -> Trees:
        """One run of Dijkstra's algorithm per end point."""
        return cls(np.array(starts), np.array(ends), *graph.shortest(starts), *graph.shortest(ends, reverse=True))

    def waits(self, departures: NDArray[np.float64], nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How long each user waits at these nodes until everybody is there; infinity where somebody never is."""
        arrival = departures[:, None] + self.out[:, nodes]
        last = arrival.max(axis=0)
        return np.where(np.isfinite(last), last - np.where(np.isfinite(arrival), arrival, 0.0), np.inf)

    def path_out(self, user: int, node: int) -> list[int]:
        """From the user's start to a node."""
        path = [node]
        while path[-1] != self.starts[user]:
            path.append(int(self.out_via[user, path[-1]]))
        return path[::-1]

    def path_home(self, user: int, node: int) -> list[int]:
        """From a node to the user's end."""
        path = [node]
        while path[-1] != self.ends[user]:
            path.append(int(self.home_via[user, path[-1]]))
        return path


@dataclass(frozen=True, eq=False)
class MeetingGraph:
    """The part of the graph that everybody can pass through; nodes are renumbered."""

    nodes: NDArray[np.int64]
    """Which node of the location graph each one is."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    costs: NDArray[np.float64]
    out: NDArray[np.float64]
    """out[i, v]: what user i has paid when the group leaves v, if it meets there; waiting included, where it counts."""
    home: NDArray[np.float64]
    limits: NDArray[np.float64]
    quality: NDArray[np.int64]
    """quality[v, c]: at which level node v offers the wanted category c; 0 where it does not."""
    open: NDArray[np.bool_]
    """Where the group may meet: where nobody waits too long."""
    reached: int
    """How many nodes everybody can pass through, before dead ends were left out."""

    @property
    def points(self) -> NDArray[np.int64]:
        """The meeting points: nodes that offer something wanted."""
        return np.flatnonzero(np.any(self.quality, axis=1))

    @property
    def starts(self) -> NDArray[np.int64]:
        """The meeting points at which a shared route may begin."""
        points = self.points
        return points[self.open[points]]

    def __len__(self) -> int:
        return len(self.nodes)


def meeting_graph(
    graph: LocationGraph,
    out: NDArray[np.float64],
    home: NDArray[np.float64],
    limits: NDArray[np.float64],
    quality: NDArray[np.int64],
    open_: NDArray[np.bool_],
) -> MeetingGraph:
    """Nodes v with out(v) + home(v) ≤ Δ for every user. Any shared route, and any part of one, stays among them.

    `out` may include waiting that counts ω ≤ 1 times: if the group meets at u and goes on to v, every user has paid
    (1 − ω)·(δ(s,u) + δ(u,v)) + ω·(time at which the last one is at u, + δ(u,v), since departure), which by the triangle
    inequality is at least out(v). So out(v) is a lower bound wherever the group met.

    Where the thesis contracts nodes that offer nothing into edges, we keep them, because a contraction may turn a sparse road
    network into a dense one; we only cut off dead ends that offer nothing.
    """
    within = np.all(out + home <= (limits * (1 + SLACK))[:, None], axis=0)
    nodes = np.flatnonzero(within)
    edges = _among(graph.indptr, graph.indices, graph.costs, within)
    kept = ~_dead_ends(*_both_ways(len(nodes), *edges[:2]), quality[nodes].any(axis=1))
    number = np.flatnonzero(kept)
    place = np.full(len(nodes), -1)
    place[number] = np.arange(len(number))
    whole = kept[edges[0]] & kept[edges[1]]
    own = compressed(len(number), place[edges[0][whole]], place[edges[1][whole]], edges[2][whole])
    rest = nodes[kept]
    return MeetingGraph(rest, *own, out[:, rest], home[:, rest], limits, quality[rest], open_[rest], len(nodes))


def _among(
    indptr: NDArray[np.int64], indices: NDArray[np.int64], costs: NDArray[np.float64], within: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Tails, heads and costs of the edges between nodes within reach, renumbered."""
    tails = np.repeat(np.arange(len(within)), np.diff(indptr))
    inside = within[tails] & within[indices]
    number = np.cumsum(within) - 1
    return number[tails[inside]], number[indices[inside]], costs[inside]


def _both_ways(n: int, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Who is next to whom, whatever the direction."""
    indptr, indices, _ = compressed(n, np.r_[tails, heads], np.r_[heads, tails], np.zeros(2 * len(tails)))
    return indptr, indices


@njit(cache=True)
def _dead_ends(indptr, indices, offers):  # type: ignore[no-untyped-def]
    """Nodes that offer nothing and lead nowhere: with one neighbour at most, once other dead ends are gone."""
    n = len(offers)
    neighbours = np.diff(indptr)
    dead = np.zeros(n, np.bool_)
    for v in range(n):
        u = v
        while u >= 0 and not dead[u] and not offers[u] and neighbours[u] <= 1:
            # Invariant: neighbours[u] counts the neighbours of u that are not dead.
            dead[u] = True
            further = -1
            for e in range(indptr[u], indptr[u + 1]):
                if not dead[indices[e]]:
                    further = indices[e]
                    neighbours[further] -= 1
            u = further
    return dead
