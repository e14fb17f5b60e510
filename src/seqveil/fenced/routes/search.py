"""The best shared route, found by extending labels best first [Bonomi thesis, §6.2.2], keyed by sets of categories.

A label is a route from some meeting point to v: what has been visited on it, and what each user has paid since their own start.
Of two labels at the same node with the same visits, one that is dearer for every user is dropped. Labels leave the queue in the
order of the best that can still become of them, so the first one that has nothing left to gain is an optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.fenced.routes.bounds import columns, remaining
from seqveil.fenced.routes.meeting import MeetingGraph
from seqveil.fenced.routes.wanted import Wanted

LABELS = 10_000_000
"""How many labels a search may make before it gives up."""


@dataclass(frozen=True, eq=False)
class Shared:
    """A shared route: nodes of the meeting graph, and after each of them the level at which every category has been visited."""

    nodes: list[int]
    visited: NDArray[np.int64]


def best_route(meeting: MeetingGraph, want: Wanted, value: NDArray[np.float64], theta: float, most: float) -> Shared | None:
    """The route with the largest θ·value/most − (1 − θ)·distance/ΣΔ, the shortest among equals; None where there is none."""
    if not len(meeting.starts) or not value.max() > 0:
        return None
    states = want.state(meeting.quality)
    kinds, kind = np.unique(states[meeting.points], return_inverse=True)
    kind_of = np.full(len(meeting), -1)
    kind_of[meeting.points] = kind
    table = remaining(meeting, want, kind_of, kinds)
    out, _, limit, times = columns(meeting)
    scale = theta / most, (1 - theta) / max(float(meeting.limits.sum()), 1e-300)
    status, nodes, reached = _search(
        meeting.indptr, meeting.indices, meeting.costs, meeting.starts, kind_of, len(kinds), *want.gains(kinds),
        *want.targets(value), out, limit, times, table, scale[0], scale[1], LABELS,
    )  # fmt: skip
    if status < 0:
        raise CallError(
            f"the search stopped after {LABELS:,} partial routes. "
            "Use method='greedy' or 'scaled' with a larger epsilon, fewer categories, or tighter limits."
        )
    return Shared(nodes[::-1].tolist(), want.digits[reached[::-1]]) if status else None


@njit(cache=True)
def _promise(v, s, paid, tptr, need, worth, limit, table, gain, loss):  # type: ignore[no-untyped-def]
    """The best score that may still come of a label, its distance, and whether that is what the label has already."""
    last = len(limit) - 1
    best = -np.inf
    far = np.inf
    done = False
    for at in range(tptr[s], tptr[s + 1]):
        if gain * worth[at] - loss * paid[last] < best:
            break
        fits = True
        for i in range(len(limit)):
            if not paid[i] + table[need[at], i, v] <= limit[i]:
                fits = False
                break
        if fits:
            total = paid[last] + table[need[at], last, v]
            score = gain * worth[at] - loss * total
            if score > best or (score == best and (total < far or (total == far and need[at] == 0))):
                best, far, done = score, total, need[at] == 0
    return best, far, done


@njit(cache=True, inline="always")
def _dominated(other, sibling, paid, new):  # type: ignore[no-untyped-def]
    """Whether one of these labels, which have visited the same, is as cheap for every user."""
    while other >= 0 and not (paid[other] <= new).all():
        other = sibling[other]
    return other >= 0


@njit(cache=True)
def _doubled(node, state, parent, sibling, finished, paid):  # type: ignore[no-untyped-def]
    """The labels, with room for as many again."""
    size = len(node)
    more = np.empty(size, np.int64)
    grown = np.empty((2 * size, paid.shape[1]))
    grown[:size] = paid
    return (
        np.append(node, more), np.append(state, more), np.append(parent, more), np.append(sibling, more),
        np.append(finished, np.empty(size, np.bool_)), grown,
    )  # fmt: skip


@njit(cache=True)
def _traced(at, node, state, parent):  # type: ignore[no-untyped-def]
    """That a route was found, and its nodes and states from the last one back."""
    length = 0
    step = at
    while step >= 0:
        length += 1
        step = parent[step]
    nodes = np.empty(length, np.int64)
    states = np.empty(length, np.int64)
    for j in range(length):
        nodes[j], states[j] = node[at], state[at]
        at = parent[at]
    return 1, nodes, states


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    indptr, indices, costs, starts, kind, kinds, gptr, into, tptr, need, worth, out, limit, times, table, gain, loss, most
):
    """1 with the best route's nodes and states, last one first; 0 where there is none; -1 after `most` labels."""
    users = len(limit)
    size = 1024
    node = np.empty(size, np.int64)
    state = np.empty(size, np.int64)
    parent = np.empty(size, np.int64)
    sibling = np.empty(size, np.int64)
    finished = np.empty(size, np.bool_)
    paid = np.empty((size, users))
    first = np.full((len(indptr) - 1, len(tptr) - 1), -1, np.int32)
    heap = [(0.0, 0.0, np.int64(0)) for _ in range(0)]
    labels = 0
    new = np.empty(users)
    at = np.int64(-1)
    seed = 0
    while True:
        # A round extends one label (or, at first, starts at one meeting point) along each of its edges.
        if seed < len(starts):
            edges = 1
        else:
            if len(heap) == 0:
                return 0, node[:0].copy(), state[:0].copy()
            _, _, at = heappop(heap)
            if finished[at]:
                break
            edges = indptr[node[at] + 1] - indptr[node[at]]
        for e in range(edges):
            if seed < len(starts):
                w, s = starts[seed], 0
                new[:] = out[:, w]
            else:
                edge = indptr[node[at]] + e
                w, s = indices[edge], state[at]
                new[:] = paid[at] + times * costs[edge]
            begin, end = (gptr[s * kinds + kind[w]], gptr[s * kinds + kind[w] + 1]) if kind[w] >= 0 else (0, 1)
            for g in range(begin, end):
                t = into[g] if kind[w] >= 0 else s
                if t == 0:
                    continue
                if _dominated(first[w, t], sibling, paid, new):
                    continue
                best, far, done = _promise(w, t, new, tptr, need, worth, limit, table, gain, loss)
                if best == -np.inf:
                    continue
                if labels == size:
                    if labels >= most:
                        return -1, node[:0].copy(), state[:0].copy()
                    size *= 2
                    node, state, parent, sibling, finished, paid = _doubled(node, state, parent, sibling, finished, paid)
                node[labels], state[labels], finished[labels] = w, t, done
                parent[labels] = at
                paid[labels] = new
                sibling[labels] = first[w, t]
                first[w, t] = labels
                heappush(heap, (-best, far, np.int64(labels)))
                labels += 1
        seed += 1
    return _traced(at, node, state, parent)
