"""Exact statistics of the dyadic blocks of a stream, one pass, one open block per level.

Level k cuts the stream into blocks of 2^k events. With `every`, all blocks are answered when their last event arrives, lower
levels first. Without it only left halves are, and then exactly one block ends with each event: after event i it is the
one whose length is the lowest bit of i, and those are the blocks that sums over prefixes are made of.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.patience import place

STEP = 4096
"""Events per call of the kernel, so that room made ahead for piles stays small."""


@njit(cache=True)
def _patience(values, before, tops, start, piles, every, strict, out):  # type: ignore[no-untyped-def]
    n = 0
    for j in range(len(values)):
        i = before + j
        for k in range(len(piles)):
            if not every and (i >> k) & 1:
                continue  # inside a right half, which nobody asks for
            if not np.isnan(values[j]):
                piles[k] = place(tops, start[k], piles[k], values[j], strict)
            if (i + 1) & ((1 << k) - 1) == 0:
                out[n] = piles[k]
                n += 1
                piles[k] = 0
    return n


@njit(cache=True)
def _add(values, before, sums, every, out):  # type: ignore[no-untyped-def]
    n = 0
    for j in range(len(values)):
        i = before + j
        for k in range(len(sums)):
            if not every and (i >> k) & 1:
                continue
            sums[k] += values[j]
            if (i + 1) & ((1 << k) - 1) == 0:
                out[n] = sums[k]
                n += 1
                sums[k] = 0
    return n


class LisBlocks:
    """Longest increasing subsequences of blocks. Every level keeps the tops of its open block's piles and nothing else.

    >>> blocks = LisBlocks(3, every=False, strict=True)
    >>> blocks.feed(np.array([3.0, 4, 1, 2, 5, 7])).tolist()                       # [3] [3 4] [1] [3 4 1 2] [5] [5 7]
    [1, 2, 1, 2, 1, 2]
    """

    def __init__(self, levels: int, every: bool, strict: bool) -> None:
        self._every, self._strict = every, strict
        self._before = 0
        self._piles = np.zeros(levels, np.int64)
        self._room = np.zeros(levels, np.int64)
        self._start = np.zeros(levels, np.int64)
        self._tops = np.empty(0)

    @property
    def tops(self) -> int:
        """How many tops are kept at the moment."""
        return int(self._piles.sum())

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        lengths = [self._step(values[at : at + STEP]) for at in range(0, len(values), STEP)]
        return np.concatenate(lengths) if lengths else np.empty(0, np.int64)

    def _step(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        self._make_room(len(values))
        out = np.empty(len(values) * (len(self._piles) if self._every else 1), np.int64)
        n = _patience(values, self._before, self._tops, self._start, self._piles, self._every, self._strict, out)
        self._before += len(values)
        return out[:n]

    def _make_room(self, events: int) -> None:
        """Each event adds at most one pile per level, and a block of 2^k events has at most 2^k."""
        blocks = 1 << np.arange(len(self._piles), dtype=np.int64)
        needed = np.minimum(self._piles + events, blocks)
        if (needed <= self._room).all():
            return
        room = np.where(needed <= self._room, self._room, np.minimum(2 * needed, blocks))
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(room)[:-1]])
        tops = np.empty(int(room.sum()))
        for k, piles in enumerate(self._piles):
            tops[start[k] : start[k] + piles] = self._tops[self._start[k] : self._start[k] + piles]
        self._room, self._start, self._tops = room, start, tops


class TotalBlocks:
    """Sums of blocks of whole numbers.

    >>> TotalBlocks(2, every=True).feed(np.array([1, 2, 3, 4])).tolist()          # [1] [2] [1 2] [3] [4] [3 4]
    [1, 2, 3, 3, 4, 7]
    """

    def __init__(self, levels: int, every: bool) -> None:
        self._every = every
        self._before = 0
        self._sums = np.zeros(levels, np.int64)

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.empty(len(values) * (len(self._sums) if self._every else 1), np.int64)
        n = _add(values, self._before, self._sums, self._every, out)
        self._before += len(values)
        return out[:n]
