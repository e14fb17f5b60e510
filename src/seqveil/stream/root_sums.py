"""Prefix sums from weighted sums: the recurrence that undoes the weights, one step after the other.

A released value is y(t) = Σ_b c_b · (S(t − e_b) − S(t − e_{b+1})) + z(t), where S are the prefix sums, and bin b has the lags
e_b … e_{b+1} − 1 and the coefficient c_b. The first bin is lag 0 alone, so prefix sums S′ that fit y without z are

    S′(t) = S′(t−1) + (y(t) − Σ_{b≥1} c_b · (S′(t − e_b) − S′(t − e_{b+1}))) / c_0.

It is linear, so S′ = S + B′z with the same coefficients B′(k) after every step: the answer to a single 1 in y. They are computed
beside the answers, and their squares add up to the variance of an answer in units of σ². All sums are rounded once (`fsum`), so
that answers do not depend on how events came in batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.continual import Coefficients, Released, Rows, SquareRoot

Pair = tuple[Any, float]


@dataclass(slots=True)
class RootSums:
    """Undoes the weights; `absent` is what an event adds to each number that has a place and no value.

    >>> sums = RootSums(SquareRoot(4), [0])
    >>> coefficients = np.array(SquareRoot(4).coefficients.heights)
    >>> [value for value, _ in sums.combine(Released(1, np.ones(4, np.int64), 5 * coefficients))]    # one step of 5, and no noise
    [5, 5, 5, 5]
    """

    root: SquareRoot
    absent: list[int]
    grid: int = 1
    _sums: Rows = field(init=False)
    _variance: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._sums = Rows(len(self.absent) + 1, np.float64)  # the last number is the answer to a single 1

    @property
    def every(self) -> int:
        return self.root.every

    def combine(self, released: Released) -> list[Pair]:
        before = released.first - 1
        steps = (before + len(released)) // self.every - before // self.every
        width = len(self.absent)
        if released.closed:
            for _ in range(steps):
                # What was released is lost. That nothing happened is all that is known about null events.
                sums = self._next(np.zeros(width))
                sums[:width] = self._sums.last[:width] + np.multiply(self.absent, self.every)
                self._append(sums)
            return []
        answers: list[Pair] = []
        for noisy in released.noisy.reshape(steps, width):
            sums = self._next(noisy)
            self._append(sums)
            value = np.rint(sums[:width]).astype(np.int64)
            answers.append((int(value[0]) if width == 1 else value, self._variance))
        return answers

    def covers(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        return positions

    def factor(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.ones(len(positions))

    def _next(self, noisy: NDArray[Any]) -> NDArray[np.float64]:
        released = np.append(noisy.astype(np.float64), 0.0 if self._sums.steps else 1.0)
        return undone(self.root.coefficients, self._sums, released)

    def _append(self, sums: NDArray[np.float64]) -> None:
        self._variance += sums[-1] ** 2
        self._sums.append(sums[np.newaxis])


def undone(coefficients: Coefficients, sums: Rows, released: NDArray[np.float64]) -> NDArray[np.float64]:
    """The next prefix sums, by the recurrence above."""
    behind = sums.behind(np.array([sums.steps + 1]), coefficients.lags[1:])[0]
    terms = coefficients.weights[1:, np.newaxis] * (behind[:-1] - behind[1:])
    before, first = sums.last, coefficients.heights[0]
    weighted = [fsum(column) for column in terms.T.tolist()]
    return np.array([last + (y - w) / first for last, y, w in zip(before.tolist(), released.tolist(), weighted, strict=True)])


def variances(coefficients: Coefficients, steps: int) -> NDArray[np.float64]:
    """The variance of the answers after the first steps, in units of σ², to plan with: partial sums of the squares of B′.

    B′ has the generating function 1 / ((1 − z)·c(z)), whose first terms double with every step of Newton's iteration.

    >>> variances(SquareRoot(9).coefficients, 2) * 4.0**20
    array([1.        , 1.27...])
    """
    from scipy.signal import fftconvolve

    scaled = np.repeat(coefficients.weights, np.diff(coefficients.lags))[:steps] / coefficients.heights[0]
    inverse = np.ones(1)
    while len(inverse) < steps:
        size = min(2 * len(inverse), steps)
        correction = -fftconvolve(scaled[:size], inverse)[:size]
        correction[0] += 2
        inverse = fftconvolve(inverse, correction)[:size]
    return np.cumsum(np.cumsum(inverse / coefficients.heights[0]) ** 2)
