"""The layers of the hierarchy mechanism [Bonomi thesis, §5.3, Alg. 8], in one explicit reading.

Layer i holds events as patience sorting does, for at most b·2^i steps each; then they move on to layer i + 1, and from
the last one nowhere. In layer i an event weighs 2^-i. All weights are given in units of 2^-(m-1), so they are whole
numbers. A layer never counts for more than its b buckets of 2^i events: that clip is what the noise relies on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

import numpy as np
from numpy.typing import NDArray


class Layers:
    """What each of m layers contributes after each event, the freshest layer first.

    Example 5.6, b = 4: after the last event layer 0 holds 2 3 7 8 and layer 1 holds 1, so 4½ in all. (The example says 4: it
    moves 2 on as well, which entered only three steps before.)

    >>> (Layers(layers=2, buckets=4, strict=True).feed(np.array([4.0, 5, 1, 6, 2, 3, 7, 8])).reshape(-1, 2) / 2).tolist()[-1]
    [4.0, 0.5]
    """

    def __init__(self, layers: int, buckets: int, strict: bool) -> None:
        self._buckets = buckets
        self._find = bisect_left if strict else bisect_right
        self._layers: list[list[tuple[float, int]]] = [[] for _ in range(layers)]
        self._now = 0

    def feed(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        return np.array([weight for value in values.tolist() for weight in self._step(value)], np.int64)

    def _step(self, value: float) -> list[int]:
        self._now += 1
        for i in range(len(self._layers) - 1):
            stay = self._buckets << i
            expired = [event for event in self._layers[i] if self._now - event[1] > stay]
            self._layers[i] = [event for event in self._layers[i] if self._now - event[1] <= stay]
            for event in expired:
                insort(self._layers[i + 1], event)
        if value == value:
            self._place(value)
        top = len(self._layers) - 1
        return [min(len(layer), self._buckets << i) << (top - i) for i, layer in enumerate(self._layers)]

    def _place(self, value: float) -> None:
        layer = self._layers[0]
        where = self._find(layer, value, key=lambda event: event[0])
        layer[where : where + 1] = [(value, self._now)]
