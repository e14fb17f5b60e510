"""The scale of discrete Laplace noise: P(X = x) ∝ exp(-|x|/scale) on the integers.

Samplers take a float, budgets are exact integers. The bridge between them may only ever add noise, so it rounds up; and
every law in this room then uses the float's own exact rational value, so that all of them speak of the same number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from seqveil.errors import CallError
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise.whole import whole

LEAST_SCALE = 1e-9
"""Below this there is no noise to speak of, and no stated epsilon leads here."""

MOST_SCALE = 1e15
"""Above this a draw could leave int64: at 1e15 it does so with probability below exp(-9000)."""


@dataclass(frozen=True)
class Scale:
    """A discrete Laplace scale, with the closed forms of its law.

    >>> Scale.of(influence=20, grains=500_000_000_000)
    Scale(value=40.0)
    """

    value: float

    def __post_init__(self) -> None:
        if not LEAST_SCALE <= self.value <= MOST_SCALE:  # NaN fails this too
            raise CallError(
                f"noise of scale {self.value}: the scale must lie between {LEAST_SCALE:g} and {MOST_SCALE:g}; "
                "give this question more epsilon, or lower the influence of one unit."
            )

    @classmethod
    def of(cls, influence: int, grains: int) -> Scale:
        """influence / epsilon, never below it: the nearest float, or the next one up when that is smaller.

        >>> third = Scale.of(1, 3 * 10**12)
        >>> third.exact >= Fraction(1, 3), third.value - 1 / 3 < 1e-15
        (True, True)
        """
        exact = Fraction(whole("influence", influence, 1) * GRAINS, whole("grains of epsilon", grains, 1))
        if exact > MOST_SCALE:
            return cls(math.inf)  # refused above, also where no float could hold the ratio
        nearest = float(exact)
        return cls(nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf))

    @cached_property
    def exact(self) -> Fraction:
        """The rational number that the float is."""
        return Fraction(self.value)

    @property
    def stated(self) -> str:
        """How a message names it."""
        return f"noise of scale {self.value:g}"

    @property
    def variance(self) -> float:
        """The variance of one draw.

        >>> round(Scale(1.0).variance, 4)
        1.8413
        """
        return 2 * math.exp(-1 / self.value) / math.expm1(-1 / self.value) ** 2

    def probability(self, threshold: int) -> float:
        """P(X >= threshold), in floats: for plans and tests, never for drawing.

        >>> Scale(1.0).probability(0) + Scale(1.0).probability(1)
        1.0
        >>> Scale(1.0).probability(-2) == 1 - Scale(1.0).probability(3)
        True
        """
        if threshold < 0:
            return 1 - self.probability(1 - threshold)
        return math.exp(-threshold / self.value) / (1 + math.exp(-1 / self.value))

    def log_probability(self, threshold: int) -> float:
        """log P(X >= threshold) for a threshold of at least 0, in floats; it never underflows."""
        return -math.log1p(math.exp(-1 / self.value)) - threshold / self.value

    def exponent(self, threshold: int) -> Fraction:
        """An x with P(X >= threshold) <= exp(-x), exactly."""
        return threshold / self.exact

    def threshold_for(self, log_probability: float) -> int:
        """The least threshold that noise passes with at most this probability."""
        return math.ceil(self.value * (-math.log1p(math.exp(-1 / self.value)) - log_probability))
