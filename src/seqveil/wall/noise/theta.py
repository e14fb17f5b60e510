"""How likely discrete Gaussian noise is to reach a threshold, to as many digits as a draw needs.

    P(X ≥ θ) = S / Z,      S = Σ_{k ≥ θ} e^(−k²/(2v)),      Z = Σ_k e^(−k²/(2v)) over all whole k,      v = σ².

Z is short where v is small, and so is its twin √(2πv)·Σ_j e^(−2π²v·j²) where v is large: they are equal, by Poisson's summation.
S is written out where σ is small. Where it is large, S is an integral and corrections to it, by Euler and Maclaurin, with a
bound on what they leave out. docs/mechanisms/noise.md has the bounds and adds the roundings up.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

ROOM = 45
"""Digits more than are claimed: roundings of thousands of steps take a dozen, what sums leave out is 10⁻³⁰ of the claim."""

SHORT = 100
"""Up to this σ² the sum beyond a threshold is written out: at most a few hundred terms."""


def odds_beyond(v: Fraction, threshold: int, digits: int) -> tuple[Decimal, Decimal]:
    """p = P(X ≥ θ) and p/(1 − p) for θ ≥ 1, right to a relative 10^(−digits − 24). θ ≥ 1 makes p < 1/2: nothing cancels."""
    with localcontext(_exactly(digits + ROOM)):
        beyond, total = _beyond(v, threshold, digits), _total(v, digits)
        return beyond / total, beyond / (total - beyond)


def _exactly(precision: int) -> Context:
    return Context(prec=precision, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / x.denominator


@lru_cache(maxsize=4096)
def _total(v: Fraction, digits: int) -> Decimal:
    """Z."""
    with localcontext(_exactly(digits + ROOM)):
        if v < 1:
            return _both_sides(_decimal(-1 / (2 * v)), digits)
        pi = _pi(digits + ROOM)
        return (2 * pi * _decimal(v)).sqrt() * _both_sides(-2 * pi * pi * _decimal(v), digits)


def _both_sides(exponent: Decimal, digits: int) -> Decimal:
    """Σ_j e^(exponent·j²) over all whole j, exponent < −1/2."""
    total, j = Decimal(1), 1
    while exponent * j * j >= -3 * (digits + ROOM):  # e⁻³ < 1/10; beyond the first term left out they fall by e^(−1) at least
        total += 2 * (exponent * j * j).exp()
        j += 1
    return total


def _beyond(v: Fraction, threshold: int, digits: int) -> Decimal:
    """S."""
    exponent = _decimal(-(threshold**2) / (2 * v))
    corrections = _corrections(v, threshold, digits) if v > SHORT else None
    relative = _written_out(v, threshold, digits) if corrections is None else _integrated(v, threshold, corrections, digits)
    return exponent.exp() * relative


def _written_out(v: Fraction, threshold: int, digits: int) -> Decimal:
    """S·e^(θ²/(2v)), term by term: the ratio of neighbours falls by the factor e^(−1/v) each time."""
    ratio, fall = _decimal(-(2 * threshold + 1) / (2 * v)).exp(), _decimal(-1 / v).exp()
    floor = Decimal(10) ** -(digits + 30)
    total = term = Decimal(1)
    while term * ratio >= floor * (1 - ratio):  # what remains is below term·(ratio + ratio² + …), and the total is at least 1
        term *= ratio
        total += term
        ratio *= fall
    return total


def _corrections(v: Fraction, threshold: int, digits: int) -> int | None:
    """How many corrections leave out less than 10^(−digits − 30) of f(θ) = e^(−θ²/(2v)), or None if no number does.

    After m of them the rest is at most |B₂ₘ|/(2m)! · ∫ |f⁽²ᵐ⁾|, and so, with the bound of Cramér on Hermite's polynomials, below
    8σ·√((2m)!)·(2πσ)⁻²ᵐ·e^(θ²/(4v)) · f(θ).
    """
    sigma = math.sqrt(v)
    steepness = float(threshold**2 / (4 * v))
    enough = -(digits + 31) * math.log(10)
    for m in range(1, 400):
        if 2 * math.sqrt(steepness) + math.sqrt(2 * m) > 2 * math.pi * sigma:
            return None  # from here on the corrections themselves need not be small
        left = math.log(8 * sigma) + math.lgamma(2 * m + 1) / 2 - 2 * m * math.log(2 * math.pi * sigma) + steepness
        if left < enough:
            return m
    return None


def _integrated(v: Fraction, threshold: int, corrections: int, digits: int) -> Decimal:
    """S·e^(θ²/(2v)) = e^(θ²/(2v))·∫_θ^∞ f + 1/2 + Σ_j B₂ⱼ/(2j)! · h₂ⱼ₋₁, where hₙ = Heₙ(θ/σ)/σⁿ.

    The integral is that from 0 less that up to θ, two numbers near √v·e^(θ²/(2v)) whose difference may be as small as σ²/θ:
    so many digits are added. Hermite's recurrence gives h₀ = 1, h₁ = θ/v, hₙ₊₁ = (θ/v)·hₙ − (n/v)·hₙ₋₁.
    """
    lost = math.ceil(threshold**2 / (2 * v) / 2) + math.ceil(math.log10(v)) + 5
    with localcontext(_exactly(digits + ROOM + lost)) as context:
        variance, steep = _decimal(v), _decimal(threshold / v)
        total = (_pi(context.prec) * variance / 2).sqrt() * _decimal(threshold**2 / (2 * v)).exp()
        total += Decimal("0.5") - _up_to(v, threshold, digits + ROOM + lost)
        before, here = Decimal(1), steep
        for j in range(1, corrections + 1):
            total += _bernoulli(j, context.prec) * here
            for n in (2 * j - 1, 2 * j):
                before, here = here, steep * here - n * before / variance
    return +total


def _up_to(v: Fraction, threshold: int, digits: int) -> Decimal:
    """e^(θ²/(2v))·∫_0^θ f = θ·Σ_n (θ²/v)ⁿ/(2n+1)!!: all terms positive, so no digit is lost."""
    square = _decimal(threshold**2 / v)
    total = term = Decimal(threshold)
    floor, n = Decimal(10) ** -digits, 0
    while term >= floor or square >= n:  # then ratios are below 1/2 from here on: what remains is below this term
        n += 1
        term *= square / (2 * n + 1)
        total += term
    return total


@lru_cache(maxsize=4096)
def _bernoulli(j: int, precision: int) -> Decimal:
    """B₂ⱼ/(2j)!, from the tangent number T: B₂ⱼ = (−1)^(j−1)·2j·T/(4ʲ·(4ʲ − 1))."""
    four = 1 << 2 * j
    numerator = (2 * j if j % 2 else -2 * j) * _tangents(64 * (1 + j // 64))[j]
    with localcontext(_exactly(precision)):
        return Decimal(numerator) / (four * (four - 1) * math.factorial(2 * j))


@lru_cache(maxsize=8)
def _tangents(most: int) -> list[int]:
    """The tangent numbers T₁, T₂, … = 1, 2, 16, 272, …, by a triangle of sums [Brent 2013, Alg. TangentNumbers]."""
    row = [0, 1]
    for k in range(2, most + 1):
        row.append((k - 1) * row[k - 1])
    for k in range(2, most + 1):
        for j in range(k, most + 1):
            row[j] = (j - k) * row[j - 1] + (j - k + 2) * row[j]
    return row


@lru_cache(maxsize=64)
def _pi(digits: int) -> Decimal:
    """π to so many digits: 16·arctan(1/5) − 4·arctan(1/239), in whole numbers, as Machin did."""
    unit: int = 10 ** (digits + 10)
    number = 4 * (4 * _arctan(5, unit) - _arctan(239, unit))
    with localcontext(_exactly(digits + 10)):
        return Decimal(number) / unit


def _arctan(inverse: int, unit: int) -> int:
    """arctan(1/inverse)·unit; every term is rounded down by less than one."""
    power = unit // inverse
    total, n, sign = power, 1, 1
    while power:
        power //= inverse * inverse
        n, sign = n + 2, -sign
        total += sign * (power // n)
    return total
