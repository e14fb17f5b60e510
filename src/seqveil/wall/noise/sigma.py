"""The width of discrete Gaussian noise: P(X = x) ∝ exp(-x²/(2σ²)) on the integers [Canonne 2020].

What the law is made from is σ², the variance parameter: amounts of ρ give it as a ratio of whole numbers. As with `Scale`, the
bridge to a float may only ever add noise, so it rounds up, and every law in this room uses the float's own exact value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from seqveil.errors import CallError
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise.whole import whole

LEAST_SQUARE = 1e-12
"""Below this there is no noise to speak of, and no stated epsilon leads here."""

MOST_SQUARE = 1e30
"""σ = 10¹⁵: a draw leaves int64 with a probability below exp(-10⁷)."""

_FEW_TERMS = 1000
"""Up to so many terms a sum of floats is written out."""


@dataclass(frozen=True)
class Sigma:
    """The width σ of discrete Gaussian noise, held as σ².

    >>> Sigma.of(square=8, grains=1_000_000_000_000)
    Sigma(square=4.0)
    >>> Sigma(square=4.0).value
    2.0
    """

    square: float

    def __post_init__(self) -> None:
        if not LEAST_SQUARE <= self.square <= MOST_SQUARE:  # NaN fails this too
            raise CallError(
                f"Gaussian noise with σ² = {self.square}: σ² must lie between {LEAST_SQUARE:g} and {MOST_SQUARE:g}; "
                "give this question more epsilon, or lower the influence of one unit."
            )

    @classmethod
    def of(cls, square: int, grains: int) -> Sigma:
        """square / (2ρ), never below it: the nearest float, or the next one up when that is smaller.

        `square` is the squared L2 sensitivity, `grains` the amount of ρ: noise of this width is ρ-zCDP [Canonne 2020, Thm 14].

        >>> sixth = Sigma.of(1, 3 * 10**12)
        >>> sixth.exact >= Fraction(1, 6), sixth.square - 1 / 6 < 1e-16
        (True, True)
        """
        exact = Fraction(whole("squared sensitivity", square, 1) * GRAINS, 2 * whole("grains of rho", grains, 1))
        if exact > MOST_SQUARE:
            return cls(math.inf)  # refused above, also where no float could hold the ratio
        nearest = float(exact)
        return cls(nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf))

    @cached_property
    def exact(self) -> Fraction:
        """σ² as the rational number that the float is."""
        return Fraction(self.square)

    @property
    def value(self) -> float:
        """σ, in floats: to show and to plan with, never for drawing."""
        return math.sqrt(self.square)

    @property
    def stated(self) -> str:
        """How a message names it."""
        return f"Gaussian noise of σ = {self.value:g}"

    @property
    def variance(self) -> float:
        """The variance of one draw: a little below σ² where σ is small.

        >>> Sigma(100.0).variance, round(Sigma(0.1).variance, 4)
        (100.0, 0.0133)
        """
        if self.square > 3:
            return self.square  # they differ by less than a float can tell: 8π²σ²·exp(-2π²σ²), relatively
        terms = [(k * k, math.exp(-k * k / (2 * self.square))) for k in range(1, 25)]
        return 2 * math.fsum(kk * w for kk, w in terms) / self._total

    @cached_property
    def _total(self) -> float:
        """The sum of exp(-k²/(2σ²)) over all whole k: itself, or its twin from Poisson's summation, which is short."""
        if self.square < 1:
            return 1 + 2 * math.fsum(math.exp(-k * k / (2 * self.square)) for k in range(1, 12))
        return math.sqrt(2 * math.pi * self.square) * (1 + 2 * math.exp(-2 * math.pi**2 * self.square))

    def log_probability(self, threshold: int) -> float:
        """log P(X >= threshold) for a threshold of at least 0, in floats; it never underflows.

        >>> round(Sigma(1.0).log_probability(100))
        -5001
        """
        return -(threshold**2) / (2 * self.square) + math.log(self._beyond(threshold)) - math.log(self._total)

    def probability(self, threshold: int) -> float:
        """P(X >= threshold), in floats: for plans and tests, never for drawing.

        >>> round(Sigma(1.0).probability(0) + Sigma(1.0).probability(1), 12)
        1.0
        >>> Sigma(1.0).probability(-2) == 1 - Sigma(1.0).probability(3)
        True
        """
        if threshold < 0:
            return 1 - self.probability(1 - threshold)
        return math.exp(self.log_probability(threshold))

    def exponent(self, threshold: int) -> Fraction:
        """An x with P(X >= threshold) <= exp(-x), exactly: the law is sub-Gaussian [Canonne 2020, Cor. 9]."""
        return threshold**2 / (2 * self.exact)

    def threshold_for(self, log_probability: float) -> int:
        """The least threshold that noise passes with at most this probability."""
        low, high = -1, 1
        while self.log_probability(high) > log_probability:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.log_probability(middle) > log_probability else (low, middle)
        return high

    def _beyond(self, threshold: int) -> float:
        """The sum of exp(-(k² - θ²)/(2σ²)) over k >= θ: written out, or the integral and the first corrections to it."""
        steep = threshold / self.square
        terms = math.ceil(min(9 * self.value, 40 / steep if steep else math.inf)) + 1
        if terms <= _FEW_TERMS:
            return math.fsum(math.exp(-j * (steep + j / (2 * self.square))) for j in range(terms))
        h = [1, steep]  # Hermite's polynomials at θ/σ over powers of σ, as in theta.py; the next correction is below 10⁻¹⁴
        for n in range(1, 5):
            h.append(steep * h[n] - n * h[n - 1] / self.square)
        integral = math.sqrt(math.pi / 2) * self.value * _erfcx(threshold / (math.sqrt(2) * self.value))
        return integral + 1 / 2 + h[1] / 12 - h[3] / 720 + h[5] / 30240


def _erfcx(x: float) -> float:
    """exp(x²)·erfc(x) for x >= 0."""
    if x < 20:
        return math.exp(x * x) * math.erfc(x)
    y = 1 / (2 * x * x)
    return (1 - y * (1 - 3 * y * (1 - 5 * y * (1 - 7 * y)))) / (x * math.sqrt(math.pi))
