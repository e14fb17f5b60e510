"""Spelling: the symbols that lead to nodes of a level tree. Post-processing."""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.tables.flat import Flat
from seqveil.trees.tree import Ints, LevelTree


@njit(cache=True)
def _spelled(nodes, lengths, parent, symbol):  # type: ignore[no-untyped-def]
    offsets = np.zeros(len(nodes) + 1, np.int64)
    for i in range(len(nodes)):
        offsets[i + 1] = offsets[i] + lengths[i]
    items = np.empty(offsets[-1], np.int32)
    for i in range(len(nodes)):
        node = nodes[i]
        for at in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            items[at] = symbol[node]
            node = parent[node]
    return items, offsets


def spelled(tree: LevelTree, nodes: Ints, last: int | None = None) -> Flat:
    """The symbols of every node, from the root down; of the `last` few only, where a number is given.

    >>> tree = LevelTree(labels=3)
    >>> for symbol in (2, 0, 1):
    ...     tree.add(tree.deepest, np.array([symbol]), noisy=np.array([7]))
    >>> [codes.tolist() for codes in spelled(tree, np.array([1, 3]))], spelled(tree, np.array([3]), last=2).items.tolist()
    ([[2], [2, 0, 1]], [0, 1])
    """
    lengths = tree.depth[nodes] if last is None else np.minimum(tree.depth[nodes], last)
    return Flat(*_spelled(nodes, lengths, tree.parent, tree.symbol))
