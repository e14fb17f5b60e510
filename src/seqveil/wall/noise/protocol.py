"""What the wall may ask of a source of noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.scale import Scale
from seqveil.wall.noise.sigma import Sigma

Law = Scale | Sigma
"""The law of noise on a count: discrete Laplace of a scale, or discrete Gaussian of a width."""


class Noise(Protocol):
    """A source of random integers, each method one law.

    Arguments that make no sense (negative sizes, no candidates, a scale that is not a number) are refused with
    `CallError` before anything is drawn.
    """

    @property
    def private(self) -> bool:
        """Whether a release made with it may be called private."""

    @property
    def kind(self) -> str:
        """How the manifest names it."""

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-|x|/scale)."""

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-x²/(2σ²))."""

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        """Independent draws of X - threshold given X >= threshold >= 0: the excess of noise that reached a threshold.

        For a `Scale` it is P(k) ∝ exp(-k/scale) whatever the threshold; for a `Sigma`, P(k) ∝ exp(-(threshold + k)²/(2σ²)).
        """

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        """How many of `slots` zero counts reach the threshold after noise: Binomial(slots, P(X >= threshold)).

        `slots` may be any integer >= 0, beyond 2**63 too. Refused when more than 50 million are expected.
        """

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        """k distinct integers of 0..n-1, every such set equally likely, ascending.

        `int64` when n < 2**62, else an object array of Python integers.
        """

    def below(self, n: int, size: int) -> NDArray[Any]:
        """Independent uniform integers of 0..n-1; `int64` when n < 2**62, else Python integers."""

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        """An index i with probability ∝ exp(rate · scores[i])."""

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        """A whole number with P(x) ∝ exp(-rung(x)/scale): 0 is rung 0, rung j has the next widths[j-1] numbers on either side.

        Rungs beyond the last width are as wide as that. The answer may be too large for int64.
        """

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        """How many of `chosen` cells are ones, when a set of cells with w ones weighs exp(rate · w)."""
