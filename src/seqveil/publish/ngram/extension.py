"""Extending the tree by joins (paper §4.3.5): g₁ ⋈ g₂ has the count c(g₁)·c(g₂)/c(overlap). Post-processing.

Every window of `height` symbols in a gram longer than the tree is a node of the tree's deepest level, so an extended gram
is a walk over these nodes: it is stored as the gram it extends and the node of its last window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.consistency import NEGLIGIBLE, ConsistentTree

MOST_JOINED = 50_000_000
"""Joined grams are kept in memory: the extension ends at the length that would make more of them than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """Grams of one length beyond the tree.

    `previous` is the gram without its last symbol and `suffix` the gram without its first one, both among the grams one
    symbol shorter (-1 where that suffix was dropped); `state` is the node of the last window. The continuations of a gram
    stand together, by rising state: those of gram i are where `previous == i`.
    """

    previous: NDArray[np.int64]
    suffix: NDArray[np.int64]
    state: NDArray[np.int64]
    count: NDArray[np.float64]


@njit(cache=True)
def child(first, last, symbol, node, x):  # type: ignore[no-untyped-def]
    """The child of a node with symbol x by bisection, or 0."""
    low, high = first[node], last[node]
    while low < high:
        middle = (low + high) // 2
        if symbol[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < last[node] and symbol[low] == x else 0


@njit(cache=True)
def _overlaps(parent, first, last, symbol, nodes, height):  # type: ignore[no-untyped-def]
    """For each node of the deepest level the node that spells its gram without the first symbol, or 0."""
    out = np.zeros(len(nodes), np.int64)
    gram = np.empty(height, np.int64)
    for i in range(len(nodes)):
        node = nodes[i]
        for j in range(height - 1, -1, -1):
            gram[j] = symbol[node]
            node = parent[node]
        at = 0
        for j in range(1, height):
            at = child(first, last, symbol, at, gram[j])
            if at == 0:
                break
        out[i] = at
    return out


@njit(cache=True)
def _join(state, count, overlap, base, first, last, symbol, tree_count, end_symbol, negligible, most):  # type: ignore[no-untyped-def]
    """All joins of the grams of one length with the deepest level, or none if they are more than `most`.

    What ends is left behind.
    """
    previous = np.empty(0, np.int64)
    following = np.empty(0, np.int64)
    joined = np.empty(0, np.float64)
    n = 0
    for write in range(2):
        if write:
            if n > most:
                break
            previous = np.empty(n, np.int64)
            following = np.empty(n, np.int64)
            joined = np.empty(n, np.float64)
            n = 0
        for i in range(len(state)):
            middle = overlap[state[i] - base]
            if middle == 0 or tree_count[middle] <= 0:
                continue
            rate = count[i] / tree_count[middle]
            for w in range(first[middle], last[middle]):
                if symbol[w] == end_symbol:
                    continue
                c = rate * tree_count[w]
                if c >= negligible:
                    if write:
                        previous[n] = i
                        following[n] = w
                        joined[n] = c
                    n += 1
    return previous, following, joined


@njit(cache=True)
def _suffixes(previous, state, shorter_suffix, shorter_previous, shorter_state, shorter_size):  # type: ignore[no-untyped-def]
    """The gram without its first symbol continues the suffix of the previous gram by the same state."""
    begin = np.searchsorted(shorter_previous, np.arange(shorter_size + 1))
    out = np.full(len(previous), -1, np.int64)
    for i in range(len(previous)):
        s = shorter_suffix[previous[i]]
        if s >= 0:
            low, high = begin[s], begin[s + 1]
            at = low + np.searchsorted(shorter_state[low:high], state[i])
            if at < high and shorter_state[at] == state[i]:
                out[i] = at
    return out


def extend(tree: ConsistentTree, l_max: int) -> list[Extension]:
    """Grams of lengths height, height + 1, … up to l_max items; the first are the tree's own."""
    height = tree.height
    nodes = np.arange(tree.levels[height], tree.levels[height + 1])
    nodes = nodes[tree.symbol[nodes] != tree.labels]
    levels = [Extension(tree.parent[nodes], np.full(len(nodes), -1), nodes, tree.count[nodes])]
    if height < 2 or len(nodes) == 0:
        return levels
    base = tree.levels[height]
    overlap = _overlaps(tree.parent, tree.first, tree.last, tree.symbol, np.arange(base, tree.levels[height + 1]), height)
    number = np.full(len(overlap), -1)
    number[nodes - base] = np.arange(len(nodes))
    for _ in range(height, l_max):
        above = levels[-1]
        previous, state, count = _join(
            above.state, above.count, overlap, base, tree.first, tree.last, tree.symbol, tree.count,
            tree.labels, NEGLIGIBLE, MOST_JOINED - sum(len(level.state) for level in levels),
        )  # fmt: skip
        if len(state) == 0:
            break
        if len(levels) == 1:  # the suffix of a gram of height + 1 symbols is its last window itself
            suffix = number[state - base]
        else:
            suffix = _suffixes(previous, state, above.suffix, above.previous, above.state, len(levels[-2].state))
        levels.append(Extension(previous, suffix, state, count))
    return levels
