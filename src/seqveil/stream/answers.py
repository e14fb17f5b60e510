"""Answers: what may be shown after each event, computed from released values and public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import Law, Scale
from seqveil.wall.continual import Counts, Released, Statistic

Number = int | float | Decimal

FINE = 256.0
"""From here on the law of a sum, in units of the scale, hardly changes any more."""


NORMAL95 = 1.96
"""A normal variable lies within so many standard deviations with probability 95 %."""


class Answer(NamedTuple):
    """What may be shown after one event.

    `value` is cut to the public range of what is possible (a count of 5 events lies in 0..5); `noisy` is not cut, and its noise
    has mean zero. With probability of at least 95 % the noise is at most `within`; `low` and `high` are that far from `noisy`,
    cut to the same range. This does not cover what a decomposition overestimates.
    """

    position: int
    value: Number
    noisy: Number
    within: Number
    low: Number
    high: Number


class LabelAnswer(NamedTuple):
    """The same for one label, where events are counted per label."""

    position: int
    label: str
    value: Number
    noisy: Number
    within: Number
    low: Number
    high: Number


class Combiner(Protocol):
    """Turns released values into answers."""

    @property
    def grid(self) -> int:
        """Steps in one unit of the statistic."""
        ...

    @property
    def every(self) -> int:
        """Answers come at positions that are multiples of this."""
        ...

    def combine(self, released: Released) -> Sequence[tuple[Any, float]]:
        """For each answer the noisy value, or several, and the number of draws in it; nothing where positions are closed.

        Where draws are weighted it is the sum of the squares of their weights.
        """
        ...

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many events the answer at each position is about."""
        ...

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """By what the answer at each position multiplies the noise of the values in it."""
        ...


class Answers:
    """Answers of one stream: combined, cut to what is possible, and with the bound on their noise."""

    def __init__(self, statistic: Statistic, combiner: Combiner, law: Law) -> None:
        self._statistic, self._combiner, self._law = statistic, combiner, law

    def of(self, released: Released) -> list[Answer] | list[LabelAnswer]:
        """Answers for the events; none for closed positions, which the combiner still takes note of."""
        pairs = self._combiner.combine(released)
        if released.closed or not pairs:
            return []
        width, every = self._statistic.values, self._combiner.every
        positions = np.arange(released.first, released.first + len(released))
        positions = np.repeat(positions[positions % every == 0], width)
        noisy = np.array([value for value, _ in pairs], np.int64).reshape(-1)
        draws = np.repeat(np.array([count for _, count in pairs], np.float64), width)
        within = self._within(positions, draws)
        least, most = self._statistic.bounds(self._combiner.covers(positions))
        ends = least * self._combiner.grid, most * self._combiner.grid
        # Where nothing was drawn yet nothing is known.
        low, high = np.where(draws, noisy - within, ends[0]), np.where(draws, noisy + within, ends[1])
        cut = [np.clip(numbers, *ends) for numbers in (noisy, low, high)]
        columns = [self._shown(numbers.tolist()) for numbers in (cut[0], noisy, within, *cut[1:])]
        if isinstance(self._statistic, Counts):
            labels = self._statistic.by * len(pairs)
            return list(map(LabelAnswer._make, zip(positions.tolist(), labels, *columns, strict=True)))
        return list(map(Answer._make, zip(positions.tolist(), *columns, strict=True)))

    def _within(self, positions: NDArray[np.int64], draws: NDArray[np.float64]) -> NDArray[np.int64]:
        counts, which = np.unique(draws, return_inverse=True)
        bounds = np.array([within95(self._law, count) for count in counts.tolist()])
        return np.ceil(bounds[which] * self._combiner.factor(positions)).astype(np.int64)

    def _shown(self, values: list[int]) -> list[Any]:
        grid = self._combiner.grid
        return self._statistic.shown(values) if grid == 1 else [float(Fraction(value, grid)) for value in values]


def within95(law: Law, draws: float) -> int:
    """A bound that the sum of this many draws keeps with probability of at least 95 %.

    The variance of a discrete Gaussian draw is at most σ²; sums of them, and wide ones alone, are as good as normal. Where σ is
    small, rounding up more than makes up for that.

    >>> from seqveil.wall import Sigma
    >>> within95(Scale(20.0), 10), within95(Sigma(100.0), 1), within95(Sigma(100.0), 4.5)
    (177, 20, 42)
    """
    return noise95(law.value, int(draws)) if isinstance(law, Scale) else math.ceil(NORMAL95 * law.value * math.sqrt(draws))


@lru_cache(maxsize=1024)
def noise95(scale: float, draws: int) -> int:
    """A bound that the sum of this many discrete Laplace draws keeps with probability of at least 95 %.

    The law of the sum is the Fourier transform of ((1 − q)² / (1 − 2q cos ω + q²))^draws; scales beyond FINE are stretched.

    >>> noise95(1.0, 1), noise95(20.0, 1), noise95(20.0, 10), noise95(2e6, 1)
    (3, 60, 177, 6000000)
    """
    s = min(scale, FINE)
    q = math.exp(-1 / s)
    points = 1 << math.ceil(math.log2(s * (12 + 8 * math.sqrt(draws)) + 16))
    cosine = np.cos(2 * np.pi * np.arange(points) / points)
    law = np.fft.fft(((1 - q) ** 2 / (1 - 2 * q * cosine + q * q)) ** draws).real / points
    within = law[0] + np.concatenate([[0.0], 2 * np.cumsum(law[1 : points // 2])])
    bound = int(np.argmax(within >= 0.95))
    return bound if s == scale else math.ceil((bound + 1) * scale / s)
