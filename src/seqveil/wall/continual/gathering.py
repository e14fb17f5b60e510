"""Rows that grow, and are looked up at many lags at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Rows:
    """A row of numbers after each step, in order; row 0 is all zeros, and stands for everything before the first step.

    >>> rows = Rows(1, np.int64)
    >>> rows.append(np.array([[5], [7]]))
    >>> rows.behind(np.array([2]), np.array([0, 1, 9])).tolist()
    [[[7], [5], [0]]]
    """

    def __init__(self, width: int, kind: type[np.number[Any]]) -> None:
        self._rows: NDArray[Any] = np.zeros((64, width), kind)
        self.steps = 0

    def append(self, rows: NDArray[Any]) -> None:
        """The rows of the next steps."""
        needed = self.steps + 1 + len(rows)
        if needed > len(self._rows):
            grown = np.zeros((max(needed, 3 * len(self._rows) // 2), self._rows.shape[1]), self._rows.dtype)
            grown[: self.steps + 1] = self._rows[: self.steps + 1]
            self._rows = grown
        self._rows[self.steps + 1 : needed] = rows
        self.steps = needed - 1

    @property
    def last(self) -> NDArray[Any]:
        """The newest row."""
        return np.array(self._rows[self.steps])

    def behind(self, steps: NDArray[np.int64], lags: NDArray[np.int64]) -> NDArray[Any]:
        """For each of some steps the rows that lie so far behind it. Axes: steps, lags, the numbers in a row."""
        return np.asarray(self._rows[np.maximum(steps[:, np.newaxis] - lags, 0)])
