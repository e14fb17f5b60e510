"""GeneratePrivateRelease (§6.3.1): records from a consistent prefix tree, in post-order. Post-processing.

c̄(v) minus the counts of v's children are records that end at v. These are fractions; in post-order the nodes below v stand
together, so rounding the running total keeps every prefix's number of records within one of its estimate, and loses nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.prefix.tree import PrefixTree
from seqveil.tables.flat import Flat


@njit(cache=True)
def _post_order(first, last):  # type: ignore[no-untyped-def]
    order = np.empty(len(first) - 1, np.int64)
    stack = np.empty(len(first), np.int64)
    cursor = first.copy()
    stack[0] = 0
    top = 1
    done = 0
    while top > 0:
        # Invariant: the stack holds a path from the root, and everything left of it has been written.
        v = stack[top - 1]
        if cursor[v] < last[v]:
            stack[top] = cursor[v]
            cursor[v] += 1
            top += 1
        else:
            top -= 1
            if v > 0:
                order[done] = v
                done += 1
    return order


@njit(cache=True)
def _spelled(nodes, depth, parent, symbol):  # type: ignore[no-untyped-def]
    offsets = np.zeros(len(nodes) + 1, np.int64)
    for i in range(len(nodes)):
        offsets[i + 1] = offsets[i] + depth[nodes[i]]
    items = np.empty(offsets[-1], np.int32)
    for i in range(len(nodes)):
        node = nodes[i]
        for at in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            items[at] = symbol[node]
            node = parent[node]
    return items, offsets


def generate(tree: PrefixTree, consistent: NDArray[np.float64]) -> Flat:
    """The records that realise consistent counts."""
    first, last = tree.families()
    below = np.bincount(tree.parent[1:], consistent[1:], len(tree))
    order = _post_order(first, last)
    ending = np.maximum(consistent - below, 0.0)[order]
    copies = np.diff(np.concatenate([[0], np.floor(np.cumsum(ending) + 0.5).astype(np.int64)]))
    nodes = order[copies > 0]
    items, offsets = _spelled(nodes, tree.depth, tree.parent, tree.symbol)
    return Flat(items, offsets).take(np.repeat(np.arange(len(nodes)), copies[copies > 0]))
