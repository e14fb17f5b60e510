"""Neighbours and triangles of a list of edges: plain arithmetic on two arrays, for raw graphs and for synthetic ones."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def neighbours(n, low, high):  # type: ignore[no-untyped-def]
    """Vertices renamed by falling degree: where the neighbours of each begin, and the neighbours, ascending."""
    degree = np.zeros(n, np.int64)
    for e in range(len(low)):
        degree[low[e]] += 1
        degree[high[e]] += 1
    order = np.argsort(-degree, kind="mergesort")
    rank = np.empty(n, np.int64)
    start = np.zeros(n + 1, np.int64)
    for r in range(n):
        rank[order[r]] = r
        start[r + 1] = start[r] + degree[order[r]]
    by_end = np.empty(2 * len(low), np.int64)
    place = start[:-1].copy()
    for e in range(len(low)):
        a, b = rank[low[e]], rank[high[e]]
        by_end[place[a]] = b
        by_end[place[b]] = a
        place[a] += 1
        place[b] += 1
    # Handing every vertex to its neighbours, in order, leaves each list ascending.
    neighbour = np.empty(2 * len(low), np.int64)
    place = start[:-1].copy()
    for a in range(n):
        for p in range(start[a], start[a + 1]):
            neighbour[place[by_end[p]]] = a
            place[by_end[p]] += 1
    return start, neighbour


@njit(cache=True)
def triangles_at(start, neighbour):  # type: ignore[no-untyped-def]
    """Triangles at every vertex: each is found once, from the vertex of lowest degree."""
    n = len(start) - 1
    near = np.zeros(n, np.bool_)
    count = np.zeros(n, np.int64)
    for a in range(n):
        first, last = start[a], start[a + 1]
        for p in range(first, last):
            near[neighbour[p]] = neighbour[p] < a
        for p in range(first, last):
            b = neighbour[p]
            if b > a:
                break
            for q in range(start[b], start[b + 1]):
                c = neighbour[q]
                if c >= b:
                    break
                if near[c]:
                    count[a] += 1
                    count[b] += 1
                    count[c] += 1
        for p in range(first, last):
            near[neighbour[p]] = False
    return count


def count_triangles(low: NDArray[np.integer], high: NDArray[np.integer], vertices: int) -> int:
    """How many triangles a simple graph has.

    >>> count_triangles(np.array([0, 0, 1, 1, 2]), np.array([1, 3, 2, 3, 3]), 5)
    2
    """
    return int(triangles_at(*neighbours(vertices, low, high)).sum()) // 3
