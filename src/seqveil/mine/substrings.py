"""Substrings of a prefix tree: a pattern occurs as often as the prefixes that end with it (thesis 002 §3.2, Example 3.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.publish.prefix.tree import PrefixTree


def spelled(tree: PrefixTree, nodes: NDArray[np.int64], length: int) -> list[tuple[int, ...]]:
    """The last `length` labels of nodes."""
    columns = []
    for _ in range(length):
        columns.append(tree.symbol[nodes])
        nodes = tree.parent[nodes]
    return [tuple(row) for row in np.stack(columns[::-1], axis=1).tolist()]


def top_substrings(
    tree: PrefixTree, count: NDArray[np.float64], labels: int, shortest: int, longest: int, most: int
) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
    """The most frequent substrings of the given lengths and their frequencies: sums of the counts of prefixes they end.

    >>> tree = PrefixTree()
    >>> def level(parent, symbol):
    ...     some = np.zeros(len(parent), np.int64)
    ...     tree.grow(np.array(parent), np.array(symbol), some, some * 1.0, some, some)
    >>> level([0, 0], [0, 1]); level([1, 2], [1, 0]); level([4], [1])      # a, b, ab, ba, bab
    >>> top_substrings(tree, np.array([0, 5, 4, 3, 2, 1.0]), labels=2, shortest=2, longest=3, most=2)
    ([(0, 1), (1, 0)], array([4., 2.]))
    """
    patterns: list[tuple[int, ...]] = []
    frequency: list[NDArray[np.float64]] = []
    depth = tree.depth
    suffix = np.zeros(len(tree), np.int64)  # the number of each node's last n labels among those of length n
    for n in range(1, min(longest, tree.height) + 1):
        nodes = np.flatnonzero(depth >= n)
        key = suffix[tree.parent[nodes]] * labels + tree.symbol[nodes]
        _, one_of, number = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(number.reshape(-1), count[nodes], len(one_of)).astype(np.float64)
        suffix = np.zeros(len(tree), np.int64)
        suffix[nodes] = number.reshape(-1)
        if n >= shortest:
            best = np.argsort(-total, kind="stable")[:most]
            patterns += spelled(tree, nodes[one_of[best]], n)
            frequency.append(total[best])
    if not patterns:
        return [], np.zeros(0)
    whole = np.concatenate(frequency)
    order = np.argsort(-whole, kind="stable")[:most]
    return [patterns[i] for i in order], whole[order]
