"""The greedy route: always on to the nearest of the places that bring most [Bonomi thesis, Alg. 12]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.routes.meeting import SLACK, MeetingGraph
from seqveil.fenced.routes.search import Shared
from seqveil.fenced.routes.wanted import Wanted


def greedy_route(meeting: MeetingGraph, want: Wanted) -> Shared | None:
    """A route whose profit is at least the best divided by k: its first stop alone brings as much as any category can.

    As printed, the algorithm tries a place that is out of reach again and again; here only places within reach are compared.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    points = meeting.points
    if not len(points):
        return None
    matrix = csr_matrix((meeting.costs, meeting.indices, meeting.indptr), shape=(len(meeting), len(meeting)))
    offered = meeting.quality[points]
    nothing = np.zeros(len(want.profits), np.int64)
    brings = _after(want, offered, nothing) @ want.profits
    first = np.lexsort((meeting.out[:, points].mean(axis=0), -brings))[0]
    nodes, visited = [int(points[first])], [_after(want, offered[[first]], nothing)[0]]
    paid = meeting.out[:, points[first]].copy()
    while True:
        # Invariant: the route so far keeps every limit, with the way home added.
        brings = (_after(want, offered, visited[-1]) - visited[-1]) @ want.profits
        far, via = dijkstra(matrix, indices=nodes[-1], return_predecessors=True)
        total = paid[:, None] + far[points] + meeting.home[:, points]
        chosen = np.flatnonzero((total <= (meeting.limits * (1 + SLACK))[:, None]).all(axis=0) & (brings > 0))
        if not len(chosen):
            return Shared(nodes, np.array(visited))
        to = int(points[chosen[np.lexsort((far[points[chosen]], -brings[chosen]))[0]]])
        paid += far[to]
        for node in _way(via, nodes[-1], to):
            nodes.append(node)
            visited.append(_passing(want, meeting.quality[node], meeting.quality[to], visited[-1]))


def _after(want: Wanted, offered: NDArray[np.int64], have: NDArray[np.int64]) -> NDArray[np.int64]:
    """What has been visited after stops at these nodes, if all that the order allows is visited there."""
    late = np.any(want.before & (have > 0)[None, :], axis=1)
    return np.where(late[None, :], have[None, :], np.maximum(have[None, :], offered))


def _passing(want: Wanted, here: NDArray[np.int64], goal: NDArray[np.int64], have: NDArray[np.int64]) -> NDArray[np.int64]:
    """What has been visited after passing a node: all of it, unless the order would then forbid what is being headed for."""
    taken = _after(want, here[None, :], have)[0]
    promised = _after(want, goal[None, :], have)[0]
    spoilt = (_after(want, goal[None, :], taken)[0] < promised).any()
    return have if spoilt else taken


def _way(via: NDArray[np.int32], start: int, to: int) -> list[int]:
    """The nodes after `start` up to `to`."""
    way = [to]
    while way[-1] != start:
        way.append(int(via[way[-1]]))
    return way[-2::-1]
