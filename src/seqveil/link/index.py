"""A radius index: rows sorted by their sketch as a tree, searched for everything within a row's reach.

A node at depth d holds the rows whose first d sums are equal. A search goes down wherever the bound of the sums so far
(`sketch`) allows a match, and compares whole vectors only at the leaves. Distances are computed in floats, but never rounded: all
terms and sums are integers below 2²⁴ in float32, else below 2⁵³ in float64, in any order of summation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.link.sketch import groups_of, sketches

_LEAF = 8
_STACK = 256
"""Sums are below 256, so that no node has more children."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Rows in the order of their sketches (row i of the index is row `order[i]` of what was given), and the tree over them."""

    counts: NDArray
    order: NDArray[np.int64]
    groups: list[NDArray[np.int64]]
    weights: NDArray
    """Per coordinate, in the float type that holds every squared distance exactly."""
    steps: NDArray[np.int64]
    """w² per group."""
    value: NDArray[np.uint8]
    """Per node the sum that sets it apart from its siblings."""
    nodes: NDArray[np.int32]
    """Per node its first row, its last row plus 1, its first child and how many children it has; side by side, for the cache."""

    @classmethod
    def of(cls, counts: NDArray, weights: NDArray[np.int64], exact: type[np.floating]) -> Index:
        """The index of rows of counts."""
        groups = groups_of(counts, weights)
        sketch = sketches(counts, groups)
        order = by_sketch(sketch)
        value, nodes = _grow(np.ascontiguousarray(sketch[order]))
        steps = np.array([weights[group[0]] ** 2 for group in groups], np.int64)
        return cls(np.ascontiguousarray(counts[order]), order, groups, weights.astype(exact), steps, value, nodes)

    def search(
        self, counts: NDArray, sketch: NDArray[np.uint8], reach: NDArray[np.int64], times: NDArray[np.int64], most: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray, int]:
        """For each row of counts how many rows lie within its reach; which rows of the index; how far; how many pairs in all.

        Row i of the index stands for times[i] rows. The search ends early when there are more than `most` pairs.
        """
        squared = np.int32 if self.weights.dtype == np.float32 else np.int64
        return _search(  # type: ignore[no-any-return]
            counts, sketch, reach, times, most, np.empty(1024, np.int32), np.empty(1024, squared),
            self.counts, self.weights, self.steps, self.value, self.nodes,
        )  # fmt: skip


def by_sketch(sketch: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The order of sketches. Rows searched in this order walk nearly the same way one after another, through warm caches."""
    return np.lexsort(sketch.T[::-1])


def _grow(sketch: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The nodes level by level; children of a node are neighbours."""
    value, rows = np.zeros(1, np.uint8), np.array([[0, len(sketch)]], np.int32)
    values, levels, first = [], [], 1
    for depth in range(sketch.shape[1] + 1):
        children = _count_children(sketch, depth, rows)
        child = first + np.cumsum(children) - children
        values.append(value)
        levels.append(np.column_stack([rows, child, children]).astype(np.int32))
        first += int(children.sum())
        value, rows = _make_children(sketch, depth, rows, children)
        if not len(rows):
            break
    return np.concatenate(values), np.concatenate(levels)


@njit(cache=True, nogil=True)
def _count_children(sketch, depth, rows):  # type: ignore[no-untyped-def]
    children = np.zeros(len(rows), np.int64)
    for node in range(len(rows)):
        if depth < sketch.shape[1] and rows[node, 1] - rows[node, 0] > _LEAF:
            children[node] = 1
            for row in range(rows[node, 0] + 1, rows[node, 1]):
                children[node] += sketch[row, depth] != sketch[row - 1, depth]
    return children


@njit(cache=True, nogil=True)
def _make_children(sketch, depth, rows, children):  # type: ignore[no-untyped-def]
    many = children.sum()
    value, spans = np.empty(many, np.uint8), np.empty((many, 2), np.int32)
    child = 0
    for node in range(len(rows)):
        if children[node]:
            row = rows[node, 0]
            while row < rows[node, 1]:
                spans[child, 0], value[child] = row, sketch[row, depth]
                while row < rows[node, 1] and sketch[row, depth] == value[child]:
                    row += 1
                spans[child, 1] = row
                child += 1
    return value, spans


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _squared(row, counts, at, weights):  # type: ignore[no-untyped-def]
    """The squared distance of a row to row `at`: exact, since all sums are integers that the float type holds."""
    total = weights.dtype.type(0)
    for i in range(len(weights)):
        apart = row[i] - weights.dtype.type(counts[at, i]) * weights[i]
        total += apart * apart
    return total


@njit(cache=True, nogil=True)
def _search(queries, sketch, reach, times, most, hits, squared, counts, weights, steps, value, nodes):  # type: ignore[no-untyped-def]
    many, pairs, size = np.zeros(len(queries), np.int64), 0, 0
    stack = np.empty(((len(steps) + 1) * _STACK, 3), np.int64)  # node, its depth, its bound
    row = np.empty(len(weights), weights.dtype)
    for query in range(len(queries)):
        for i in range(len(weights)):
            row[i] = queries[query, i] * weights[i]
        stack[0, 0], stack[0, 1], stack[0, 2], height = 0, 0, 0, 1
        while height:
            # Invariant: every match of the query that is not found yet lies below a node on the stack.
            height -= 1
            node, depth, bound = stack[height, 0], stack[height, 1], stack[height, 2]
            child, children = nodes[node, 2], nodes[node, 3]
            if children:
                for below in range(child, child + children):
                    least = bound + steps[depth] * abs(np.int64(value[below]) - np.int64(sketch[query, depth]))
                    if least <= reach[query]:
                        stack[height, 0], stack[height, 1], stack[height, 2] = below, depth + 1, least
                        height += 1
                continue
            start, stop = nodes[node, 0], nodes[node, 1]
            if size + stop - start > len(hits):
                grown = 2 * len(hits) + stop - start
                more, farther = np.empty(grown, hits.dtype), np.empty(grown, squared.dtype)
                more[:size], farther[:size] = hits[:size], squared[:size]
                hits, squared = more, farther
            for at in range(start, stop):
                away = _squared(row, counts, at, weights)
                if away <= reach[query]:
                    hits[size], squared[size] = at, away
                    size += 1
                    many[query] += 1
                    pairs += times[at]
        if pairs > most:
            break
    return many, hits[:size].copy(), squared[:size].copy(), pairs
