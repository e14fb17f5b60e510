"""From zero-concentrated differential privacy (ρ) to (ε, δ) and back, certified: never in favour of the data holder.

ρ-zCDP implies (ε, δ)-DP with, for any α > 1,

    δ = e^((α−1)(αρ−ε)) / (α−1) · (1−1/α)^α        [Canonne 2020, Proposition 12]

which, solved for ε, is

    ε = αρ + (ln(1/δ) + (α−1)·ln(1−1/α) − ln α) / (α−1).

Any α gives a valid bound, so the search for a good one may use floats: only the bound at the chosen α is certified, by decimal
arithmetic of 60 digits that rounds every step upwards. The derivative in α vanishes where ρ(α−1)² + ln α = ln(1/δ), whose left
side rises in α. Amounts are whole grains: 10⁻¹² of ε or ρ; δ is in parts of 10⁻¹⁸. Proofs: docs/decisions/measures.md.

>>> epsilon_of(rho_of(10**12, 10**12), 10**12) <= 10**12
True
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal
from functools import lru_cache
from math import isqrt

from seqveil.wall.budget import GRAINS
from seqveil.wall.measures.delta import PARTS

MOST_RHO = 1_000_000
"""Above this ρ promises nothing, and sums could leave int64."""

_UP = Context(prec=60, rounding=ROUND_CEILING, Emax=999_999, Emin=-999_999)


@lru_cache(4096)
def epsilon_of(rho: int, delta: int) -> int:
    """Grains of ε for which ρ-zCDP surely implies (ε, δ)-DP, rounded up.

    >>> from seqveil.wall.budget import decimal
    >>> decimal(epsilon_of(GRAINS // 2, 10**12))  # ρ = 0.5 at δ = 1e-6
    '5.221534444531'
    """
    if rho < 0 or not 0 < delta < PARTS:
        raise ValueError(f"rho = {rho}, delta = {delta}")
    if not rho:
        return 0
    bound = _bound(rho, delta, _good_order(rho / GRAINS, math.log(PARTS / delta)))
    return max(0, int(_UP.multiply(bound, GRAINS).to_integral_value(ROUND_CEILING)))


@lru_cache(4096)
def rho_of(epsilon: int, delta: int) -> int:
    """The most grains of ρ that surely imply (ε, δ)-DP: the inverse of `epsilon_of`, rounded down.

    >>> from seqveil.wall.budget import decimal
    >>> decimal(rho_of(GRAINS, 10**12)), rho_of(0, 10**12)
    ('0.024355970359', 0)
    """
    if epsilon < 0 or not 0 < delta < PARTS:
        raise ValueError(f"epsilon = {epsilon}, delta = {delta}")
    if not epsilon:
        return 0
    below, above = 0, MOST_RHO * GRAINS + 1  # epsilon_of(below) ≤ ε; the answer lies below `above`
    while above - below > 1:
        middle = (below + above) // 2
        if epsilon_of(middle, delta) <= epsilon:
            below = middle
        else:
            above = middle
    return below


def rho_of_pure(epsilon: int) -> int:
    """Grains of ρ that an ε-differentially private release costs: ε²/2, rounded up [Bun 2016].

    >>> rho_of_pure(GRAINS) == GRAINS // 2, rho_of_pure(1)
    (True, 1)
    """
    return -(-epsilon * epsilon // (2 * GRAINS))


def pure_for(rho: int) -> int:
    """The most grains of ε of a pure mechanism that costs at most ρ: the largest with ε²/2 ≤ ρ.

    >>> pure_for(GRAINS // 2) == GRAINS
    True
    """
    return isqrt(2 * rho * GRAINS)


def choice_for(rho: int) -> int:
    """The most grains of ε of an exponential mechanism that costs at most ρ: the largest with ε²/8 ≤ ρ.

    A choice with probability ∝ exp(ε·score / 2Δ) has bounded range ε, and so costs ε²/8 [Dong 2020; Cesar 2021].

    >>> choice_for(GRAINS // 8) == GRAINS
    True
    """
    return isqrt(8 * rho * GRAINS)


def _good_order(rho: float, certainty: float) -> Decimal:
    """An α near the root of ρ(α−1)² + ln α = ln(1/δ); floats will do, since any α > 1 gives a bound."""
    low, high = 1e-9, max(1.0, 2 * math.sqrt(certainty / rho))  # of α − 1
    for _ in range(100):
        middle = math.sqrt(low * high)
        if rho * middle * middle + math.log1p(middle) < certainty:
            low = middle
        else:
            high = middle
    return _UP.add(1, Decimal(low))


def _bound(rho: int, delta: int, order: Decimal) -> Decimal:
    """αρ + (ln(1/δ) + (α−1)·ln(1−1/α) − ln α) / (α−1), rounded up: every step upwards, and logarithms to the next number.

    With ln(1−1/α) = ln(α−1) − ln α it is αρ + (ln(1/δ) − α·ln α) / (α−1) + ln(α−1). `order` is exact.
    """
    up, less = _UP, _UP.subtract(order, 1)  # exact: it has no more digits
    surprise = _log_above(up.divide(Decimal(PARTS), Decimal(delta)))
    taken = up.multiply(order.copy_negate(), _log_below(order))  # rounded up: less is taken away
    spread = up.divide(up.add(surprise, taken), less)
    return up.add(up.add(up.multiply(order, up.divide(Decimal(rho), Decimal(GRAINS))), spread), _log_above(less))


def _log_above(value: Decimal) -> Decimal:
    """At least ln(value): `Decimal.ln` errs by at most half a unit in the last place."""
    return value.ln(_UP).next_plus(_UP)


def _log_below(value: Decimal) -> Decimal:
    return value.ln(_UP).next_minus(_UP)
