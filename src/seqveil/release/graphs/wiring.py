"""From pairs of vertices to a simple graph with the same degrees: pairs that cannot be edges exchange an end with one that is.

A pair (u, v) that is a loop or there already, and an edge (x, y) chosen at random, become (u, y) and (x, v) if both are new.
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
def _wire(first, second, taken, n, start, end, table, seed, tries):  # type: ignore[no-untyped-def]
    """The key of every pair once it is an edge, EMPTY for those that are none."""
    np.random.seed(seed)
    for key in taken:
        table[_find(table, key)] = key
    size = len(first)
    edges = np.empty(size, np.int64)
    for i in range(size):
        edges[i] = _new(table, n, first[i], second[i])
        if edges[i] != EMPTY:
            table[_find(table, edges[i])] = edges[i]
    for i in range(size):
        if edges[i] != EMPTY:
            continue
        for attempt in range(2 * tries):
            # First with edges of its own kind, then with all.
            j = np.random.randint(start[i], end[i]) if attempt < tries else np.random.randint(0, size)
            if edges[j] == EMPTY:
                continue
            one, other = _new(table, n, first[i], second[j]), _new(table, n, first[j], second[i])
            if one == EMPTY or other == EMPTY or one == other:  # noqa: SIM109 (compiled code)
                continue
            table[_find(table, edges[j])] = GONE
            table[_find(table, one)] = edges[i] = one
            table[_find(table, other)] = edges[j] = other
            second[i], second[j] = second[j], second[i]
            break
    return edges[edges != EMPTY]


def wired(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    taken: NDArray[np.int64],
    vertices: int,
    random: np.random.Generator,
    kind: NDArray[np.int64] | None = None,
) -> Pairs:
    """Edges with the ends of these pairs, none of them in `taken` (edges as low·n + high, which are not returned).

    `kind`, ascending, says what sort of pair each is: ends are exchanged within a kind, as long as that can be done.
    """
    room = 16
    while room < 6 * (len(first) + len(taken)):  # an exchange uses three places, and one in two stays empty
        room *= 2
    table = np.full(room, EMPTY, np.int64)
    kind = np.zeros(len(first), np.int64) if kind is None else kind
    start, end = np.searchsorted(kind, kind), np.searchsorted(kind, kind, side="right")
    seed = int(random.integers(2**32))
    edges = np.sort(_wire(first.astype(np.int64), second.astype(np.int64), taken, vertices, start, end, table, seed, TRIES))
    return (edges // max(vertices, 1)).astype(np.int32), (edges % max(vertices, 1)).astype(np.int32)
