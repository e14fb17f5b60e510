"""How much noise an amount buys, in the measure of the run: grains of ε where it is pure, grains of ρ where it is zCDP.

A count gets discrete Laplace noise for its L1 sensitivity, or discrete Gaussian noise for its squared L2 sensitivity. Everything
else is a mechanism of pure ε in either measure: a choice by the exponential mechanism costs ε²/8 of ρ, any other ε²/2.
"""

from __future__ import annotations

from seqveil.wall.measures.measure import Measure
from seqveil.wall.measures.zcdp import choice_for, pure_for
from seqveil.wall.noise import Law, Scale, Sigma
from seqveil.wall.noise.whole import whole


def noise_for(measure: Measure, influence: int, square: int, amount: int) -> Law:
    """The noise of counts that one unit moves by `influence` in L1 and by `square` in L2².

    >>> noise_for("pure", 4, 4, 10**12), noise_for("zcdp", 4, 4, 10**12)
    (Scale(value=4.0), Sigma(square=2.0))
    """
    return Scale.of(influence, amount) if measure == "pure" else Sigma.of(square, amount)


def epsilon_of_choice(measure: Measure, amount: int) -> int:
    """The grains of ε of an exponential mechanism.

    >>> epsilon_of_choice("pure", 10**12), epsilon_of_choice("zcdp", 10**12 // 8)
    (1000000000000, 1000000000000)
    """
    return amount if measure == "pure" else choice_for(whole("grains of rho", amount, 1))


def epsilon_of_other(measure: Measure, amount: int) -> int:
    """The grains of ε of any other mechanism of pure ε.

    >>> epsilon_of_other("zcdp", 10**12 // 2)
    1000000000000
    """
    return amount if measure == "pure" else pure_for(whole("grains of rho", amount, 1))
