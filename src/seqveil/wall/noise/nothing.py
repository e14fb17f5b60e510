"""NoNoise: exact answers, for the noise-free baseline of an experiment. Never private."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.protocol import Law
from seqveil.wall.noise.scale import Scale
from seqveil.wall.noise.sigma import Sigma


class NoNoise:
    """Every draw is zero: the limit of the other laws as the scale goes to zero."""

    private = False
    kind = "none: exact answers, NOT private"

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        return np.zeros(size, np.int64)

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        return slots if threshold <= 0 else 0

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        return np.arange(k)

    def below(self, n: int, size: int) -> NDArray[Any]:
        return np.arange(size, dtype=np.int64) % n

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        return int(np.argmax(scores))

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        return 0

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        return min(ones, chosen)
