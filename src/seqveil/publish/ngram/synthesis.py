"""Synthetic sequential database construction (paper §4.3.5), with the cap of NGRAM.md choice 5. Post-processing.

The longest grams are published first, and what a published record contains is subtracted from the counts of the tree. What
is then left of a gram's count are the records that end with it, so the terminator needs no records of its own. A gram is
published at most so often that no count it contains goes below −½, and not at all when it contains a gram that the tree
knows to be missing; without that cap the joins over-publish long runs of one item. With exact counts and n_max = l_max
the truncated database comes back exactly (Theorem 4.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.consistency import ConsistentTree
from seqveil.publish.ngram.extension import Extension, child, extend
from seqveil.publish.ngram.stitching import stitch
from seqveil.tables.flat import Flat

MOST_ITEMS = 2**27
"""With very little ε noise alone can ask for trillions of records: no more than this is published. A record counts as two
items more than it has, for its offset."""


@njit(cache=True)
def _contained(windows, known, gram, size, first, last, symbol, parent, hits, seen):  # type: ignore[no-untyped-def]
    """Count in `hits` how often every node of the tree occurs in a gram.

    Returns how many distinct nodes were `seen`, and whether a known family lacks something that the gram contains.

    Every start position walks down the tree. Where the node of the full window is `known` the walk is read backwards
    from it; the last positions are walked symbol by symbol.
    """
    n = 0
    absent = False
    for p in range(size):
        if p < known:
            node = windows[p]
            while node > 0:
                if hits[node] == 0:
                    seen[n] = node
                    n += 1
                hits[node] += 1
                node = parent[node]
        else:
            node = 0
            for j in range(p, size):
                family = node
                node = child(first, last, symbol, node, gram[j])
                if node == 0:
                    if first[family] < last[family]:
                        absent = True
                    break
                if hits[node] == 0:
                    seen[n] = node
                    n += 1
                hits[node] += 1
    return n, absent


@njit(cache=True)
def _copies(count, n, seen, hits, remaining, room):  # type: ignore[no-untyped-def]
    """How many copies the cap allows, and there is room for; they are subtracted from every count they contain."""
    copies = int(min(np.floor(count + 0.5), room))
    for i in range(n):
        copies = min(copies, int(np.floor((remaining[seen[i]] + 0.5) / hits[seen[i]])))
    copies = max(copies, 0)
    for i in range(n):
        remaining[seen[i]] -= copies * hits[seen[i]]
        hits[seen[i]] = 0
    return copies


@njit(cache=True)
def _publish(level, height, starts, previous, state, left, first, last, symbol, parent, remaining, hits, room):  # type: ignore[no-untyped-def]
    """Publish the grams of height + level symbols while there is `room` for items; returns the copies of each."""
    size = height + level
    windows = np.empty(level + 1, np.int64)
    trail = np.full(level + 1, -1, np.int64)
    gram = np.empty(size, np.int64)
    seen = np.empty(size * height, np.int64)
    copies = np.zeros(len(left), np.int64)
    for i in range(len(left)):
        if left[i] < 0.5:
            continue
        at = i
        w = level
        while w >= 0 and trail[w] != at:  # below, the walk is that of the gram before
            trail[w] = at
            windows[w] = state[starts[w] + at]
            gram[height - 1 + w] = symbol[windows[w]]
            at = previous[starts[w] + at]
            w -= 1
        if w < 0:
            node = parent[windows[0]]
            for j in range(height - 2, -1, -1):
                gram[j] = symbol[node]
                node = parent[node]
        spent = False
        for w in range(level, -1, -1):
            if remaining[windows[w]] < 0.5:  # no copy fits under this window
                spent = True
                break
        if spent:
            continue
        n, absent = _contained(windows, level + 1, gram, size, first, last, symbol, parent, hits, seen)
        copies[i] = _copies(0.0 if absent else left[i], n, seen, hits, remaining, room // (size + 2))
        room -= copies[i] * (size + 2)
    return copies


@njit(cache=True)
def _spelled(level, height, starts, previous, state, copies, symbol, parent):  # type: ignore[no-untyped-def]
    """The items of published grams, as many times as they are published."""
    size = height + level
    items = np.empty(copies.sum() * size, np.int32)
    out = 0
    for i in range(len(copies)):
        if copies[i] == 0:
            continue
        at = i
        node = 0
        for w in range(level, -1, -1):
            node = state[starts[w] + at]
            items[out + height - 1 + w] = symbol[node]
            at = previous[starts[w] + at]
        node = parent[node]
        for j in range(height - 2, -1, -1):
            items[out + j] = symbol[node]
            node = parent[node]
        for j in range(out + size, out + copies[i] * size):
            items[j] = items[j - size]
        out += copies[i] * size
    return items


@dataclass(frozen=True, slots=True, eq=False)
class _Grams:
    """Extensions of several lengths in one array each; those of length height + w are starts[w]:starts[w + 1]."""

    height: int
    starts: NDArray[np.int64]
    previous: NDArray[np.int64]
    state: NDArray[np.int64]

    @classmethod
    def of(cls, height: int, levels: list[Extension]) -> _Grams:
        starts = np.cumsum([0, *(len(e.state) for e in levels)]).astype(np.int64)
        return cls(height, starts, np.concatenate([e.previous for e in levels]), np.concatenate([e.state for e in levels]))


def _publish_length(
    tree: ConsistentTree,
    grams: _Grams,
    level: int,
    left: NDArray[np.float64],
    remaining: NDArray[np.float64],
    hits: NDArray[np.int64],
    records: list[Flat],
) -> NDArray[np.int64]:
    """Publish the grams of height + level symbols into `records`; returns the copies of every gram."""
    room = MOST_ITEMS - sum(len(r.items) + 2 * len(r) for r in records)
    copies: NDArray[np.int64] = _publish(
        level, grams.height, grams.starts, grams.previous, grams.state, left,
        tree.first, tree.last, tree.symbol, tree.parent, remaining, hits, room,
    )  # fmt: skip
    items = _spelled(level, grams.height, grams.starts, grams.previous, grams.state, copies, tree.symbol, tree.parent)
    records.append(Flat(items, np.arange(copies.sum() + 1, dtype=np.int64) * (grams.height + level)))
    return copies


def synthesize(tree: ConsistentTree, l_max: int) -> Flat:
    """The published construction: whole records, longest first."""
    if tree.height == 0:
        return Flat.of([])
    levels = extend(tree, l_max)
    extended = _Grams.of(tree.height, levels)
    remaining = tree.count.copy()
    hits = np.zeros(len(tree), np.int64)
    records: list[Flat] = []
    # Of the records published so far: how often each gram of the current length occurs in them followed by something,
    # and how many of them end with it.
    inside: NDArray[Any] = np.zeros(len(levels[-1].state))
    ending: NDArray[Any] = np.zeros(len(levels[-1].state))
    for level in range(len(levels) - 1, 0, -1):
        here = levels[level]
        left = here.count - inside - ending
        copies = _publish_length(tree, extended, level, left, remaining, hits, records)
        ending += copies
        shorter = len(levels[level - 1].state)
        inside, all_ending = np.bincount(here.previous, inside + ending, shorter), ending
        linked = here.suffix >= 0
        ending = np.bincount(here.suffix[linked], all_ending[linked], shorter)
    for level in range(min(tree.height, l_max), 0, -1):  # with n_max > l_max noise makes grams that no record can hold
        nodes = np.arange(tree.levels[level], tree.levels[level + 1])
        nodes = nodes[tree.symbol[nodes] != tree.labels]
        alone = _Grams.of(level, [Extension(tree.parent[nodes], nodes, nodes, tree.count[nodes])])
        _publish_length(tree, alone, 0, remaining[nodes].copy(), remaining, hits, records)
    return stitch(_joined(records), tree, remaining, l_max)


def _joined(records: list[Flat]) -> Flat:
    """All records in one."""
    offsets = np.empty(1 + sum(len(r) for r in records), np.int64)
    row = end = 0
    for part in records:
        np.add(part.offsets[:-1], end, out=offsets[row : row + len(part)])
        row += len(part)
        end += len(part.items)
    offsets[-1] = end
    return Flat(np.concatenate([r.items for r in records]), offsets)
