"""Extending the tree by joins [Chen 2012, §4.3.5]: g₁ ⋈ g₂ has the count c(g₁)·c(g₂)/c(overlap). Post-processing.

Every window of `height` symbols in a gram longer than the tree is a node of the tree's deepest level, so an extended gram
is a walk over these nodes: it is stored as the gram it extends and the node of its last window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.consistency import NEGLIGIBLE
from seqveil.publish.ngram.suffixes import SuffixLinks
from seqveil.trees.tree import LevelTree

MOST_JOINED = 50_000_000
"""Joined grams are kept in memory: the extension ends at the length that would make more of them than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Extension:
    """Grams of one length beyond the tree.

    `previous` is the gram without its last symbol and `suffix` the gram without its first one, both among the grams one
    symbol shorter (-1 where that suffix was dropped); `state` is the node of the last window. The continuations of a gram
    stand together, by rising state: those of gram i are where `previous == i`.
    """

    previous: NDArray[np.int32]
    suffix: NDArray[np.int32]
    state: NDArray[np.int32]
    count: NDArray[np.float64]


@njit(cache=True)
def _join(state, count, overlap, first, last, tree_count, falling, weight, negligible, most):  # type: ignore[no-untyped-def]
    """All joins of the grams of one length with the deepest level, or none if they are more than `most`.

    `falling` holds each family of the deepest level by falling `weight`, so a gram's joins end at the first negligible one.
    Also returns where the continuations of each gram begin.
    """
    begin = np.zeros(len(state) + 1, np.int64)
    n = 0
    for i in range(len(state)):
        middle = overlap[state[i]]
        if middle > 0 and tree_count[middle] > 0:
            rate = count[i] / tree_count[middle]
            at = first[middle]
            while at < last[middle] and rate * weight[at] >= negligible:
                at += 1
            n += at - first[middle]
        begin[i + 1] = n
    if n > most:
        n = 0
        begin[:] = 0
    previous = np.empty(n, np.int32)
    following = np.empty(n, np.int32)
    joined = np.empty(n, np.float64)
    for i in range(len(state)):
        if begin[i] == begin[i + 1]:
            continue
        middle = overlap[state[i]]
        rate = count[i] / tree_count[middle]
        for j in range(begin[i], begin[i + 1]):
            w = falling[first[middle] + j - begin[i]]
            at = j
            while at > begin[i] and following[at - 1] > w:
                following[at] = following[at - 1]
                at -= 1
            following[at] = w
            previous[j] = i
        for j in range(begin[i], begin[i + 1]):
            joined[j] = rate * tree_count[following[j]]
    return begin, previous, following, joined


@njit(cache=True)
def _suffixes(begin, state, suffix, begin_above, state_above):  # type: ignore[no-untyped-def]
    """The gram without its first symbol continues the suffix of the previous gram by the same state."""
    out = np.full(len(state), -1, np.int32)
    for g in range(len(suffix)):
        s = suffix[g]
        if s < 0:
            continue
        at = begin_above[s]
        for i in range(begin[g], begin[g + 1]):
            while at < begin_above[s + 1] and state_above[at] < state[i]:
                at += 1
            if at < begin_above[s + 1] and state_above[at] == state[i]:
                out[i] = at
    return out


def extend(tree: LevelTree, links: SuffixLinks, l_max: int, ends: bool = False) -> list[Extension]:
    """Grams of lengths height, height + 1, … up to l_max symbols; the first are the tree's. With `ends`, terminated ones too."""
    height = tree.height
    nodes = np.arange(tree.levels[height], tree.levels[height + 1], dtype=np.int32)
    nodes = nodes[ends | (tree.symbol[nodes] != tree.labels)]
    shorter = tree.parent[nodes].astype(np.int32)
    levels = [Extension(shorter, np.full(len(nodes), -1, np.int32), nodes, tree.count[nodes])]
    if height < 2 or len(nodes) == 0:
        return levels
    overlap = np.where(links.whole, links.link, 0)
    falling, weight = _falling(tree, ends)
    number = np.full(len(tree), -1, np.int32)
    number[nodes] = np.arange(len(nodes))
    begin_above = np.zeros(0, np.int64)
    for _ in range(height, l_max):
        above = levels[-1]
        begin, previous, state, count = _join(
            above.state, above.count, overlap, tree.first, tree.last, tree.count, falling, weight,
            NEGLIGIBLE, MOST_JOINED - sum(len(level.state) for level in levels),
        )  # fmt: skip
        if len(state) == 0:
            break
        # The suffix of a gram of height + 1 symbols is its last window itself.
        suffix = number[state] if len(levels) == 1 else _suffixes(begin, state, above.suffix, begin_above, above.state)
        levels.append(Extension(previous, suffix, state, count))
        begin_above = begin
    return levels


def _falling(tree: LevelTree, ends: bool) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The nodes with the families of the deepest level by falling count, and these counts; without `ends`, what ends has none."""
    base = tree.levels[tree.height]
    weight = tree.count if ends else np.where(tree.symbol == tree.labels, 0.0, tree.count)
    falling = np.arange(len(tree), dtype=np.int32)
    falling[base:] = base + np.lexsort((-weight[base:], tree.parent[base:]))
    return falling, weight[falling]
