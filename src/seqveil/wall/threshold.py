"""The threshold that hides who alone uses a label: the least at which δ suffices, certified.

A unit that joins may bring labels that nobody else has. Each of them then has the weight that this unit gives, w_t where it has t
labels, and passes a threshold τ with the probability p = P(X ≥ τ − w_t), independently of the others. So some label of its own
passes with a probability of at most 1 − (1 − p)^t, and this must not exceed δ for any t. `odds_beyond` knows p to as many digits
as are asked for, so p is rounded up, and what remains is a comparison of whole numbers. Floats only propose where to begin.

What must not be done: to take P(X > τ) for a label whose weight is not 1, or for one label where a unit has several.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache

from seqveil.tables.units import Unit
from seqveil.wall.measures.delta import PARTS
from seqveil.wall.noise import Sigma
from seqveil.wall.noise.theta import odds_beyond
from seqveil.wall.questions.protocol import LabelQuestion

_DIGITS = 40
"""Digits to which a chance is known; `odds_beyond` errs by less than 10⁻⁶⁴ of it."""

_UNIT: int = 10**80
_UP = Context(prec=100, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)


def passing_law(question: LabelQuestion, unit: Unit, amount: int, delta: int) -> tuple[Sigma, int]:
    """The noise of weights that are asked for an amount of ρ, and the threshold that δ demands of them."""
    sigma = Sigma.of(question.square(unit), amount)
    return sigma, threshold_of(sigma, question.shares(), delta)


def threshold_of(sigma: Sigma, shares: Sequence[int], delta: int) -> int:
    """The least threshold at which labels of one unit alone pass with a probability of at most δ, in parts of 10⁻¹⁸.

    shares[t − 1] is the weight that a unit with t labels gives to each of them.

    >>> sigma = Sigma.of(square=1 << 32, grains=10**10)
    >>> round(threshold_of(sigma, [1 << 16], 5 * 10**11) / (1 << 16), 4)
    35.5891
    """
    return _threshold(sigma, tuple(shares), delta)


@lru_cache(maxsize=256)
def _threshold(sigma: Sigma, shares: tuple[int, ...], delta: int) -> int:
    proposed = {t: share + _reach(sigma, t, delta) for t, share in enumerate(shares, 1)}
    hardest = sorted(proposed, key=lambda t: -proposed[t])
    least = max(shares) + 1  # below it noise need not even be above 0

    def suffices(threshold: int) -> bool:
        return threshold >= least and all(is_enough(sigma, t, threshold - shares[t - 1], delta) for t in hardest)

    threshold = max(least, proposed[hardest[0]])
    while not suffices(threshold):
        threshold += 1
    while suffices(threshold - 1):
        threshold -= 1
    return threshold


def is_enough(sigma: Sigma, labels: int, beyond: int, delta: int) -> bool:
    """Whether noise reaches `beyond` ≥ 1 on any of so many labels with a probability of at most δ: (1 − p)^t ≥ 1 − δ."""
    chance = odds_beyond(sigma.exact, beyond, _DIGITS)[0]
    above = int(_UP.multiply(_UP.multiply(chance, _UNIT), 1 + Decimal(10) ** -(_DIGITS + 20)).to_integral_value(ROUND_CEILING))
    missed, most = (_UNIT - above) ** labels, _UNIT**labels
    return bool(missed * PARTS >= (PARTS - delta) * most)


def _reach(sigma: Sigma, labels: int, delta: int) -> int:
    """About the least x with P(X ≥ x) ≤ 1 − (1 − δ)^(1/t), in floats."""
    return max(1, sigma.threshold_for(math.log(-math.expm1(math.log1p(-delta / PARTS) / labels))))
