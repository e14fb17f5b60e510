"""GeneratePrivateRelease [Chen thesis, §6.3.1]: records from a consistent prefix tree, in post-order. Post-processing.

c̄(v) minus the counts of v's children are records that end at v. These are fractions; in post-order the nodes below v stand
together, so rounding the running total keeps every prefix's number of records within one of its estimate, and loses nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.tables.flat import Flat
from seqveil.trees.spelling import spelled
from seqveil.trees.tree import LevelTree


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


def generate(tree: LevelTree) -> Flat:
    """The records that realise consistent counts."""
    below = np.bincount(tree.parent[1:], tree.count[1:], len(tree))
    order = _post_order(tree.first, tree.last)
    ending = np.maximum(tree.count - below, 0.0)[order]
    copies = np.diff(np.concatenate([[0], np.floor(np.cumsum(ending) + 0.5).astype(np.int64)]))
    return spelled(tree, order[copies > 0]).take(np.repeat(np.arange(np.count_nonzero(copies)), copies[copies > 0]))
