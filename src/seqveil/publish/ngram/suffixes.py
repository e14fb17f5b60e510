"""Suffix links of the tree: where its grams lead without their first symbol. Post-processing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.bisection import place_of
from seqveil.trees.tree import LevelTree


@dataclass(frozen=True, slots=True, eq=False)
class SuffixLinks:
    """Per node of a tree: how its gram without the first symbol is walked from the root.

    `link` is the node where that walk ends, `whole` says whether it got through; `absent` whether this or a shorter suffix of
    the gram is missing from a family that the tree knows. The terminator alone is no gram, and missing nowhere.
    """

    link: NDArray[np.int32]
    whole: NDArray[np.bool_]
    absent: NDArray[np.bool_]

    @classmethod
    def of(cls, tree: LevelTree) -> SuffixLinks:
        return cls(*_links(tree.parent, tree.first, tree.last, tree.symbol, np.array(tree.levels), tree.labels))


@njit(cache=True)
def spell(parent, symbol, node, gram):  # type: ignore[no-untyped-def]
    """Write the gram of a node to the end of `gram`; returns where it begins."""
    at = len(gram)
    while node > 0:
        at -= 1
        gram[at] = symbol[node]
        node = parent[node]
    return at


@njit(cache=True)
def walk(first, last, symbol, gram, begin):  # type: ignore[no-untyped-def]
    """The node where the walk of gram[begin:] ends, and whether it got through."""
    node = 0
    for j in range(begin, len(gram)):
        further = place_of(symbol, first[node], last[node], gram[j])
        if further < 0:
            return node, False
        node = further
    return node, True


@njit(cache=True)
def _links(parent, first, last, symbol, levels, end):  # type: ignore[no-untyped-def]
    n = len(parent)
    link = np.zeros(n, np.int32)
    whole = np.ones(n, np.bool_)
    absent = np.zeros(n, np.bool_)
    gram = np.empty(len(levels), np.int64)
    for v in range(levels[min(2, len(levels) - 1)], n):
        # Invariant: the links of all shorter grams are set, those of the gram without its last symbol among them.
        u = parent[v]
        link[v], whole[v] = link[u], False
        if whole[u]:
            further = place_of(symbol, first[link[u]], last[link[u]], symbol[v])
            if further >= 0:
                link[v], whole[v] = further, True
        if whole[v]:
            absent[v] = absent[link[v]]
            continue
        begin = spell(parent, symbol, v, gram)
        for j in range(begin + 1, len(gram) - (symbol[v] == end)):
            stop, through = walk(first, last, symbol, gram, j)
            if not through and first[stop] < last[stop]:
                absent[v] = True
                break
    return link, whole, absent
