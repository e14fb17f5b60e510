"""The shortest member of a family that ends with each event: a pattern with a few edits, or a burst. 0 where none does.

`MatchLengths` is the dynamic programme of approximate string matching [Sellers 1980], turned around: not the fewest edits
of any start but the latest start for each number of edits, because members are packed without sharing events.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def _match(values, now, pattern, starts, lengths):  # type: ignore[no-untyped-def]
    symbols, edits = len(pattern), starts.shape[1] - 1
    diagonal = np.empty(edits + 1, np.int64)
    above = np.empty(edits + 1, np.int64)
    for t in range(len(values)):
        # Before: starts[j, c] is the latest start from which the first j symbols match up to event `now`, by at most c edits.
        diagonal[:] = starts[0]
        now += 1
        starts[0, :] = now + 1
        for j in range(1, symbols + 1):
            above[:] = starts[j]
            for c in range(edits + 1):
                latest = diagonal[c] if values[t] == pattern[j - 1] else 0
                if c:
                    latest = max(latest, diagonal[c - 1])  # another event in place of the symbol
                    latest = max(latest, above[c - 1])  # an event too many
                    latest = max(latest, starts[j - 1, c - 1])  # an event too few
                starts[j, c] = latest
            diagonal[:] = above
        latest = starts[symbols, edits]
        lengths[t] = now - latest + 1 if latest else 0
    return now


class MatchLengths:
    """Stretches that become the pattern by at most `edits` insertions, deletions and replacements of events.

    Symbols are positive whole numbers; any other number, and NaN, is an event that the pattern does not name.

    >>> MatchLengths((1, 2), 0).feed(np.array([1.0, 2, 1, 1, 2, 0])).tolist()
    [0, 2, 0, 0, 2, 0]
    >>> MatchLengths((1, 2, 3), 1).feed(np.array([1.0, 2, 9, 3])).tolist()           # 12 without 3, 129, 1293
    [0, 2, 3, 4]
    """

    def __init__(self, pattern: tuple[int, ...], edits: int) -> None:
        self._pattern = np.array(pattern, np.float64)
        self._now = 0
        # 0 is no start: events are numbered from 1. The first j symbols are nothing at all after j deletions.
        self._starts = np.zeros((len(pattern) + 1, edits + 1), np.int64)
        for j in range(len(pattern) + 1):
            self._starts[j, j:] = 1

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        lengths = np.empty(len(values), np.int64)
        self._now = _match(values, self._now, self._pattern, self._starts, lengths)
        return lengths


@njit(cache=True)
def _burst(values, now, hits, total, within, lengths):  # type: ignore[no-untyped-def]
    needed = len(hits)
    for t in range(len(values)):
        now += 1
        lengths[t] = 0
        if values[t] == 1.0:
            hits[total % needed] = now
            total += 1
            length = now - hits[total % needed] + 1
            if total >= needed and length <= within:
                lengths[t] = length
    return now, total


class BurstLengths:
    """Stretches of at most `within` events of which `at_least` are 1, from the first such event to the last.

    >>> BurstLengths(2, 3).feed(np.array([1.0, 0, 1, 1, 0, 0, 1])).tolist()
    [0, 0, 3, 2, 0, 0, 0]
    """

    def __init__(self, at_least: int, within: int) -> None:
        self._within = within
        self._now, self._total = 0, 0
        self._hits = np.zeros(at_least, np.int64)

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        lengths = np.empty(len(values), np.int64)
        self._now, self._total = _burst(values, self._now, self._hits, self._total, self._within, lengths)
        return lengths
