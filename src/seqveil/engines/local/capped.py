"""The counter of grams in which a record, or an owner, is counted at most so often at every node but the root.

Of the walks of one owner that stand at a node and take the same symbol, the first `cap` go on, in the order of the owner's
records and positions; the others end at the node. So the children of a node never hold more than the node, and which walks
end is decided by the owner's records alone. Walks are kept one by one: merged ones have no owner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.grams import Family, GramCounter, Walks, terminated
from seqveil.engines.protocol import Counts
from seqveil.tables.flat import Flat
from seqveil.tables.lots import by_owner


@njit(cache=True)
def _count_children(symbols, owner, position, segment, depth, nodes, universe, cap):  # type: ignore[no-untyped-def]
    """Per child that occurs: its parent, rank and capped count; also the most that one owner was counted at a child."""
    room = 0
    for i in range(len(nodes)):
        room += min(segment[nodes[i] + 1] - segment[nodes[i]], universe)
    tally = np.zeros(universe, np.int64)
    last = np.full(universe, -1, np.int64)
    times = np.zeros(universe, np.int64)
    parent = np.empty(room, np.int64)
    rank = np.empty(room, np.int64)
    count = np.empty(room, np.int64)
    most = 0
    end = 0
    for i in range(len(nodes)):
        # Invariant: tally is all zero and last all −1 here; the positions of one owner stand together.
        start = end
        for j in range(segment[nodes[i]], segment[nodes[i] + 1]):
            symbol = symbols[position[j] + depth]
            if tally[symbol] == 0:
                rank[end] = symbol
                end += 1
            if last[symbol] != owner[position[j]]:
                last[symbol] = owner[position[j]]
                times[symbol] = 0
            if times[symbol] < cap:
                times[symbol] += 1
                tally[symbol] += 1
                most = max(most, times[symbol])
        rank[start:end].sort()
        for j in range(start, end):
            parent[j] = i
            count[j] = tally[rank[j]]
            tally[rank[j]] = 0
            last[rank[j]] = -1
    return parent[:end].copy(), rank[:end].copy(), count[:end].copy(), most


@njit(cache=True)
def _follow(symbols, owner, position, segment, depth, parents, ranks, size, universe, cap):  # type: ignore[no-untyped-def]
    """Group by child, as `grams._follow` does, the first `cap` positions of every owner."""
    child_of = np.full(universe, -1, np.int64)
    last = np.full(universe, -1, np.int64)
    times = np.zeros(universe, np.int64)
    segments = np.zeros(len(parents) + 1, np.int64)
    segments[1:] = np.cumsum(size)
    following = np.empty(segments[-1], position.dtype)
    cursor = segments[:-1].copy()
    first = 0
    while first < len(parents):
        end = first
        while end < len(parents) and parents[end] == parents[first]:
            child_of[ranks[end]] = end
            last[ranks[end]] = -1
            end += 1
        # Invariant: child_of knows exactly the children first..end-1 of one parent, and last none of their owners.
        for j in range(segment[parents[first]], segment[parents[first] + 1]):
            symbol = symbols[position[j] + depth]
            child = child_of[symbol]
            if child >= 0:
                if last[symbol] != owner[position[j]]:
                    last[symbol] = owner[position[j]]
                    times[symbol] = 0
                if times[symbol] < cap:
                    times[symbol] += 1
                    following[cursor[child]] = position[j]
                    cursor[child] += 1
        for c in range(first, end):
            child_of[ranks[c]] = -1
        first = end
    return following, segments


@dataclass(frozen=True, slots=True, eq=False)
class _OwnedWalks(Walks):
    """Walks one by one: `owner` has the owner of every walk, at the symbol that it starts with."""

    owner: NDArray[np.int64]
    cap: int


class CappedGrams(GramCounter):
    """Start positions grouped by node; those of one owner stand together within each."""

    _walks: _OwnedWalks

    @classmethod
    def capped(cls, flat: Flat, owners: NDArray[np.int64] | None, labels: int, deepest: int, cap: int) -> Self:
        """Everything before the first level. Without owners, every record is its own."""
        if owners is not None:
            order, first = by_owner(owners)
            flat, number = flat.take(order), np.repeat(np.arange(len(first) - 1), np.diff(first))
        else:
            number = np.arange(len(flat))
        symbols, position = terminated(flat, labels)
        owner = np.repeat(number, flat.lengths + 1)  # the terminator too
        return cls.at_root(_OwnedWalks(symbols, np.zeros(0, np.int64), 0, labels, deepest, owner, cap), position)

    def _family(self, nodes: NDArray[np.int64]) -> Family:
        walks = self._walks
        parent, rank, count, most = _count_children(
            walks.symbols, walks.owner, self._position, self._segment, self._depth, nodes, self._labels + 1, walks.cap
        )
        return Family(Counts(parent, rank, count, int(most)), count)

    def _followed(
        self, parents: NDArray[np.int64], ranks: NDArray[np.int64], size: NDArray[np.int64]
    ) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        walks = self._walks
        position, segment = _follow(
            walks.symbols,
            walks.owner,
            self._position,
            self._segment,
            self._depth,
            parents,
            ranks,
            size,
            self._labels + 1,
            walks.cap,
        )
        return position, segment

    def children(self, nodes: NDArray[np.int64], split: object = None) -> Counts:
        counts = super().children(nodes, split)
        return replace(counts, most=self._counts.most)
