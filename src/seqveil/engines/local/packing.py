"""How many members of a family fit into a stretch of a stream without sharing an event: patterns, bursts.

Every event comes with the length of the shortest member that ends there, 0 where none does. Whoever takes members in the
order of their ends, each as soon as it is free of the one before, takes as many as possible: interval scheduling, with the
shortest member of every end. So a stretch needs two numbers: how many were taken, and how many events are free since.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.ring import Ring


@njit(cache=True)
def _grow(lengths, taken, free, counts):  # type: ignore[no-untyped-def]
    for j in range(len(lengths)):
        free += 1
        if 0 < lengths[j] <= free:
            taken, free = taken + 1, 0
        counts[j] = taken
    return taken, free


@njit(cache=True)
def _slide(lengths, count, width, counts):  # type: ignore[no-untyped-def]
    before = len(lengths) - count
    for j in range(count):
        taken, free = 0, 0
        for i in range(max(0, before + j + 1 - width), before + j + 1):
            free += 1
            if 0 < lengths[i] <= free:
                taken, free = taken + 1, 0
        counts[j] = taken


@njit(cache=True)
def _blocks(lengths, before, taken, free, every, counts):  # type: ignore[no-untyped-def]
    n = 0
    for j in range(len(lengths)):
        i = before + j
        for k in range(len(taken)):
            if not every and (i >> k) & 1:
                continue  # inside a right half, which nobody asks for
            free[k] += 1
            if 0 < lengths[j] <= free[k]:
                taken[k], free[k] = taken[k] + 1, 0
            if (i + 1) & ((1 << k) - 1) == 0:
                counts[n] = taken[k]
                n += 1
                taken[k], free[k] = 0, 0
    return n


class PrefixPacking:
    """The number over everything so far, after each event.

    >>> PrefixPacking().feed(np.array([0, 2, 2, 2, 0])).tolist()                   # a pair ends with events 2, 3 and 4
    [0, 1, 1, 2, 2]
    """

    def __init__(self) -> None:
        self._taken, self._free = 0, 0

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = np.empty(len(values), np.int64)
        self._taken, self._free = _grow(values, self._taken, self._free, counts)
        return counts


class WindowPacking:
    """The number over the last `width` events, after each event; each time from the beginning.

    >>> WindowPacking(3).feed(np.array([0, 2, 2, 2, 0])).tolist()
    [0, 1, 1, 1, 1]
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._last: Ring[np.int64] = Ring(width, np.int64)

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = np.empty(len(values), np.int64)
        _slide(self._last.extended(values), len(values), self._width, counts)
        return counts


class PackingBlocks:
    """The number inside dyadic blocks, as dyadic.py cuts them. What crosses the end of a block lies in no block of that level.

    >>> PackingBlocks(3, every=True).feed(np.array([0, 2, 2, 2])).tolist()         # [1] [2] [1 2] [3] [4] [3 4] [1 2 3 4]
    [0, 0, 1, 0, 0, 1, 2]
    """

    def __init__(self, levels: int, every: bool) -> None:
        self._every = every
        self._before = 0
        self._taken, self._free = np.zeros(levels, np.int64), np.zeros(levels, np.int64)

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        counts = np.empty(len(values) * (len(self._taken) if self._every else 1), np.int64)
        n = _blocks(values, self._before, self._taken, self._free, self._every, counts)
        self._before += len(values)
        return counts[:n]
