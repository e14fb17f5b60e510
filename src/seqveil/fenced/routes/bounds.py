"""How much each user, and the group as a whole, still has to pay to see what is needed and get home: the dynamic program.

remaining[S, i, v] is the least cost of a way from v that meets all needs S and then ends at t_i, for each user alone. The last
column is the group's: every step costs m times, and at the end everybody goes home, so it is the least total distance if no
limit were set. Both never exceed what a shared route really costs, so they may be used to bound a search.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.fenced.routes.graph import compressed
from seqveil.fenced.routes.meeting import SLACK, MeetingGraph
from seqveil.fenced.routes.wanted import Wanted


def columns(meeting: MeetingGraph) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Per user and, for more than one, for the group: cost up to a node, cost home, limit, how often each step is paid."""
    m = len(meeting.limits)
    limits = meeting.limits * (1 + SLACK)
    if m == 1:
        return meeting.out, meeting.home, limits, np.ones(1)
    together = [np.vstack([part, part.sum(axis=0)]) for part in (meeting.out, meeting.home)]
    return together[0], together[1], np.r_[limits, limits.sum()], np.r_[np.ones(m), float(m)]


def remaining(meeting: MeetingGraph, want: Wanted, kind: NDArray[np.int64], kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """The table for all needs, columns and nodes; infinity where a limit cannot be kept."""
    n = len(meeting)
    tails = np.repeat(np.arange(n), np.diff(meeting.indptr))
    backwards = compressed(n, meeting.indices, tails, meeting.costs)
    ptr, left = want.meets(kinds)
    return _remaining(*backwards, meeting.points, kind, len(kinds), ptr, left, want.count, *columns(meeting))  # type: ignore[no-any-return]


@njit(cache=True)
def _remaining(indptr, indices, costs, points, kind, kinds, ptr, left, count, out, home, limit, times):  # type: ignore[no-untyped-def]
    n = out.shape[1]
    table = np.full((count, len(limit), n), np.inf)
    for i in range(len(limit)):
        table[0, i] = home[i]
        for need in range(1, count):
            # Invariant: smaller needs are finished, and meeting one leaves a smaller need.
            far = table[need, i]
            heap = [(0.0, np.int64(0)) for _ in range(0)]
            for v in points:
                for at in range(ptr[need * kinds + kind[v]], ptr[need * kinds + kind[v] + 1]):
                    far[v] = min(far[v], table[left[at], i, v])
                if out[i, v] + far[v] <= limit[i]:
                    heap.append((far[v], v))
                else:
                    far[v] = np.inf
            heapify(heap)
            while len(heap) > 0:
                d, v = heappop(heap)
                if d > far[v]:
                    continue
                for e in range(indptr[v], indptr[v + 1]):
                    u = indices[e]
                    longer = d + times[i] * costs[e]
                    # Whoever cannot pay for the rest at u cannot at any node before u either.
                    if longer < far[u] and out[i, u] + longer <= limit[i]:
                        far[u] = longer
                        heappush(heap, (longer, u))
    return table
