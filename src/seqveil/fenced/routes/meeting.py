"""The meeting graph: where all users can go within their limits, and what they would find there (definition 6.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.routes.graph import LocationGraph, compressed

SLACK = 1e-9
"""Relative rounding allowed when a cost is held against a limit: sums of floats are not exact."""


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
    """out[i, v]: what user i pays from start to v."""
    home: NDArray[np.float64]
    limits: NDArray[np.float64]
    quality: NDArray[np.int64]
    """quality[v, c]: at which level node v offers the wanted category c; 0 where it does not."""
    reached: int
    """How many nodes everybody can pass through, before dead ends were left out."""

    @property
    def points(self) -> NDArray[np.int64]:
        """The meeting points: nodes that offer something wanted."""
        return np.flatnonzero(self.quality.any(axis=1))

    def __len__(self) -> int:
        return len(self.nodes)


def meeting_graph(graph: LocationGraph, trees: Trees, limits: NDArray[np.float64], quality: NDArray[np.int64]) -> MeetingGraph:
    """Nodes v with δ(s,v) + δ(v,t) ≤ Δ for every user. Any shared route, and any part of one, stays among them.

    Where the thesis contracts nodes that offer nothing into edges, we keep them, because a contraction may turn a sparse road
    network into a dense one; we only cut off dead ends that offer nothing.
    """
    within = (trees.out + trees.home <= (limits * (1 + SLACK))[:, None]).all(axis=0)
    reached = int(within.sum())
    tails = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    heads = graph.indices
    offers = quality.any(axis=1)
    while True:
        inside = within[tails] & within[heads]
        ends = np.stack([np.r_[tails[inside], heads[inside]], np.r_[heads[inside], tails[inside]]])
        ends = np.unique(ends[0] * len(graph) + ends[1])
        neighbours = np.bincount(ends // len(graph), minlength=len(graph))
        dead = within & ~offers & (neighbours <= 1)
        if not dead.any():
            break
        within &= ~dead
    nodes = np.flatnonzero(within)
    number = np.full(len(graph), -1)
    number[nodes] = np.arange(len(nodes))
    edges = compressed(len(nodes), number[tails[inside]], number[heads[inside]], graph.costs[inside])
    return MeetingGraph(nodes, *edges, trees.out[:, nodes], trees.home[:, nodes], limits, quality[nodes], reached)
