"""Substrings of a prefix tree: a pattern occurs as often as the prefixes that end with it [Bonomi thesis, §3.2, Ex. 3.5]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.trees.spelling import spelled
from seqveil.trees.tree import LevelTree


def top_substrings(tree: LevelTree, shortest: int, longest: int, most: int) -> tuple[list[tuple[int, ...]], NDArray[np.float64]]:
    """The most frequent substrings of the given lengths and their frequencies: sums of the counts of prefixes they end.

    >>> tree = LevelTree(labels=2)
    >>> tree.add(np.array([0, 0]), np.array([0, 1]), noisy=np.array([5, 4]))         # a, b
    >>> tree.add(np.array([1, 2]), np.array([1, 0]), noisy=np.array([3, 2]))         # ab, ba
    >>> tree.add(np.array([4]), np.array([1]), noisy=np.array([1]))                  # bab
    >>> top_substrings(tree, shortest=2, longest=3, most=2)
    ([(0, 1), (1, 0)], array([4., 2.]))
    """
    patterns: list[tuple[int, ...]] = []
    frequency: list[NDArray[np.float64]] = []
    depth = tree.depth
    suffix = np.zeros(len(tree), np.int64)  # the number of each node's last n labels among those of length n
    for n in range(1, min(longest, tree.height) + 1):
        nodes = np.flatnonzero(depth >= n)
        key = suffix[tree.parent[nodes]] * tree.labels + tree.symbol[nodes]
        _, one_of, number = np.unique(key, return_index=True, return_inverse=True)
        total = np.bincount(number.reshape(-1), tree.count[nodes], len(one_of)).astype(np.float64)
        suffix = np.zeros(len(tree), np.int64)
        suffix[nodes] = number.reshape(-1)
        if n >= shortest:
            best = np.argsort(-total, kind="stable")[:most]
            patterns += [tuple(codes.tolist()) for codes in spelled(tree, nodes[one_of[best]], last=n)]
            frequency.append(total[best])
    if not patterns:
        return [], np.zeros(0)
    whole = np.concatenate(frequency)
    order = np.argsort(-whole, kind="stable")[:most]
    return [patterns[i] for i in order], whole[order]
