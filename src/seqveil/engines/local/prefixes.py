"""Counts of prefixes, level by level, over flat arrays.

Every record stands at one node: the prefix that it has been followed along. The counter keeps the records grouped by node,
so one level costs one pass over the records that are still in the tree, whatever the size of the domain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import CallError
from seqveil.tables.flat import Flat
from seqveil.tables.granularity import Granularities


@njit(cache=True)
def _child(items, offsets, record, depth, member, slot, since, first):  # type: ignore[no-untyped-def]
    """The rank of the child that a record goes to, or -1: it has ended, or its next label is earlier than its last."""
    at = offsets[record] + depth
    if at >= offsets[record + 1] or slot[items[at]] < since:
        return -1
    return member[items[at]] - first


@njit(cache=True)
def _count_children(items, offsets, row, segment, depth, nodes, member, slot, since, first, width):  # type: ignore[no-untyped-def]
    most = 0
    widest = 0
    for i in range(len(nodes)):
        most += min(segment[nodes[i] + 1] - segment[nodes[i]], width[i])
        widest = max(widest, width[i])
    tally = np.zeros(widest, np.int64)
    parent = np.empty(most, np.int64)
    rank = np.empty(most, np.int64)
    count = np.empty(most, np.int64)
    end = 0
    for i in range(len(nodes)):
        # Invariant: tally is all zero here, and the first `end` outputs are sorted by parent, then rank.
        start = end
        for j in range(segment[nodes[i]], segment[nodes[i] + 1]):
            child = _child(items, offsets, row[j], depth, member, slot, since[i], first[i])
            if child >= 0:
                if tally[child] == 0:
                    rank[end] = child
                    end += 1
                tally[child] += 1
        rank[start:end].sort()
        for j in range(start, end):
            parent[j] = i
            count[j] = tally[rank[j]]
            tally[rank[j]] = 0
    return parent[:end].copy(), rank[:end].copy(), count[:end].copy()


@njit(cache=True)
def _follow(items, offsets, row, segment, depth, parents, ranks, member, slot, since, first, widest):  # type: ignore[no-untyped-def]
    """Group by child: `parents` must be sorted. Records under children that were not kept are left behind."""
    child_of = np.full(widest, -1, np.int64)
    size = np.zeros(len(parents) + 1, np.int64)
    segments = size
    following = row[:0].copy()
    cursor = size
    for write in range(2):
        if write:
            segments = np.cumsum(size)
            following = np.empty(segments[-1], row.dtype)
            cursor = segments[:-1].copy()
        begin = 0
        while begin < len(parents):
            last = begin
            while last < len(parents) and parents[last] == parents[begin]:
                child_of[ranks[last]] = last
                last += 1
            for j in range(segment[parents[begin]], segment[parents[begin] + 1]):
                rank = _child(items, offsets, row[j], depth, member, slot, since[begin], first[begin])
                if rank >= 0 and child_of[rank] >= 0:
                    child = child_of[rank]
                    if write:
                        following[cursor[child]] = row[j]
                        cursor[child] += 1
                    else:
                        size[child + 1] += 1
            for c in range(begin, last):
                child_of[ranks[c]] = -1
            begin = last
    return following, segments


class PrefixCounter:
    """Records grouped by the node they stand at.

    A node is a prefix of `depth` labels and, on a level between two labels, the `group` that holds the next one; `since` is
    the slot of the prefix's last label.
    """

    def __init__(
        self,
        flat: Flat,
        fine: Granularities,
        row: NDArray[np.int32],
        segment: NDArray[np.int64],
        depth: int,
        level: int,
        group: NDArray[np.int64],
        since: NDArray[np.int64],
    ) -> None:
        self._flat = flat
        self._fine = fine
        self._row = row
        self._segment = segment
        self._depth = depth
        self._level = level
        self._group = group
        self._since = since

    @classmethod
    def root(cls, flat: Flat, fine: Granularities) -> PrefixCounter:
        """Everything before the first label."""
        nothing = np.zeros(1, np.int64)
        return cls(flat, fine, np.arange(len(flat), dtype=np.int32), np.array([0, len(flat)]), 0, 0, nothing, nothing)

    def _span(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first, stop = self._fine.span(self._level, self._group[nodes], self._since[nodes])
        return first, stop - first

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        wide: list[int] = self._span(nodes)[1].tolist()
        return wide

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        first, width = self._span(nodes)
        member, since = self._fine.member[self._level], self._since[nodes]
        slot = self._fine.slot
        items, offsets = self._flat.items, self._flat.offsets
        found = _count_children(items, offsets, self._row, self._segment, self._depth, nodes, member, slot, since, first, width)
        return Counts(*found)

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._segment[nodes + 1] - self._segment[nodes])

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        raise CallError("a prefix's children are its next labels: there is no split to choose.")

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> PrefixCounter:
        order = np.argsort(parents, kind="stable")
        first, width = self._span(parents)
        sorted_first, since = first[order], self._since[parents[order]]
        row, segment = _follow(
            self._flat.items, self._flat.offsets, self._row, self._segment, self._depth, parents[order], ranks[order],
            self._fine.member[self._level], self._fine.slot, since, sorted_first, int(width.max(initial=0)),
        )  # fmt: skip
        if not np.array_equal(order, np.arange(len(order))):
            moved = Flat(row, segment).take(np.argsort(order))
            row, segment = moved.items, moved.offsets
        group = first + ranks.astype(np.int64)
        if self._level + 1 < self._fine.levels:
            level, depth, slots = self._level + 1, self._depth, self._since[parents]
        else:
            level, depth, slots = 0, self._depth + 1, self._fine.slot[self._fine.label[group]]
            group = np.zeros_like(group)
        return PrefixCounter(self._flat, self._fine, row, segment, depth, level, group, slots)
