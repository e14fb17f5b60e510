"""A limit on the time that a dry run simulates: whoever waits for a command wants a word now, or a pointer to a longer one."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from time import process_time

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise import Law, Scale, SeededNoise, Sigma


class TimeUp(Exception):
    """A simulation took longer than it may."""


class Patience:
    """So many seconds of processor time, from now on."""

    def __init__(self, seconds: float = inf) -> None:
        self._end = process_time() + seconds

    @property
    def left(self) -> float:
        """Seconds that remain; below 0 once the time is over."""
        return self._end - process_time()

    def check(self) -> None:
        """Raise `TimeUp` once the time is over."""
        if self.left < 0:
            raise TimeUp


class LimitedNoise(SeededNoise):
    """Seeded noise for a run that is given up at the first draw after the time is over: a run has no other steps in common."""

    def __init__(self, seed: int, patience: Patience) -> None:
        super().__init__(seed)
        self._patience = patience

    def _geometric(self, scale: Scale, size: int) -> NDArray[np.int64]:
        self._patience.check()
        return super()._geometric(scale, size)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        self._patience.check()
        return super().gaussian(sigma, size)

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        self._patience.check()
        return super().passing(law, threshold, slots)

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        self._patience.check()
        return super().exponential(scores, rate)
