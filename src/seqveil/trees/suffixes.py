"""Suffixes within a level tree: where a Markov chain reads the probabilities of what follows an n-gram. Post-processing.

A suffix is shorter than its n-gram, so it stands on a level that was complete before: links of the nodes of a growing tree are
found when they are first needed, and stay.
"""

from __future__ import annotations

import numpy as np

from seqveil.trees.tree import Ints, LevelTree


def suffix_links(tree: LevelTree) -> Ints:
    """For each node the longest proper suffix of its n-gram that the tree has; the root is the empty one.

    >>> tree = LevelTree(labels=2)
    >>> tree.add(np.array([0, 0]), np.array([0, 1]), noisy=np.array([5, 4]))         # a, b
    >>> tree.add(np.array([1, 2]), np.array([1, 0]), noisy=np.array([3, 2]))         # ab, ba
    >>> tree.add(np.array([3]), np.array([0]), noisy=np.array([1]))                  # aba
    >>> suffix_links(tree).tolist()                                                  # the last: from aba to ba
    [0, 0, 0, 2, 1, 4]
    """
    for depth in range(1, tree.height + 1):
        if tree.levels[depth] >= len(tree.suffix):
            tree.suffix = np.concatenate([tree.suffix, _linked(tree, tree.level(depth))])
    return tree.suffix


def _linked(tree: LevelTree, nodes: Ints) -> Ints:
    link = np.zeros(len(nodes), np.int64)
    symbol = tree.symbol[nodes]
    at = tree.parent[nodes]
    open_ = np.flatnonzero(at > 0)
    while len(open_):
        # Invariant: `at` spells the longest suffix of the parent's n-gram not yet tried for the nodes still open.
        at[open_] = tree.suffix[at[open_]]
        link[open_] = tree.child(at[open_], symbol[open_])
        open_ = open_[(link[open_] == 0) & (at[open_] > 0)]
    return link


def markov_contexts(tree: LevelTree, nodes: Ints) -> Ints:
    """The longest proper suffix of each n-gram that has children in the tree.

    >>> tree = LevelTree(labels=2)
    >>> tree.add(np.array([0, 0]), np.array([0, 1]), noisy=np.array([5, 4]))         # a, b
    >>> tree.add(np.array([1, 1]), np.array([0, 1]), noisy=np.array([3, 2]))         # aa, ab
    >>> markov_contexts(tree, np.array([3, 4])).tolist()                             # a has children, b has none
    [1, 0]
    """
    link = suffix_links(tree)
    context = link[nodes]
    while True:
        unknown = (context > 0) & (tree.first[context] == tree.last[context])
        if not unknown.any():
            return np.asarray(context)
        context = np.where(unknown, link[context], context)
