"""How likely discrete Gaussian noise is to pass a threshold: digits against the definition, and how many zeros pass."""

from __future__ import annotations

import math
import re
from decimal import MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from seqveil.errors import CallError
from seqveil.wall.noise import SecureNoise, SeededNoise, Sigma, binomial, theta
from seqveil.wall.noise.arguments import refuse_flood

P_THRESHOLD = 1e-6
PRECISION = 260
both = pytest.mark.parametrize("noise", [SecureNoise(), SeededNoise(20_261_118)], ids=lambda noise: noise.kind)


def weight(v: Fraction, k: int) -> Decimal:
    """e^(−k²/(2v))."""
    x = Fraction(k * k) / (2 * v)
    return (-Decimal(x.numerator) / x.denominator).exp()


@cache
def written_out(v: Fraction, threshold: int) -> tuple[Decimal, Decimal]:
    """p and p/(1 − p), every term of both sums by itself."""
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        last = math.ceil(math.sqrt(threshold**2 + 2 * v * 600)) + 1
        beyond = sum((weight(v, k) for k in range(threshold, last)), start=Decimal(0))
        total = 1 + 2 * sum((weight(v, k) for k in range(1, last)), start=Decimal(0))
        return beyond / total, beyond / (total - beyond)


SUMS = [(sq, t) for sq in (1e-3, 0.09, 0.5, 0.999, 1.0, 3.0, 99.9, 100.1, 900.0) for t in (1, 2, 7, 31, 200) if t * t < 1200 * sq]


@pytest.mark.parametrize("digits", [30, 60, 120])
@pytest.mark.parametrize(("square", "threshold"), SUMS)
def test_odds_are_known_as_well_as_claimed(square, threshold, digits):
    """Written out or integrated, the probability is right to a relative 10^(−digits − 24)."""
    v = Fraction(square)
    claimed = theta.odds_beyond(v, threshold, digits)
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        for one, truth in zip(claimed, written_out(v, threshold), strict=True):
            assert abs(one / truth - 1) < Decimal(10) ** -(digits + 24)


@pytest.mark.parametrize("digits", [30, 60, 120])
@pytest.mark.parametrize("width", [300.0, 1e7, 1e15])
@pytest.mark.parametrize("far", [0.001, 1, 6, 12, 25])
def test_integrated_sums_differ_by_their_terms(width, far, digits):
    """At σ where nobody can add up: S(θ) − S(θ + 1) is e^(−θ²/(2v)); and integrals nest through an independent formula."""
    v, threshold = Fraction(width**2), max(1, round(far * width))
    with localcontext(prec=digits + 80, Emin=MIN_EMIN):
        assert theta._corrections(v, threshold, digits) is not None
        here, next_ = theta._beyond(v, threshold, digits), theta._beyond(v, threshold + 1, digits)
        assert abs(here - next_ - weight(v, threshold)) < here * Decimal(10) ** -(digits + 24)
        if width == 300:
            assert abs(here - weight(v, threshold) * theta._written_out(v, threshold, digits)) < here * Decimal(10) ** -(
                digits + 24
            )


@pytest.mark.parametrize("square", [0.2, 0.7, 0.999, 1.0, 1.001, 2.0, 40.0])
def test_the_two_sums_over_all_numbers_are_one(square):
    """Poisson's summation: either of the two is right on either side of σ = 1."""
    v = Fraction(square)
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        total = 1 + 2 * sum((weight(v, k) for k in range(1, math.ceil(35 * math.sqrt(square)) + 3)), start=Decimal(0))
        assert abs(theta._total(v, 120) / total - 1) < Decimal(10) ** -150


def test_too_few_corrections_are_noticed():
    """The bound is no formality: with a third of the corrections the digits are wrong."""
    v, threshold, digits = Fraction(900), 100, 60
    needed = theta._corrections(v, threshold, digits)
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        truth = theta._written_out(v, threshold, 200)
        assert abs(theta._integrated(v, threshold, needed, digits) / truth - 1) < Decimal(10) ** -(digits + 24)
        assert abs(theta._integrated(v, threshold, needed // 3, digits) / truth - 1) > Decimal(10) ** -digits


def test_where_no_corrections_suffice_the_sum_is_written_out():
    """A threshold far beyond small σ, or more digits than the corrections can give."""
    assert theta._corrections(Fraction(101), 1000, 30) is None
    assert theta._corrections(Fraction(101), 30, 900) is None
    assert theta._corrections(Fraction(101), 30, 240) is not None


def test_constants_of_the_corrections():
    """Bernoulli's numbers and π, as every table has them."""
    with localcontext(prec=60):
        assert [Fraction(1, 12), Fraction(-1, 720), Fraction(1, 30240)] == [
            Fraction(theta._bernoulli(j, 50)).limit_denominator(10**6) for j in (1, 2, 3)
        ]
        # ζ(100) is 1 + 2⁻¹⁰⁰ + …, and B₂ⱼ/(2j)! = ±2·ζ(2j)/(2π)²ʲ
        assert abs(theta._bernoulli(50, 50) * (2 * theta._pi(60)) ** 100 / -2 - 1 - Decimal(2) ** -100) < Decimal(10) ** -45
    assert str(theta._pi(50)).startswith("3.1415926535897932384626433832795028841971693993751")


def cumulative(sigma: Sigma, threshold: int, slots: int) -> list[Decimal]:
    """F(0), F(1), … of Binomial(slots, P(X ≥ θ)), from its definition."""
    p, _ = written_out(sigma.exact, threshold)
    weights = [math.comb(slots, k) * p**k * (1 - p) ** (slots - k) for k in range(slots + 1)]
    return list(accumulate(weights))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([(0.3, 1), (0.3, 2), (1.0, 1), (6.5, 12), (12.0, 3), (12.0, 70)]), st.integers(1, 30), st.data())
def test_a_uniform_beside_a_boundary_is_resolved(law, slots, data):
    """U so close to a step of the binomial that 30 digits cannot tell: the right side is found."""
    sigma, threshold = Sigma(law[0] ** 2), law[1]
    with localcontext(prec=PRECISION, Emin=MIN_EMIN):
        steps = cumulative(sigma, threshold, slots)
        k, offset = data.draw(st.integers(0, slots - 1)), Decimal(10) ** -data.draw(st.integers(35, 100))
        if not offset < steps[k] < 1 - offset:
            return
        for u in (steps[k] - offset, steps[k] + offset):
            expected = next(j for j in range(slots + 1) if u < steps[j])
            digits = str(int(u.scaleb(PRECISION - 10))).zfill(PRECISION - 10)
            asked: list[int] = []

            def source(count: int, digits: str = digits, asked: list[int] = asked) -> int:
                start = sum(asked)
                asked.append(count)
                return int(digits[start : start + count])

            assert expected == binomial.binomial_passing(sigma, threshold, slots, source)
            assert len(asked) >= 2


PASSING = [  # σ, threshold, slots
    (0.3, 1, 1000),
    (0.5, 0, 40),
    (3.0, 2, 400),
    (3.0, 15, 10**8),
    (12.0, 0, 1),
    (12.0, 60, 10**7),
    (40.0, 1200, 10**198),
    (1e7, 5 * 10**7, 10**7),
    (1e7, 10**6, 25),
]


def tail(sigma: Sigma, threshold: int) -> float:
    """P(X ≥ θ): from the definition, or where σ is huge from the normal law, which differs by less than 10⁻⁶ there."""
    if sigma.value > 1e6:
        return float(stats.norm.sf(threshold - 0.5, scale=sigma.value))
    if threshold == 0:
        return 1 - tail(sigma, 1)
    return float(written_out(sigma.exact, threshold)[0])


def binomial_law(sigma, threshold, slots):
    """The binomial law; for more slots than floats know, the Poisson law, which differs by less than p."""
    p = tail(sigma, threshold)
    return stats.binom(slots, p) if slots < 2**53 else stats.poisson(float(slots * Fraction(p)))


def fits(draws, law) -> float:
    """The p-value of draws under a law on 0, 1, 2, …, in bins of at least 15 expected."""
    edges, masses = [], []
    heights = law.cdf(np.arange(int(law.isf(1e-13)) + 1))
    for k, height in enumerate(heights.tolist()):
        below = height - sum(masses)
        if len(draws) * below >= 15 and len(draws) * (1 - height) >= 15:
            edges.append(k)
            masses.append(below)
    expected = len(draws) * np.array([*masses, 1 - sum(masses)])
    observed = np.bincount(np.searchsorted(edges, draws), minlength=len(expected))
    return 1.0 if len(expected) == 1 else float(stats.chisquare(observed, expected).pvalue)


@both
@pytest.mark.parametrize(("width", "threshold", "slots"), PASSING, ids=lambda x: f"{float(x):g}")
def test_passing_is_binomial(noise, width, threshold, slots):
    """Thresholds of 0, below σ, at 5σ and at 30σ; one slot, and more than floats count; σ of 10⁷."""
    sigma = Sigma(width**2)
    draws = np.array([noise.passing(sigma, threshold, slots) for _ in range(1_000)])

    assert fits(draws, binomial_law(sigma, threshold, slots)) > P_THRESHOLD


@both
def test_a_passing_width_10_percent_off_is_rejected(noise):
    """The test of the binomial law has power."""
    for width, threshold, slots in [
        (0.5, 1, 4000),
        (3.0, 15, 10**8),
        (12.0, 60, 10**7),
        (40.0, 1200, 10**198),
        (1e7, 5 * 10**7, 10**7),
    ]:
        law = binomial_law(Sigma(width**2), threshold, slots)
        for off in (0.99, 1.01) if threshold == 30 * width else (0.9, 1.1):
            draws = np.array([noise.passing(Sigma((width * off) ** 2), threshold, slots) for _ in range(100)])
            assert fits(draws, law) < P_THRESHOLD


@both
@pytest.mark.parametrize("threshold", [0, 2, 7])
def test_sampled_zeros_look_like_enumerated_ones(noise, threshold):
    """Number and values of the zeros that pass: drawn the short way, and with noise for each of 40 cells."""
    sigma, cells, times = Sigma(16.0), 40, 2_000
    rows = noise.gaussian(sigma, cells * times).reshape(times, cells)
    long = [row[row >= threshold] for row in rows]
    counts = [noise.passing(sigma, threshold, cells) for _ in range(times)]
    values = threshold + noise.beyond(sigma, threshold, sum(counts))
    for a, b in (([len(r) for r in long], counts), (np.concatenate(long), values)):
        _, which = np.unique(np.concatenate([a, b]), return_inverse=True)
        table = np.array(
            [np.bincount(which[: len(a)], minlength=which.max() + 1), np.bincount(which[len(a) :], minlength=which.max() + 1)]
        )
        common = table.sum(axis=0) >= 20
        table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
        assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > P_THRESHOLD


@pytest.mark.parametrize("width", [0.3, 5.0, 1e7])
def test_a_flood_is_refused_with_the_least_threshold_that_works(width):
    """The advice in the message is good advice, and one less would be refused too."""
    sigma, slots = Sigma(width**2), 10**40
    with pytest.raises(
        CallError, match=re.escape(f"Gaussian noise of σ = {width:g} alone would pass the threshold 0")
    ) as refusal:
        refuse_flood(sigma, 0, slots)
    enough = int(str(refusal.value).split("raise the threshold to ")[1].split()[0])

    refuse_flood(sigma, enough, slots)
    with pytest.raises(CallError):
        refuse_flood(sigma, enough - 1, slots)


@pytest.mark.parametrize("threshold", [2**31, 2**62])
def test_a_hopeless_threshold_costs_nothing(threshold):
    """No digit of a chance like e^(−10³⁶) is computed."""
    assert {0} == {SecureNoise().passing(Sigma(sq), threshold, 10**9) for sq in (1e-12, 1.0, 1e14)}
