"""From pairs of vertices to a simple graph with the same degrees: pairs that cannot be edges exchange an end with one that is.

A pair (u, v) that is a loop or there already, and an edge (x, y) chosen at random, become (u, x) and (v, y) if both are new.
Every vertex keeps its degree. A pair that finds no such edge in many attempts is left out: then its ends know nearly
everybody.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

TRIES = 200
"""Edges with which a pair tries to exchange an end."""

EMPTY, GONE = -1, -2

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]


@njit(cache=True)
def _find(table, key):  # type: ignore[no-untyped-def]
    """Where a key stands in a table of open addresses, or the empty place where the search for it ends."""
    last = len(table) - 1
    at = (key * 0x9E3779B97F4A7C1) >> 17 & last
    while table[at] != EMPTY and table[at] != key:
        at = at + 1 & last
    return at


@njit(cache=True)
def _new(table, n, u, v):  # type: ignore[no-untyped-def]
    """The key of the edge between two vertices, or EMPTY where it is a loop or there already."""
    key = min(u, v) * n + max(u, v)
    return EMPTY if u == v or table[_find(table, key)] == key else key


@njit(cache=True)
def _wire(first, second, taken, n, table, seed, tries):  # type: ignore[no-untyped-def]
    np.random.seed(seed)
    for key in taken:
        table[_find(table, key)] = key
    edges = np.empty(len(first), np.int64)
    bad = np.empty(len(first), np.int64)
    good = unplaced = 0
    for i in range(len(first)):
        key = _new(table, n, first[i], second[i])
        if key == EMPTY:
            bad[unplaced] = i
            unplaced += 1
        else:
            table[_find(table, key)] = key
            edges[good] = key
            good += 1
    for k in range(unplaced):
        u, v = first[bad[k]], second[bad[k]]
        for _ in range(tries if good else 0):
            e = np.random.randint(0, good)
            x, y = edges[e] // n, edges[e] % n
            if np.random.randint(0, 2):
                x, y = y, x
            one, other = _new(table, n, u, x), _new(table, n, v, y)
            if EMPTY in (one, other) or one == other:
                continue
            table[_find(table, edges[e])] = GONE
            table[_find(table, one)] = one
            table[_find(table, other)] = other
            edges[e] = one
            edges[good] = other
            good += 1
            break
    return edges[:good]


def wired(
    first: NDArray[np.int64], second: NDArray[np.int64], taken: NDArray[np.int64], vertices: int, random: np.random.Generator
) -> Pairs:
    """Edges with the ends of these pairs, none of them in `taken` (edges as low·n + high, which are not returned)."""
    room = 16
    while room < 6 * (len(first) + len(taken)):  # an exchange uses three places, and one in two stays empty
        room *= 2
    table = np.full(room, EMPTY, np.int64)
    seed = int(random.integers(2**32))
    edges = np.sort(_wire(first.astype(np.int64), second.astype(np.int64), taken, vertices, table, seed, TRIES))
    return (edges // max(vertices, 1)).astype(np.int32), (edges % max(vertices, 1)).astype(np.int32)
