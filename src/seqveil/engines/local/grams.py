"""Counts of grams, level by level, over flat arrays.

Every item of every record starts a walk down the exploration tree: at level i the walk that started at
position p stands at the gram symbols[p:p+i]. The counter keeps these start positions grouped by the node they stand at,
so one level costs one pass over the positions that are still in the tree, whatever the size of the domain.

Where the records use few labels, equal walks are common: then every distinct walk is kept once, with its weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import CallError
from seqveil.tables.flat import Flat

MOST_WALKS = 1 << 24
"""Walks are merged when there are at most this many different ones: their weights are counted in one table."""


@njit(cache=True)
def _terminate(items, offsets, end):  # type: ignore[no-untyped-def]
    """Append the terminator to every record; also the position of every item."""
    kept = offsets[-1] - offsets[0]
    symbols = np.empty(kept + len(offsets) - 1, np.int32)
    position = np.empty(kept, np.int64)
    out = 0
    item = 0
    for k in range(len(offsets) - 1):
        for j in range(offsets[k], offsets[k + 1]):
            symbols[out] = items[j]
            position[item] = out
            out += 1
            item += 1
        symbols[out] = end
        out += 1
    return symbols, position


@njit(cache=True)
def _present(items, labels):  # type: ignore[no-untyped-def]
    """The labels that occur, ascending."""
    seen = np.zeros(labels, np.uint8)
    for x in items:
        seen[x] = 1
    return np.flatnonzero(seen)


@njit(cache=True)
def _weigh(items, offsets, small, base, deepest):  # type: ignore[no-untyped-def]
    """How often every walk of `deepest` symbols occurs, read as a number to the base; a walk that ends is filled up."""
    high = 1
    ended = 0
    for _ in range(deepest):
        ended = ended * base + base - 1
    for _ in range(deepest - 1):
        high *= base
    weight = np.zeros(high * base, np.int64)
    for k in range(len(offsets) - 1):
        walk = ended
        for j in range(offsets[k + 1] - 1, offsets[k] - 1, -1):
            # Invariant: `walk` spells the symbols that follow position j.
            walk = small[items[j]] * high + walk // base
            weight[walk] += 1
    return weight


def _merged(flat: Flat, labels: int, deepest: int) -> tuple[NDArray[np.int32], NDArray[np.int64]] | None:
    """Every distinct walk spelled out, `deepest` symbols each, and its weight; None where there are too many."""
    present = _present(flat.items, labels)
    base = len(present) + 1
    if base**deepest > MOST_WALKS:
        return None
    small = np.zeros(labels, np.int64)
    small[present] = np.arange(len(present))
    weight = _weigh(flat.items, flat.offsets, small, base, deepest)
    walks = np.flatnonzero(weight)
    digits = walks[:, None] // base ** np.arange(deepest - 1, -1, -1) % base
    return np.append(present, labels)[digits].astype(np.int32).reshape(-1), weight[walks]


@njit(cache=True)
def _count_children(symbols, weight, stride, position, segment, depth, nodes, universe):  # type: ignore[no-untyped-def]
    """Per child that occurs: its parent, rank, count, and how many positions that count is the weight of."""
    most = 0
    for i in range(len(nodes)):
        most += min(segment[nodes[i] + 1] - segment[nodes[i]], universe)
    tally = np.zeros(universe, np.int64)
    met = np.zeros(universe, np.int64)
    parent = np.empty(most, np.int64)
    rank = np.empty(most, np.int64)
    count = np.empty(most, np.int64)
    places = np.empty(most, np.int64)
    end = 0
    for i in range(len(nodes)):
        # Invariant: tally and met are all zero here, and the first `end` outputs are sorted by parent, then rank.
        start = end
        for j in range(segment[nodes[i]], segment[nodes[i] + 1]):
            symbol = symbols[position[j] + depth]
            if met[symbol] == 0:
                rank[end] = symbol
                end += 1
            met[symbol] += 1
            tally[symbol] += weight[position[j] // stride] if stride else 1
        rank[start:end].sort()
        for j in range(start, end):
            parent[j] = i
            count[j] = tally[rank[j]]
            places[j] = met[rank[j]]
            tally[rank[j]] = 0
            met[rank[j]] = 0
    return parent[:end].copy(), rank[:end].copy(), count[:end].copy(), places[:end].copy()


@njit(cache=True)
def _count_nodes(weight, stride, position, segment, nodes):  # type: ignore[no-untyped-def]
    """The weight of the positions that stand at each node."""
    count = np.zeros(len(nodes), np.int64)
    for i in range(len(nodes)):
        for j in range(segment[nodes[i]], segment[nodes[i] + 1]):
            count[i] += weight[position[j] // stride] if stride else 1
    return count


@njit(cache=True)
def _follow(symbols, position, segment, depth, parents, ranks, size, universe):  # type: ignore[no-untyped-def]
    """Group by child: `parents` must be sorted, `size` says how many positions each child has. The others stay behind."""
    child_of = np.full(universe, -1, np.int64)
    segments = np.zeros(len(parents) + 1, np.int64)
    segments[1:] = np.cumsum(size)
    following = np.empty(segments[-1], position.dtype)
    cursor = segments[:-1].copy()
    first = 0
    while first < len(parents):
        last = first
        while last < len(parents) and parents[last] == parents[first]:
            child_of[ranks[last]] = last
            last += 1
        # Invariant: child_of knows exactly the children first..last-1 of one parent.
        for j in range(segment[parents[first]], segment[parents[first] + 1]):
            child = child_of[symbols[position[j] + depth]]
            if child >= 0:
                following[cursor[child]] = position[j]
                cursor[child] += 1
        for c in range(first, last):
            child_of[ranks[c]] = -1
        first = last
    return following, segments


@dataclass(frozen=True, slots=True, eq=False)
class Walks:
    """What all counters of one tree share. With a stride, walk i is symbols[i·stride:(i+1)·stride] and has weight[i]."""

    symbols: NDArray[np.int32]
    weight: NDArray[np.int64]
    stride: int
    labels: int
    deepest: int


class Family(NamedTuple):
    """The children of some nodes, and how many positions each of their counts is the weight of."""

    counts: Counts
    places: NDArray[np.int64]


def terminated(flat: Flat, labels: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The records one after the other, each with a terminator, and the position of every item."""
    symbols, position = _terminate(flat.items, flat.offsets, labels)
    return symbols, position


class GramCounter:
    """Start positions grouped by the node they stand at; a node that ends with the terminator has no children."""

    def __init__(
        self,
        walks: Walks,
        position: NDArray[np.integer],
        segment: NDArray[np.int64],
        depth: int,
        ended: NDArray[np.bool_],
    ) -> None:
        self._walks = walks
        self._labels = walks.labels
        self._position = position
        self._segment = segment
        self._depth = depth
        self._ended = ended
        self._row = np.full(len(ended), -1, np.int64)  # place of a node among those tallied, or -1
        self._asked = np.zeros(0, np.int64)
        self._start = np.zeros(1, np.int64)
        self._counts = Counts(self._asked, self._asked, self._asked)
        self._places = self._asked

    @classmethod
    def root(cls, flat: Flat, labels: int, deepest: int) -> Self:
        """Everything before the first level; `labels` is the size of the domain, and the terminator's code."""
        merged = _merged(flat, labels, deepest)
        if merged is None:
            symbols, position = terminated(flat, labels)
            return cls.at_root(Walks(symbols, np.zeros(0, np.int64), 0, labels, deepest), position)
        walks = Walks(*merged, deepest, labels, deepest)
        return cls.at_root(walks, np.arange(0, len(walks.symbols), deepest))

    @classmethod
    def at_root(cls, walks: Walks, position: NDArray[np.integer]) -> Self:
        """All walks stand at the root."""
        if len(walks.symbols) < 2**31:
            position = position.astype(np.int32)
        return cls(walks, position, np.array([0, len(position)], np.int64), 0, np.zeros(1, np.bool_))

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        # The terminator is never a child of the root (docs/soundness.md, 'The terminator').
        wide = self._labels if self._depth == 0 else self._labels + 1
        return [0 if ended else wide for ended in self._ended[nodes].tolist()]

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        where = self._row[nodes]
        if np.any(where < 0):
            self._tally(nodes)
            where = self._row[nodes]
        if len(nodes) == len(self._asked) and np.array_equal(where, np.arange(len(nodes))):
            return self._counts
        rows = Flat(np.arange(len(self._counts.rank)), self._start).take(where)  # type: ignore[arg-type]
        return Counts(
            np.repeat(np.arange(len(nodes)), rows.lengths), self._counts.rank[rows.items], self._counts.count[rows.items]
        )

    def _tally(self, nodes: NDArray[np.int64]) -> None:
        """One pass over the positions of these nodes; what it found is kept, since the level is asked about again."""
        if self._depth == self._walks.deepest:
            raise CallError(f"this tree has {self._depth} levels: open it with a larger `deepest` to go on.")
        alive = np.flatnonzero(~self._ended[nodes])
        family, self._places = self._family(nodes[alive])
        self._counts = replace(family, parent=alive[family.parent])
        self._asked = nodes
        self._row = np.full(len(self._ended), -1, np.int64)
        self._row[nodes] = np.arange(len(nodes))
        self._start = np.searchsorted(self._counts.parent, np.arange(len(nodes) + 1))

    def _family(self, nodes: NDArray[np.int64]) -> Family:
        """The children of nodes that have not ended."""
        walks = self._walks
        parent, rank, count, places = _count_children(
            walks.symbols, walks.weight, walks.stride, self._position, self._segment, self._depth, nodes, self._labels + 1
        )
        return Family(Counts(parent, rank, count), places)

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = _count_nodes(self._walks.weight, self._walks.stride, self._position, self._segment, nodes)
        return counts

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        raise CallError("a gram's children are its next symbols: there is no split to choose.")

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> Self:
        if self._ended[parents].any():  # what follows its terminator is another record
            raise CallError("a gram that has ended has no children.")
        order = np.argsort(parents, kind="stable")
        size = self._sizes(parents[order], ranks[order])
        position, segment = self._followed(parents[order], ranks[order], size)
        if not np.array_equal(order, np.arange(len(order))):
            position, segment = _reorder(position, segment, np.argsort(order))
        return type(self)(self._walks, position, segment, self._depth + 1, ranks == self._labels)

    def _followed(
        self, parents: NDArray[np.int64], ranks: NDArray[np.int64], size: NDArray[np.int64]
    ) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """The positions at each child, and where those of each begin; parents ascend."""
        symbols, universe = self._walks.symbols, self._labels + 1
        position, segment = _follow(symbols, self._position, self._segment, self._depth, parents, ranks, size, universe)
        return position, segment

    def _sizes(self, parents: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many positions each child has, read from the counts of its family."""
        if np.any(self._row[parents] < 0):
            self._tally(np.unique(parents))
        wide = self._labels + 1
        key = self._counts.parent * wide + self._counts.rank
        wanted = self._row[parents] * wide + ranks
        at = np.minimum(np.searchsorted(key, wanted), max(len(key) - 1, 0))
        if not len(key):
            return np.zeros(len(parents), np.int64)
        return np.where(key[at] == wanted, self._places[at], 0)


def _reorder(
    position: NDArray[np.integer], segment: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    rows = Flat(position, segment).take(order)  # type: ignore[arg-type]
    return rows.items, rows.offsets
