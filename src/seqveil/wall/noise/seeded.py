"""Noise for experiments and tests: the same laws, fast, and the same again for the same seed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.arguments import (
    distinct_arguments,
    exponential_arguments,
    ladder_arguments,
    overlap_arguments,
    passing_arguments,
    threshold_argument,
)
from seqveil.wall.noise.binomial import binomial_passing
from seqveil.wall.noise.gaussian import draw_gaussian
from seqveil.wall.noise.ladder import draw_ladder
from seqveil.wall.noise.overlap import draw_overlap
from seqveil.wall.noise.protocol import Law
from seqveil.wall.noise.scale import Scale
from seqveil.wall.noise.sigma import Sigma
from seqveil.wall.noise.uniform import below, distinct, integer_below
from seqveil.wall.noise.whole import whole

EXACT_FLOATS = 2**53
"""Up to here every integer is a float, which numpy's binomial sampler relies on."""


class SeededNoise:
    """Reproducible draws. Anyone who knows the seed knows the noise: nothing made with it is private.

    >>> first, again = SeededNoise(7), SeededNoise(7)
    >>> (first.laplace(Scale(5.0), 100) == again.laplace(Scale(5.0), 100)).all(), first.private
    (np.True_, False)
    """

    private = False
    kind = "seeded"

    def __init__(self, seed: int) -> None:
        self.seed = whole("seed", seed, 0)
        self._generator = np.random.Generator(np.random.PCG64(self.seed))

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-|x|/scale): the difference of two independent tails."""
        return self._geometric(scale, size) - self._geometric(scale, size)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-x²/(2σ²))."""
        return draw_gaussian(sigma, None, whole("size", size, 0), self._generator.bytes)

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        """Independent draws of X - threshold given X >= threshold >= 0."""
        threshold, size = threshold_argument(threshold), whole("size", size, 0)
        if isinstance(law, Sigma):
            return draw_gaussian(law, threshold, size, self._generator.bytes)
        return self._geometric(law, size)

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        """Binomial(slots, P(X >= threshold))."""
        threshold, slots = passing_arguments(law, threshold, slots)
        if slots > EXACT_FLOATS:
            return binomial_passing(law, threshold, slots, self._digits)
        return int(self._generator.binomial(slots, law.probability(threshold)))

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        """k distinct integers of 0..n-1, every such set equally likely, ascending."""
        k, n = distinct_arguments(k, n)
        return distinct(self._words, k, n)

    def below(self, n: int, size: int) -> NDArray[Any]:
        """Independent uniform integers of 0..n-1."""
        return below(self._words, whole("n", n, 1), whole("size", size, 0))

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        """An index i with probability ∝ exp(rate · scores[i])."""
        scores, rate = exponential_arguments(scores, rate)
        # The difference of two int64 may need 64 bits: read as unsigned it is right. Floats know exp(-1000) as 0.
        behind = (scores.max() - scores).view(np.uint64)
        heights = np.cumsum(np.exp(behind * -float(min(rate, Fraction(1000)))))
        # The clip guards the one case in which rounding puts the product on the last height itself.
        chosen = np.searchsorted(heights, self._generator.random() * heights[-1], side="right")
        return int(min(chosen, scores.size - 1))

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        """A whole number with P(x) ∝ exp(-rung(x)/scale); rung j has the next widths[j-1] numbers on either side of 0."""
        below = lambda n: integer_below(self._words, n)  # noqa: E731
        return draw_ladder(ladder_arguments(widths), scale, self._digits, below, lambda: int(self._geometric(scale, 1)[0]))

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        """How many of `chosen` cells are ones, when a set of cells with w ones weighs exp(rate · w)."""
        return draw_overlap(*overlap_arguments(ones, zeros, chosen, rate), self._digits)

    def _geometric(self, scale: Scale, size: int) -> NDArray[np.int64]:
        """Independent draws with P(k) ∝ exp(-k/scale), k >= 0."""
        drawn = self._generator.geometric(-np.expm1(-1 / scale.value), whole("size", size, 0))
        return drawn.astype(np.int64) - 1

    def _words(self, count: int) -> NDArray[np.uint64]:
        return self._generator.integers(0, 2**64, size=count, dtype=np.uint64)

    def _digits(self, count: int) -> int:
        return integer_below(self._words, 10**count)
