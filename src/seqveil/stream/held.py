"""The newest released value is the answer, until there is a newer one: baseline and windows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Released


@dataclass(slots=True)
class Held:
    """Before the first value the answer is 0, which is public. `width` is the window's, or the stream's whole length."""

    width: int
    grid: int = 1
    _last: tuple[int, int] = field(default=(0, 0), init=False)

    @property
    def every(self) -> int:
        return 1

    def combine(self, released: Released) -> list[tuple[int, int]]:
        if released.closed:
            return []
        values = iter(released.noisy.tolist())
        answers = []
        for ending in released.ending.tolist():
            if ending:
                self._last = next(values), 1
            answers.append(self._last)
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum(positions, self.width)

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))
