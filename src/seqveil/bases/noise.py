"""How wide noise is, in one unit for both laws: the rules of these miners were stated for discrete Laplace noise.

A discrete Gaussian law of width σ counts as the scale σ/√2, that of Laplace noise with the same standard deviation. Where tails
matter, how far noise reaches, each law is asked for its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

from seqveil.tables.units import Unit
from seqveil.wall import GRAINS, Measure, Wall
from seqveil.wall.questions.protocol import CountQuestion

FALSE = 50
"""Candidates of support 0 that may pass, about: each costs work and room, none survives the final count."""


class Squared(CountQuestion, Protocol):
    """A question that states its squared L2 sensitivity."""

    def square(self, unit: Unit) -> int: ...


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise of a scale, or of a width σ where it is `gaussian`.

    >>> Noise(10.0).scale, round(Noise(10.0, gaussian=True).scale, 2)
    (10.0, 7.07)
    """

    width: float
    gaussian: bool = False

    @property
    def scale(self) -> float:
        """The scale of Laplace noise with the same standard deviation."""
        return self.width / math.sqrt(2) if self.gaussian else self.width

    def quantile(self, share: float) -> float:
        """What noise stays below with this probability, below a half.

        >>> round(Noise(10.0).quantile(0.3), 2), round(Noise(10.0, gaussian=True).quantile(0.3), 2)
        (-5.11, -5.24)
        """
        return self.width * (NormalDist().inv_cdf(share) if self.gaussian else math.log(2 * share))

    def sum_of(self, terms: int) -> Noise:
        """Noise as wide as the sum of so many independent Gaussian draws."""
        return Noise(self.width * math.sqrt(terms), self.gaussian)


def noise_on(wall: Wall, question: Squared, amount: int) -> Noise:
    """The noise that every count of a question has when it is asked for this amount."""
    if wall.measure == "pure":
        return Noise(question.influence(wall.unit) * GRAINS / amount)
    return Noise(wall.law(question, amount).value, gaussian=True)


def alone(wall: Wall, amount: int) -> Noise:
    """The noise on a count that each record of a unit moves by 1."""
    return noise_alone(wall.measure, wall.unit, amount)


def noise_alone(measure: Measure, unit: Unit, amount: int) -> Noise:
    """The same for a unit."""
    if measure == "pure":
        return Noise(unit.sequences * GRAINS / amount)
    return Noise(unit.sequences * math.sqrt(GRAINS / (2 * amount)), gaussian=True)


def enough(wall: Wall, question: Squared, scale: float) -> int:
    """The amount for which a question has noise of this scale."""
    if wall.measure == "pure":
        return math.ceil(question.influence(wall.unit) * GRAINS / scale)
    return math.ceil(question.square(wall.unit) * GRAINS / (4 * scale**2))


def false_bar(candidates: int, measure: Measure = "pure") -> float:
    """How many noise scales a count must reach so that of so many candidates of support 0 about FALSE pass; at least 1.

    >>> false_bar(30), round(false_bar(20_000), 2), round(false_bar(20_000, "zcdp"), 2)
    (1.0, 5.3, 3.97)
    """
    if measure == "pure":
        return max(1.0, math.log(candidates / (2 * FALSE)))
    return max(1.0, math.sqrt(2) * NormalDist().inv_cdf(1 - FALSE / candidates)) if candidates > 2 * FALSE else 1.0
