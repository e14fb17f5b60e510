"""Triangles of a graph, and which pairs of vertices a few more edges could make the most of.

`ends[a]` is the largest d_i + d_j − 2·[i and j are joined] over pairs i, j with at least a common neighbours. Vertices are
taken by falling degree. A pair has at most as many common neighbours as the vertex of lower degree has neighbours, so once a pair
with that many is known whose ends are as many, all others of this vertex that have fewer ends need no look. Without this a star
of n leaves would cost n² steps; with it a graph costs about its wedges between vertices of high degree.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Triangles
from seqveil.tables.wedges import neighbours, triangles_at


@njit(cache=True)
def _raise(ends, common, s):  # type: ignore[no-untyped-def]
    """Note a pair: `ends` never rises with the number of common neighbours, so the first that is as large ends the walk."""
    while common >= 0 and ends[common] < s:
        ends[common] = s
        common -= 1


@njit(cache=True)
def _ends(start, neighbour):  # type: ignore[no-untyped-def]
    n = len(start) - 1
    degree = np.diff(start)
    ends = np.full((degree[0] if n else 0) + 1, -1, np.int64)
    common = np.zeros(n, np.int64)
    near = np.zeros(n, np.bool_)
    touched = np.empty(n, np.int64)
    for i in range(1, n):
        for p in range(start[i], start[i + 1]):
            near[neighbour[p]] = True
        # Whatever they have in common: of the partners by falling degree, the first that is not joined to i has the most ends.
        for j in range(i):
            if degree[i] + degree[j] <= ends[0]:
                break
            _raise(ends, 0, degree[i] + degree[j] - 2 * near[j])
        # Only partners below `limit` can make a pair that is not outdone by one that is known already.
        enough = ends[degree[i]] - degree[i]
        limit = i
        if enough >= 0:
            a, b = 0, i
            while a < b:
                middle = (a + b) // 2
                if degree[middle] > enough:
                    a = middle + 1
                else:
                    b = middle
            limit = a
        seen = 0
        for p in range(start[i], start[i + 1]):
            w = neighbour[p]
            for q in range(start[w], start[w + 1]):
                j = neighbour[q]
                if j >= limit:
                    break
                if common[j] == 0:
                    touched[seen] = j
                    seen += 1
                common[j] += 1
        for k in range(seen):
            j = touched[k]
            _raise(ends, common[j], degree[i] + degree[j] - 2 * near[j])
            common[j] = 0
        for p in range(start[i], start[i + 1]):
            near[neighbour[p]] = False
    return ends


def triangles(low: NDArray[np.integer], high: NDArray[np.integer], vertices: int) -> Triangles:
    """The triangles of a simple graph, and the ends of its pairs.

    >>> house = triangles(np.array([0, 0, 1, 1, 2]), np.array([1, 3, 2, 3, 3]), 5)
    >>> house.count, house.ends.tolist()
    (2, [4, 4, 4])
    """
    start, neighbour = neighbours(vertices, low, high)
    ends = np.asarray(_ends(start, neighbour))
    return Triangles(int(triangles_at(start, neighbour).sum()) // 3, ends[ends >= 0])
