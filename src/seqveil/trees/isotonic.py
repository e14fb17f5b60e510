"""Consistent counts of a noisy prefix tree [Chen thesis, §6.3.1, Theorem 6.3]. Post-processing.

First, every root-to-leaf path gets the counts that never rise downwards and fit its noisy counts best (isotonic regression, each
count weighing as much as its noise allows), and a node the mean over the paths through it. Then, top-down, children whose sum
exceeds their parent are lowered by equal amounts. As printed this may leave counts below zero and sums above the parent; so
counts are clipped at 0 and what still exceeds the parent is scaled down. After that the constraints of Definition 6.6 really
hold (docs/soundness.md, 'Consistent prefix counts').
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.trees.tree import Floats, LevelTree


@njit(cache=True)
def _path_means(parent, value_of, weight_of, first, last, height):  # type: ignore[no-untyped-def]
    total = np.zeros(len(parent))
    paths = np.zeros(len(parent), np.int64)
    node_at = np.empty(height + 1, np.int64)
    mean = np.empty(height + 1)
    size = np.empty(height + 1, np.int64)
    mass = np.empty(height + 1)
    for leaf in range(1, len(parent)):
        if first[leaf] < last[leaf]:
            continue
        blocks = 0
        length = 0
        node = leaf
        while node > 0:
            node_at[length] = node
            length += 1
            # Invariant: the blocks cover the path from the leaf up to here, and their means rise strictly.
            value, weight, members = value_of[node], weight_of[node], 1
            while blocks > 0 and mean[blocks - 1] >= value:
                blocks -= 1
                value = (value * weight + mean[blocks] * mass[blocks]) / (weight + mass[blocks])
                weight += mass[blocks]
                members += size[blocks]
            mean[blocks] = value
            mass[blocks] = weight
            size[blocks] = members
            blocks += 1
            node = parent[node]
        at = 0
        for b in range(blocks):
            for _ in range(size[b]):
                total[node_at[at]] += mean[b]
                paths[node_at[at]] += 1
                at += 1
    return total / np.maximum(paths, 1)


@njit(cache=True)
def _top_down(estimate, first, last):  # type: ignore[no-untyped-def]
    out = np.maximum(estimate, 0.0)
    for w in range(1, len(out)):
        # Invariant: out[w] is final, because parents stand before their children.
        n = last[w] - first[w]
        if n == 0:
            continue
        excess = (estimate[first[w] : last[w]].sum() - out[w]) / n
        if excess > 0:
            total = 0.0
            for u in range(first[w], last[w]):
                out[u] = max(estimate[u] - excess, 0.0)
                total += out[u]
        else:
            total = out[first[w] : last[w]].sum()
        if total > out[w]:
            for u in range(first[w], last[w]):
                out[u] *= out[w] / total
    return out


def isotonic_counts(tree: LevelTree, value: Floats, scale: Floats) -> Floats:
    """c̃(v): the mean of v's isotonic estimates over all root-to-leaf paths through v; 0 at the root."""
    weight = 1.0 / np.maximum(scale, 1e-9) ** 2
    count: Floats = _path_means(tree.parent, value, weight, tree.first, tree.last, tree.height)
    return count


def consistent_counts(tree: LevelTree, value: Floats | None = None, scale: Floats | None = None) -> LevelTree:
    """The tree with counts c̄(v): never negative, children never sum to more than their parent; 0 at the root, which has none.

    `value` and `scale` replace the noisy answers and their scales, where a node was asked more than once.
    """
    answer = tree.noisy.astype(np.float64) if value is None else value
    count = isotonic_counts(tree, answer, tree.scale if scale is None else scale)
    return tree.with_counts(_top_down(count, tree.first, tree.last))
