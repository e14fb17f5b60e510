"""Synthetic sequential database construction [Chen 2012, §4.3.5]. Post-processing.

The longest grams are published first, and what a published record contains is subtracted from the counts of the tree. What
is then left of a gram's count are the records that end with it, so the terminator needs no records of its own. A gram is
published at most so often that no count it contains goes below −½, and not at all when it contains a gram that the tree
knows to be missing (docs/soundness.md, 'The publication cap'); without that the joins over-publish long runs of one item.
With exact counts and n_max = l_max the truncated database comes back exactly (Theorem 4.1).

All three can be turned off, which is the construction as printed: grams with the terminator are published, as the records they
end; every gram as often as its count says; and fragments stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.copies import Copies
from seqveil.publish.ngram.extension import Extension, extend
from seqveil.publish.ngram.stitching import stitch
from seqveil.publish.ngram.suffixes import SuffixLinks, spell, walk
from seqveil.release.limits import MOST_ITEMS
from seqveil.tables.flat import Flat
from seqveil.trees.tree import LevelTree


@njit(cache=True, inline="always")
def _climb(node, parent, hits, seen, n):  # type: ignore[no-untyped-def]
    """Count a node and all above it in `hits`; those not `seen` before are added there."""
    while node > 0:
        seen[n] = node
        n += hits[node] == 0
        hits[node] += 1
        node = parent[node]
    return n


@njit(cache=True, inline="always")
def _contained(windows, first, last, symbol, parent, link, whole, tail, hits, seen):  # type: ignore[no-untyped-def]
    """Count in `hits` how often every node of the tree occurs in a gram; returns how many distinct ones were `seen`.

    A walk down the tree from some start position is read backwards from the node where it ends. The `windows` are those of
    full height; the walks from later positions follow the suffix links, or go symbol by symbol where one broke off.
    """
    n = 0
    for w in range(len(windows)):
        n = _climb(windows[w], parent, hits, seen, n)
    node = windows[len(windows) - 1]
    while whole[node] and link[node] > 0:
        node = link[node]
        n = _climb(node, parent, hits, seen, n)
    if not whole[node]:
        begin = spell(parent, symbol, node, tail)
        for j in range(begin + 1, len(tail)):
            stop, _ = walk(first, last, symbol, tail, j)
            n = _climb(stop, parent, hits, seen, n)
    return n


@njit(cache=True, inline="always")
def _subtract(wanted, n, seen, hits, remaining, cap):  # type: ignore[no-untyped-def]
    """How many of the `wanted` copies the cap allows; they are subtracted from every count they contain."""
    copies = wanted
    for i in range(n):
        most = remaining[seen[i]] + 0.5
        if cap and copies * hits[seen[i]] > most:
            copies = min(copies, int(np.floor(most / hits[seen[i]])))
    copies = max(copies, 0)
    for i in range(n):
        remaining[seen[i]] -= copies * hits[seen[i]]
        hits[seen[i]] = 0
    return copies


@njit(cache=True)
def _publish(  # type: ignore[no-untyped-def]
    level, height, starts, previous, state, left, first, last, symbol, parent, link, whole, absent, remaining, hits, room, cap
):
    """Publish the grams of height + level symbols while there is `room` for items; returns the copies of each."""
    size = height + level
    windows = np.empty(level + 1, np.int32)
    trail = np.full(level + 1, -1, np.int64)
    tail = np.empty(height, np.int64)
    seen = np.empty(size * height + 1, np.int32)
    copies = np.zeros(len(left), np.int64)
    for i in range(len(left)):
        if left[i] < 0.5 or (cap and absent[state[starts[level] + i]]):
            continue
        at = i
        w = level
        fits = True  # with less than ½ left of a window no copy does
        while w >= 0 and trail[w] != at:  # below, the walk is that of the gram before
            trail[w] = at
            windows[w] = state[starts[w] + at]
            at = previous[starts[w] + at]
            w -= 1
        for w in range(level, -1, -1):
            if cap and remaining[windows[w]] < 0.5:
                fits = False
                break
        if fits:
            n = _contained(windows, first, last, symbol, parent, link, whole, tail, hits, seen)
            wanted = int(min(np.floor(left[i] + 0.5), room // (size + 2)))
            copies[i] = _subtract(wanted, n, seen, hits, remaining, cap)
            room -= copies[i] * (size + 2)
    return copies


@njit(cache=True)
def _spelled(level, height, starts, previous, state, published, symbol, parent):  # type: ignore[no-untyped-def]
    """The items of published grams, each gram once."""
    size = height + level
    items = np.empty((len(published), size), np.int32)
    for row in range(len(published)):
        at = published[row]
        node = 0
        for w in range(level, -1, -1):
            node = state[starts[w] + at]
            items[row, height - 1 + w] = symbol[node]
            at = previous[starts[w] + at]
        for j in range(height - 2, -1, -1):
            node = parent[node]
            items[row, j] = symbol[node]
    return items


@njit(cache=True)
def _pass_on(previous, suffix, inside, ending, shorter):  # type: ignore[no-untyped-def]
    """From how often grams occur in records, followed by something or ending them, the same for grams one symbol shorter."""
    inside_shorter, ending_shorter = np.zeros(shorter), np.zeros(shorter)
    for i in range(len(previous)):
        inside_shorter[previous[i]] += inside[i] + ending[i]
        if suffix[i] >= 0:
            ending_shorter[suffix[i]] += ending[i]
    return inside_shorter, ending_shorter


@dataclass(frozen=True, slots=True, eq=False)
class _Grams:
    """Extensions of several lengths in one array each; those of length height + w are starts[w]:starts[w + 1]."""

    height: int
    starts: NDArray[np.int64]
    previous: NDArray[np.int32]
    state: NDArray[np.int32]

    @classmethod
    def of(cls, height: int, levels: list[Extension]) -> _Grams:
        starts = np.cumsum([0, *(len(e.state) for e in levels)]).astype(np.int64)
        return cls(height, starts, np.concatenate([e.previous for e in levels]), np.concatenate([e.state for e in levels]))


class _Counts:
    """What the records published so far leave of the tree's counts."""

    def __init__(self, tree: LevelTree, links: SuffixLinks, cap: bool) -> None:
        self.tree, self.links, self.cap = tree, links, cap
        self.parent = tree.parent.astype(np.int32)
        self.remaining = tree.count.copy()
        self.hits = np.zeros(len(tree), np.int32)
        # With very little ε noise alone can ask for trillions of records: no more is published than a release can hold and be
        # read again. A record counts as two items more than it has, for its offset.
        self.room = MOST_ITEMS
        self.published: list[Copies] = []

    def publish(self, grams: _Grams, level: int, left: NDArray[np.float64]) -> NDArray[np.int64]:
        """Publish grams of height + level symbols, of which so many are `left`; returns the copies of every gram."""
        tree, walks = self.tree, (level, grams.height, grams.starts, grams.previous, grams.state)
        copies: NDArray[np.int64] = _publish(
            *walks, left, tree.first, tree.last, tree.symbol, self.parent,
            self.links.link, self.links.whole, self.links.absent, self.remaining, self.hits, self.room, self.cap,
        )  # fmt: skip
        chosen = np.flatnonzero(copies)
        items = _spelled(*walks, chosen, tree.symbol, self.parent)
        inside = items != tree.labels  # a terminator is no item of the record that it ends
        self.published.append(Copies(items[inside], inside.sum(axis=1), copies[chosen]))
        self.room -= int(copies.sum()) * (grams.height + level + 2)
        return copies


def synthesize(tree: LevelTree, l_max: int, *, cap: bool = True, joints: bool = True, implied_ends: bool = True) -> Flat:
    """The published construction: whole records, longest first."""
    if tree.height == 0:
        return Flat.of([])
    links = SuffixLinks.of(tree)
    counts = _Counts(tree, links, cap)
    levels = extend(tree, links, l_max, ends=not implied_ends)
    extended = _Grams.of(tree.height, levels)
    # Of the records published so far: how often each gram of the current length occurs in them followed by something,
    # and how many of them end with it.
    inside = ending = np.zeros(len(levels[-1].state))
    for level in range(len(levels) - 1, 0, -1):
        here = levels[level]
        ending = ending + counts.publish(extended, level, here.count - inside - ending)
        inside, ending = _pass_on(here.previous, here.suffix, inside, ending, len(levels[level - 1].state))
    for level in range(min(tree.height, l_max), 0, -1):  # with n_max > l_max noise makes grams that no record can hold
        nodes = np.arange(tree.levels[level], tree.levels[level + 1], dtype=np.int32)
        nodes = nodes[(tree.symbol[nodes] != tree.labels) | (not implied_ends)]
        alone = _Grams.of(level, [Extension(counts.parent[nodes], nodes, nodes, tree.count[nodes])])
        counts.publish(alone, 0, counts.remaining[nodes])
    return stitch(Copies.joined(counts.published), tree, counts.remaining, l_max, joints)
