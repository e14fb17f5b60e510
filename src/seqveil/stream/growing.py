"""Between two checkpoints the last released value grows as the statistic is expected to: public post-processing.

A count of steady events grows like t, a longest increasing subsequence of unordered ones like √t. The answer at position t is the
value at the last checkpoint c times (t/c)^p, and its noise grows by the same factor. p = 0 holds the value.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Released

POWERS = {"hold": 0.0, "root": 0.5, "linear": 1.0}
"""How answers grow between checkpoints."""


@dataclass(slots=True)
class Growing:
    """Before the first checkpoint the answer is 0, which is public.

    >>> grown = Growing(power=0.5)
    >>> [value for value, _ in grown.combine(Released(1, np.array([0, 1, 0, 0, 0, 0, 0, 1, 0]), np.array([10, 31])))]
    [0, 10, 12, 14, 16, 17, 19, 31, 33]
    """

    power: float
    grid: int = 1
    _points: list[int] = field(default_factory=list, init=False)
    _values: list[int] = field(default_factory=list, init=False)

    @property
    def every(self) -> int:
        return 1

    def combine(self, released: Released) -> list[tuple[int, int]]:
        if released.closed:
            return []
        positions = np.arange(released.first, released.first + len(released))
        # Of the checkpoints before these events only the last one still matters.
        self._points = [*self._points[-1:], *positions[released.ending > 0].tolist()]
        self._values = [*self._values[-1:], *released.noisy.tolist()]
        values = np.array([0, *self._values], np.int64)[self._last(positions)]
        factor = self.factor(positions)
        # Whole numbers stay exact where nothing grows; elsewhere they are an estimate anyway.
        grown = np.where(factor == 1, values, np.rint(values * factor).astype(np.int64))
        return list(zip(grown.tolist(), np.minimum(self._last(positions), 1).tolist(), strict=True))

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        points = np.array([0, *self._points], np.int64)[self._last(positions)]
        return np.asarray((positions / np.where(points, points, positions)) ** self.power, np.float64)

    def _last(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Which checkpoint is the last one at each position, from 1; 0 before the first."""
        return np.searchsorted(np.array(self._points, np.int64), positions, side="right")
