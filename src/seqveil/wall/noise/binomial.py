"""How many of n zero counts reach a threshold after noise, without drawing noise for each of them.

The number is Binomial(n, p) with p = P(X >= θ), θ >= 0: e^{-θ/s} / (1 + e^{-1/s}) for discrete Laplace noise, a quotient of two
sums (`theta.py`) for discrete Gaussian noise. Its weights are walked outwards
from the mode by their ratios, so nothing has to be normalised beforehand and the cost follows √(np), not n.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from functools import lru_cache

from seqveil.wall.noise.inverse import Digits, Steps, select, steps, working
from seqveil.wall.noise.protocol import Law
from seqveil.wall.noise.sigma import Sigma
from seqveil.wall.noise.theta import odds_beyond


def binomial_passing(law: Law, threshold: int, slots: int, source: Digits) -> int:
    """One draw of Binomial(slots, P(X >= threshold)), exactly."""
    if slots == 0:
        return 0
    if threshold == 0:
        # X >= 0 fails exactly when X <= -1, which is as likely as X >= 1: from here on p <= 1/2 and θ >= 1.
        return slots - binomial_passing(law, 1, slots, source)
    return select(lambda digits: _law(law, threshold, slots, digits), source)


def _law(law: Law, threshold: int, slots: int, digits: int) -> Steps:
    if law.exponent(threshold) > 2.5 * (digits + 1) + math.log(slots):
        # P(some slot passes) <= slots · e^{-exponent} < 10**-digits: the law is a single step as far as these digits tell.
        return Steps(0, [Decimal(1)], Decimal(10) ** -digits, open_below=False, open_above=True)
    p, odds = _chance(law, threshold, digits)
    mode = min(slots, int((slots + 1) * p))
    floor = Decimal(10) ** -(digits + 3)
    down = _downwards(mode, slots, odds, floor)
    up = _upwards(mode, slots, odds, floor)
    first, last = mode - len(down), mode + len(up)
    return steps(first, [*reversed(down), Decimal(1), *up], digits, open_below=first > 0, open_above=last < slots)


@lru_cache(maxsize=4096)
def _chance(law: Law, threshold: int, digits: int) -> tuple[Decimal, Decimal]:
    """p and p/(1-p); θ >= 1, so the denominators are at least 1 and nothing cancels."""
    if isinstance(law, Sigma):
        return odds_beyond(law.exact, threshold, digits)
    with localcontext(working(digits)):
        numerator, denominator = law.exact.as_integer_ratio()
        one = (-Decimal(denominator) / numerator).exp()
        reach = (-Decimal(threshold * denominator) / numerator).exp()
        return reach / (1 + one), reach / (1 + (one - reach))


def _upwards(mode: int, slots: int, odds: Decimal, floor: Decimal) -> list[Decimal]:
    """Weights of mode+1, mode+2, … relative to the mode's, until all that remain weigh less than `floor`."""
    weights: list[Decimal] = []
    weight = Decimal(1)
    for k in range(mode, slots):
        ratio = odds * (slots - k) / (k + 1)
        weight *= ratio
        weights.append(weight)
        # Ratios fall with k, so what remains is less than weight · (ratio + ratio² + …).
        if weight * ratio < floor * (1 - ratio):
            break
    return weights


def _downwards(mode: int, slots: int, odds: Decimal, floor: Decimal) -> list[Decimal]:
    """Weights of mode-1, mode-2, … relative to the mode's, until all that remain weigh less than `floor`."""
    weights: list[Decimal] = []
    weight = Decimal(1)
    for k in range(mode, 0, -1):
        ratio = k / (odds * (slots - k + 1))
        weight *= ratio
        weights.append(weight)
        if weight * ratio < floor * (1 - ratio):
            break
    return weights
