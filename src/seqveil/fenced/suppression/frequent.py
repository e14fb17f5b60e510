"""Maximal frequent sequences (MFS) and where each pair occurs in them: the MFS-tree's UL table and links, as flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.fenced.suppression.lookup import find
from seqveil.fenced.suppression.mining import find_violations
from seqveil.fenced.suppression.model import KCL
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable


@dataclass(frozen=True, slots=True, eq=False)
class MaximalFrequent:
    """U(T): sequences in K' records or more of which no longer one is; `links[p]` lists those that contain pair p."""

    sequences: Flat
    support: NDArray[np.int64]
    links: Flat
    least: int

    @classmethod
    def none(cls, pairs: int) -> MaximalFrequent:
        """For the score by instances, which does not look."""
        nothing = np.empty(0, np.int32)
        return cls(Flat(nothing, np.zeros(1, np.int64)), np.empty(0, np.int64), Flat(nothing, np.zeros(pairs + 1, np.int64)), 1)


def inverted(lists: Flat, size: int) -> Flat:
    """For each code below `size`, the lists that hold it, ascending.

    >>> [places.tolist() for places in inverted(Flat.of([[0, 2], [2]]), 3)]
    [[0], [], [0, 1]]
    """
    owner = np.repeat(np.arange(len(lists), dtype=np.int32), lists.lengths)
    ends = np.concatenate([[0], np.cumsum(np.bincount(lists.items, minlength=size))]).astype(np.int64)
    return Flat(owner[np.argsort(lists.items, kind="stable")], ends)


@njit(cache=True)
def _maximal(parent, pair, keys, numbers, pairs):  # type: ignore[no-untyped-def]
    """Nodes that are part of no other: what is left of a frequent sequence without one pair is frequent, and not maximal."""
    maximal = np.ones(len(parent), np.bool_)
    maximal[0] = False
    path = np.empty(len(parent), np.int64)
    for leaf in range(1, len(parent)):
        length, up = 0, leaf
        while up:
            path[length], up = pair[up], parent[up]  # the last pair first
            length += 1
        for left_out in range(length):
            node = np.int64(0)
            for i in range(length - 1, -1, -1):
                if i != left_out:
                    node = np.int64(find(keys, numbers, node * pairs + path[i]))
            maximal[node] = False
    return np.flatnonzero(maximal)


def find_maximal_frequent(table: TrajectoryTable, least: int) -> MaximalFrequent:
    """U(T) for K' = least: the frequent ones are the nodes of the same mining with K = K', C = 1 and no bound on length."""
    _, tree = find_violations(table, KCL.of(least, 1, None))
    nodes = _maximal(tree.parent, tree.pair, tree.keys, tree.numbers, len(table.pairs))
    sequences = Flat.of(tree.sequence(int(node)) for node in nodes)
    return MaximalFrequent(sequences, tree.support[nodes], inverted(sequences, len(table.pairs)), least)
