"""Scales round up, seeds repeat, shapes and types hold, and what makes no sense is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.noise import Noise, Scale, SecureNoise, SeededNoise
from seqveil.wall.noise.arguments import refuse_flood

both = pytest.mark.parametrize("noise", [SecureNoise(), SeededNoise(1)], ids=lambda noise: noise.kind)


@given(st.integers(1, 10**6), st.integers(10**4, 10**18))
def test_scale_is_never_below_the_exact_one_and_never_a_float_too_high(influence, budget):
    """Rounding adds noise, at most one float's worth."""
    exact = Fraction(influence * GRAINS, budget)
    scale = Scale.of(influence, budget)

    assert exact <= scale.exact == Fraction(scale.value)
    assert Fraction(math.nextafter(scale.value, 0)) < exact


def test_scale_of_a_representable_ratio_is_exact():
    """No rounding where none is needed."""
    assert Scale.of(20, grains("0.5")).value == 40.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.0, -1.0, 2e15, 1e-10])
def test_scales_outside_the_range_are_refused(value):
    """NaN, infinities, zero, negative, and what could leave int64."""
    with pytest.raises(CallError, match="scale"):
        Scale(value)


@pytest.mark.parametrize(
    ("influence", "budget"), [(0, 1), (-1, 1), (1, 0), (1, -5), (math.nan, 1), (1, math.inf), (1.5, 1), (10**400, 1)]
)
def test_scale_of_nonsense_is_refused(influence, budget):
    """An influence or a budget that is no positive whole number, or whose ratio is out of range."""
    with pytest.raises(CallError):
        Scale.of(influence, budget)


@given(st.sampled_from([0.3, 1.0, 7.3, 100.0]), st.integers(-50, 50))
def test_probability_sums_the_law(value, threshold):
    """P(X >= t) - P(X >= t+1) is the probability of t, by its formula; the whole sums to one."""
    scale = Scale(value)
    at = math.tanh(1 / (2 * value)) * math.exp(-abs(threshold) / value)

    assert math.isclose(at, scale.probability(threshold) - scale.probability(threshold + 1), rel_tol=1e-6, abs_tol=1e-12)


@pytest.mark.parametrize("value", [0.3, 1.0, 7.3])
def test_variance_is_the_second_moment(value):
    """The closed form equals the sum over the law."""
    law = [(x, math.tanh(1 / (2 * value)) * math.exp(-abs(x) / value)) for x in range(-400, 401)]

    assert math.isclose(sum(x * x * p for x, p in law), Scale(value).variance, rel_tol=1e-9)


NONSENSE = {
    "negative size": lambda noise: noise.laplace(Scale(1.0), -1),
    "fractional size": lambda noise: noise.beyond(Scale(1.0), 0, 1.5),
    "NaN size": lambda noise: noise.below(3, math.nan),
    "negative threshold": lambda noise: noise.passing(Scale(1.0), -1, 5),
    "infinite threshold": lambda noise: noise.passing(Scale(1.0), math.inf, 5),
    "threshold beyond int64": lambda noise: noise.passing(Scale(1.0), 2**63, 5),
    "negative slots": lambda noise: noise.passing(Scale(1.0), 1, -5),
    "flood": lambda noise: noise.passing(Scale(1.0), 1, 2**70),
    "more than there are": lambda noise: noise.distinct(4, 3),
    "negative k": lambda noise: noise.distinct(-1, 3),
    "below nothing": lambda noise: noise.below(0, 1),
    "no candidates": lambda noise: noise.exponential(np.array([], dtype=np.int64), Fraction(1)),
    "float scores": lambda noise: noise.exponential(np.array([1.0]), Fraction(1)),
    "unsigned 64-bit scores": lambda noise: noise.exponential(np.array([1], dtype=np.uint64), Fraction(1)),
    "zero rate": lambda noise: noise.exponential(np.array([1]), Fraction(0)),
    "negative rate": lambda noise: noise.exponential(np.array([1]), Fraction(-1)),
    "float rate": lambda noise: noise.exponential(np.array([1]), 0.5),
}


@both
@pytest.mark.parametrize("call", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_refused(noise, call):
    """Arguments that make no sense end in a CallError, never in a draw."""
    with pytest.raises(CallError):
        call(noise)


def test_flood_is_refused_with_a_threshold_that_works():
    """The advice in the message is good advice."""
    with pytest.raises(CallError, match="raise the threshold to 212") as refusal:
        refuse_flood(Scale(1.2), 190, 2**280)

    assert "50,000,000" in str(refusal.value)
    refuse_flood(Scale(1.2), 212, 2**280)
    with pytest.raises(CallError):
        refuse_flood(Scale(1.2), 211, 2**280)


@both
@settings(max_examples=100, deadline=None)
@given(n=st.one_of(st.integers(0, 300), st.integers(2**61, 2**64)), share=st.floats(0, 1))
def test_distinct_is_an_ascending_set_below_n(noise, n, share):
    """Exactly k of 0..n-1, ascending, int64 below 2**62 and Python integers from there on."""
    k = min(300, int(share * n))
    drawn = noise.distinct(k, n)

    assert k == len(drawn) == len(set(drawn.tolist()))
    assert sorted(drawn.tolist()) == drawn.tolist()
    assert all(0 <= x < n and type(x) is int for x in drawn.tolist())
    assert drawn.dtype == (np.int64 if n < 2**62 else object)


@both
def test_shapes_and_types(noise):
    """int64 in the asked size, zero included; single draws are Python integers."""
    for size in (0, 1, 5):
        for drawn in (noise.laplace(Scale(2.0), size), noise.beyond(Scale(2.0), 0, size), noise.below(9, size)):
            assert (np.int64, (size,)) == (drawn.dtype, drawn.shape)
    assert int is type(noise.passing(Scale(2.0), 90, 2**80))
    assert int is type(noise.exponential(np.array([1, 2], dtype=np.int32), Fraction(1)))
    assert (noise.beyond(Scale(0.5), 0, 1000) >= 0).all()


@both
def test_more_draws_than_one_batch(noise):
    """A request larger than one batch is filled to the end."""
    drawn = noise.laplace(Scale(1e6), 100_003)

    assert len(drawn) == 100_003
    assert (drawn[-3:] != 0).any()


def everything(noise: Noise) -> list:
    """One draw of every law, in a fixed order."""
    return [
        noise.laplace(Scale(9.5), 20).tolist(),
        noise.beyond(Scale(9.5), 0, 20).tolist(),
        noise.passing(Scale(9.5), 3, 10**4),
        noise.passing(Scale(9.5), 400, 2**70),
        noise.distinct(5, 10**9).tolist(),
        noise.distinct(5, 10**29).tolist(),
        noise.below(10**6, 5).tolist(),
        noise.exponential(np.arange(100), Fraction(1, 50)),
    ]


def test_a_seed_repeats_and_another_differs():
    """Same seed and same calls, same draws; and such noise never calls itself private."""
    assert everything(SeededNoise(11)) == everything(SeededNoise(11))
    assert everything(SeededNoise(11)) != everything(SeededNoise(12))
    assert (SeededNoise(11).private, SeededNoise(11).kind) == (False, "seeded")


def test_secure_noise_does_not_repeat():
    """Two secure sources have nothing in common, and say that they are private."""
    assert everything(SecureNoise()) != everything(SecureNoise())
    assert (SecureNoise().private, SecureNoise().kind) == (True, "secure")
