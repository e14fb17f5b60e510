"""Sums of whole numbers over what came so far, and over the last few events."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.local.ring import Ring


class PrefixTotal:
    """The sum of everything so far, after each event.

    >>> total = PrefixTotal()
    >>> total.feed(np.array([1, 0, 2])).tolist(), total.feed(np.array([5])).tolist()
    ([1, 1, 3], [8])
    """

    def __init__(self) -> None:
        self._total = 0

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        totals = self._total + np.cumsum(values, dtype=np.int64)
        self._total = int(totals[-1]) if len(totals) else self._total
        return totals


class WindowTotal:
    """The sum of the last `width` events, after each event.

    >>> WindowTotal(2).feed(np.array([1, 2, 3])).tolist()
    [1, 3, 5]
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._last: Ring[np.int64] = Ring(width, np.int64)

    def feed(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        joined = self._last.extended(values)
        totals = np.concatenate([np.zeros(1, np.int64), np.cumsum(joined, dtype=np.int64)])
        ends = np.arange(len(joined) - len(values), len(joined)) + 1
        return np.asarray(totals[ends] - totals[np.maximum(ends - self._width, 0)], np.int64)
