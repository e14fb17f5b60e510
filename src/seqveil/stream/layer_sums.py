"""The hierarchy mechanism's answer: the sum of its layers [Bonomi thesis, §5.3, Algorithm 8]. Experiments only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Released


@dataclass(slots=True)
class LayerSums:
    """Adds the m noisy layers of each moment."""

    layers: int
    grid: int

    @property
    def every(self) -> int:
        return 1

    def combine(self, released: Released) -> list[tuple[int, int]]:
        return [(int(total), self.layers) for total in released.noisy.reshape(-1, self.layers).sum(axis=1)]

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))
