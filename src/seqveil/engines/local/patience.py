"""Patience sorting with the tops of the piles only: the longest increasing subsequence, one event at a time.

An event goes onto the leftmost pile whose top is larger; the number of piles is the length of the longest increasing
subsequence. Equal events may follow each other, as in [Bonomi thesis, Alg. 1], unless `strict`. NaN is a null event: it
holds its place and belongs to no subsequence.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.ring import Ring


@njit(cache=True)
def place(tops, start, piles, value, strict):  # type: ignore[no-untyped-def]
    """Put an event on its pile of tops[start:start + piles]; returns how many piles there are now."""
    low, high = 0, piles
    while low < high:
        # Invariant: the tops before `low` stay below the event, those from `high` on lie above it.
        middle = (low + high) // 2
        top = tops[start + middle]
        if top < value or (top == value and not strict):
            low = middle + 1
        else:
            high = middle
    tops[start + low] = value
    return max(piles, low + 1)


@njit(cache=True)
def _grow(values, tops, piles, strict, lengths):  # type: ignore[no-untyped-def]
    for j in range(len(values)):
        if not np.isnan(values[j]):
            piles = place(tops, 0, piles, values[j], strict)
        lengths[j] = piles
    return piles


@njit(cache=True)
def _slide(window, count, width, strict, lengths):  # type: ignore[no-untyped-def]
    tops = np.empty(width, np.float64)
    before = len(window) - count
    for j in range(count):
        piles = 0
        for i in range(max(0, before + j + 1 - width), before + j + 1):
            if not np.isnan(window[i]):
                piles = place(tops, 0, piles, window[i], strict)
        lengths[j] = piles


class PrefixLis:
    """The length over everything so far, after each event.

    >>> PrefixLis(strict=True).feed(np.array([3.0, 4, 1, 2, 5, 7, 6])).tolist()
    [1, 2, 2, 2, 3, 4, 4]
    """

    def __init__(self, strict: bool) -> None:
        self._strict = strict
        self._tops = np.empty(16)
        self._piles = 0

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        needed = self._piles + len(values)
        if needed > len(self._tops):
            self._tops = np.resize(self._tops, max(needed, 2 * len(self._tops)))
        lengths = np.empty(len(values), np.int64)
        self._piles = _grow(values, self._tops, self._piles, self._strict, lengths)
        return lengths


class WindowLis:
    """The length over the last `width` events, after each event; each time from the beginning.

    >>> WindowLis(3, strict=True).feed(np.array([1.0, 2, 3, 0, 4, np.nan])).tolist()
    [1, 2, 3, 2, 2, 2]
    """

    def __init__(self, width: int, strict: bool) -> None:
        self._strict = strict
        self._width = width
        self._last: Ring[np.float64] = Ring(width, np.float64)

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        lengths = np.empty(len(values), np.int64)
        _slide(self._last.extended(values), len(values), self._width, self._strict, lengths)
        return lengths
