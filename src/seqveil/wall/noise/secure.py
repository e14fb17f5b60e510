"""Noise for releases: exact laws, randomness of the operating system."""

from __future__ import annotations

import os
import secrets
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
from seqveil.wall.noise.digits import draw
from seqveil.wall.noise.gaussian import draw_gaussian
from seqveil.wall.noise.ladder import draw_ladder
from seqveil.wall.noise.overlap import draw_overlap
from seqveil.wall.noise.protocol import Law
from seqveil.wall.noise.scale import Scale
from seqveil.wall.noise.sigma import Sigma
from seqveil.wall.noise.softmax import pick_score
from seqveil.wall.noise.uniform import below, distinct
from seqveil.wall.noise.whole import whole
from seqveil.wall.process import Owned


class SecureNoise(Owned):
    """Exact draws: integer and decimal arithmetic on the random bits of `os.urandom`, looking as closely as each draw needs.

    It keeps no draw and no state: the kernel's generator is asked each time, so a forked process repeats nothing. It belongs to
    its process all the same: whoever holds it (a wall, a tree, a stream) spends a budget that was charged once, and a forked
    child would spend that budget a second time.

    >>> noise = SecureNoise()
    >>> noise.laplace(Scale(2.0), 3).dtype, noise.private
    (dtype('int64'), True)
    """

    private = True
    kind = "secure"
    _what = "source of noise"

    def laplace(self, scale: Scale, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-|x|/scale)."""
        self._check_owner()
        return draw(scale, whole("size", size, 0), os.urandom, signed=True)

    def gaussian(self, sigma: Sigma, size: int) -> NDArray[np.int64]:
        """Independent draws with P(x) ∝ exp(-x²/(2σ²))."""
        self._check_owner()
        return draw_gaussian(sigma, None, whole("size", size, 0), os.urandom)

    def beyond(self, law: Law, threshold: int, size: int) -> NDArray[np.int64]:
        """Independent draws of X - threshold given X >= threshold >= 0."""
        self._check_owner()
        threshold, size = threshold_argument(threshold), whole("size", size, 0)
        if isinstance(law, Sigma):
            return draw_gaussian(law, threshold, size, os.urandom)
        return draw(law, size, os.urandom, signed=False)  # geometric: whatever the threshold

    def passing(self, law: Law, threshold: int, slots: int) -> int:
        """Binomial(slots, P(X >= threshold))."""
        self._check_owner()
        threshold, slots = passing_arguments(law, threshold, slots)
        return binomial_passing(law, threshold, slots, _digits)

    def distinct(self, k: int, n: int) -> NDArray[Any]:
        """k distinct integers of 0..n-1, every such set equally likely, ascending."""
        self._check_owner()
        k, n = distinct_arguments(k, n)
        return distinct(_words, k, n)

    def below(self, n: int, size: int) -> NDArray[Any]:
        """Independent uniform integers of 0..n-1."""
        self._check_owner()
        return below(_words, whole("n", n, 1), whole("size", size, 0))

    def exponential(self, scores: NDArray[np.int64], rate: Fraction) -> int:
        """An index i with probability ∝ exp(rate · scores[i])."""
        self._check_owner()
        scores, rate = exponential_arguments(scores, rate)
        tied = pick_score(scores, rate, _digits)
        return int(tied[secrets.randbelow(tied.size)])

    def ladder(self, widths: NDArray[np.int64], scale: Scale) -> int:
        """A whole number with P(x) ∝ exp(-rung(x)/scale); rung j has the next widths[j-1] numbers on either side of 0."""
        self._check_owner()
        tail = lambda: int(draw(scale, 1, os.urandom, signed=False)[0])  # noqa: E731
        return draw_ladder(ladder_arguments(widths), scale, _digits, secrets.randbelow, tail)

    def overlap(self, ones: int, zeros: int, chosen: int, rate: Fraction) -> int:
        """How many of `chosen` cells are ones, when a set of cells with w ones weighs exp(rate · w)."""
        self._check_owner()
        return draw_overlap(*overlap_arguments(ones, zeros, chosen, rate), _digits)


def _words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _digits(count: int) -> int:
    return secrets.randbelow(10**count)
