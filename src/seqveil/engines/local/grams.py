"""Counts of grams, level by level, over flat arrays.

Every item of every truncated record starts a walk down the exploration tree: at level i the walk that started at
position p stands at the gram symbols[p:p+i]. The counter keeps these start positions grouped by the node they stand at,
so one level costs one pass over the positions that are still in the tree, whatever the size of the universe.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import CallError
from seqveil.tables.flat import Flat


@njit(cache=True)
def _terminate(items, offsets, l_max, end):  # type: ignore[no-untyped-def]
    """Cut every record to l_max items and append the terminator; also the position of every item."""
    kept = 0
    for k in range(len(offsets) - 1):
        kept += min(offsets[k + 1] - offsets[k], l_max)
    symbols = np.empty(kept + len(offsets) - 1, np.int32)
    position = np.empty(kept, np.int64)
    out = 0
    item = 0
    for k in range(len(offsets) - 1):
        for j in range(min(offsets[k + 1] - offsets[k], l_max)):
            symbols[out] = items[offsets[k] + j]
            position[item] = out
            out += 1
            item += 1
        symbols[out] = end
        out += 1
    return symbols, position


@njit(cache=True)
def _count_children(symbols, position, segment, depth, nodes, universe):  # type: ignore[no-untyped-def]
    most = 0
    for i in range(len(nodes)):
        most += min(segment[nodes[i] + 1] - segment[nodes[i]], universe)
    tally = np.zeros(universe, np.int64)
    parent = np.empty(most, np.int64)
    rank = np.empty(most, np.int64)
    count = np.empty(most, np.int64)
    end = 0
    for i in range(len(nodes)):
        # Invariant: tally is all zero here, and the first `end` outputs are sorted by parent, then rank.
        start = end
        for j in range(segment[nodes[i]], segment[nodes[i] + 1]):
            symbol = symbols[position[j] + depth]
            if tally[symbol] == 0:
                rank[end] = symbol
                end += 1
            tally[symbol] += 1
        rank[start:end].sort()
        for j in range(start, end):
            parent[j] = i
            count[j] = tally[rank[j]]
            tally[rank[j]] = 0
    return parent[:end].copy(), rank[:end].copy(), count[:end].copy()


@njit(cache=True)
def _follow(symbols, position, segment, depth, parents, ranks, universe):  # type: ignore[no-untyped-def]
    """Group by child: `parents` must be sorted. Positions under children that were not kept are left behind."""
    child_of = np.full(universe, -1, np.int64)
    size = np.zeros(len(parents) + 1, np.int64)
    for write in range(2):
        if write:
            segments = np.cumsum(size)
            following = np.empty(segments[-1], position.dtype)
            cursor = segments[:-1].copy()
        first = 0
        while first < len(parents):
            last = first
            while last < len(parents) and parents[last] == parents[first]:
                child_of[ranks[last]] = last
                last += 1
            for j in range(segment[parents[first]], segment[parents[first] + 1]):
                child = child_of[symbols[position[j] + depth]]
                if child >= 0:
                    if write:
                        following[cursor[child]] = position[j]
                        cursor[child] += 1
                    else:
                        size[child + 1] += 1
            for c in range(first, last):
                child_of[ranks[c]] = -1
            first = last
    return following, segments


class GramCounter:
    """Start positions grouped by the node they stand at; a node that ends with the terminator has no children."""

    def __init__(
        self,
        symbols: NDArray[np.int32],
        position: NDArray[np.integer],
        segment: NDArray[np.int64],
        depth: int,
        ended: NDArray[np.bool_],
        labels: int,
    ) -> None:
        self._symbols = symbols
        self._position = position
        self._segment = segment
        self._depth = depth
        self._ended = ended
        self._labels = labels

    @classmethod
    def root(cls, flat: Flat, labels: int, l_max: int) -> GramCounter:
        """Everything before the first level; `labels` is the size of the public universe, and the terminator's code."""
        symbols, position = _terminate(flat.items, flat.offsets, l_max, labels)
        if len(symbols) < 2**31:
            position = position.astype(np.int32)
        return cls(symbols, position, np.array([0, len(position)], np.int64), 0, np.zeros(1, np.bool_), labels)

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        # The terminator is never a child of the root (SOUNDNESS §1 F1).
        wide = self._labels if self._depth == 0 else self._labels + 1
        return [0 if ended else wide for ended in self._ended[nodes].tolist()]

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        asked = np.flatnonzero(~self._ended[nodes])
        parent, rank, count = _count_children(
            self._symbols, self._position, self._segment, self._depth, nodes[asked], self._labels + 1
        )
        return Counts(asked[parent], rank, count)

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._segment[nodes + 1] - self._segment[nodes])

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        raise CallError("a gram's children are its next symbols: there is no split to choose.")

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> GramCounter:
        order = np.argsort(parents, kind="stable")
        position, segment = _follow(
            self._symbols, self._position, self._segment, self._depth, parents[order], ranks[order], self._labels + 1
        )
        ended = ranks == self._labels
        if not np.array_equal(order, np.arange(len(order))):
            position, segment = _reorder(position, segment, np.argsort(order))
        return GramCounter(self._symbols, position, segment, self._depth + 1, ended, self._labels)


def _reorder(
    position: NDArray[np.integer], segment: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    rows = Flat(position, segment).take(order)  # type: ignore[arg-type]
    return rows.items, rows.offsets
