"""The threshold of a discovery: safe for every number of labels, and no step larger than it must be."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from seqveil.wall.measures.delta import in_parts
from seqveil.wall.noise import Sigma
from seqveil.wall.questions.weights import GRID, Weights
from seqveil.wall.threshold import threshold_of

SHARES = [10, 7, 5, 5]


def tail(sigma, threshold):
    """P(X ≥ threshold) by summing exp(−k²/2σ²) over everything that floats can tell, smallest terms first."""
    reach = int(40 * sigma.value) + abs(threshold)
    mass = {k: math.exp(-k * k / (2 * sigma.square)) for k in range(-reach, reach + 1)}
    return math.fsum(w for k, w in mass.items() if k >= threshold) / math.fsum(mass.values())


def chance(sigma, labels, threshold, share):
    """That any of so many labels of this weight passes."""
    return -math.expm1(labels * math.log1p(-tail(sigma, threshold - share)))


@pytest.mark.parametrize("square", [1.0, 37.0, 2_000.0])
@pytest.mark.parametrize("delta", ["0.01", "1e-6", "1e-12"])
@pytest.mark.parametrize("most", [1, 2, 4])
def test_labels_of_one_unit_pass_with_at_most_delta_and_one_step_less_is_too_little(square, delta, most):
    sigma, shares, limit = Sigma(square), SHARES[:most], float(Fraction(delta))
    threshold = threshold_of(sigma, shares, in_parts(delta))
    chances = [chance(sigma, t, threshold, share) for t, share in enumerate(shares, 1)]
    nearer = [chance(sigma, t, threshold - 1, share) for t, share in enumerate(shares, 1)]

    assert max(chances) <= limit * (1 + 1e-9)
    assert max(nearer) > limit * (1 - 1e-9)


@pytest.mark.parametrize("most", [1, 10, 100])
def test_it_is_the_published_formula_rounded_up(most):
    """max over t of 1/√t + σ·Φ⁻¹((1 − δ)^(1/t)), for a continuous law: a fine grid comes within a part in 10⁵ of it."""
    from statistics import NormalDist

    sigma = Sigma.of(GRID**2, 10**10)
    threshold = threshold_of(sigma, Weights(most).shares(), in_parts("1e-6"))
    reach = [1 / math.sqrt(t) + sigma.value / GRID * NormalDist().inv_cdf((1 - 1e-6) ** (1 / t)) for t in range(1, most + 1)]

    assert threshold / GRID == pytest.approx(max(reach), rel=1e-5)


def test_more_labels_and_less_delta_need_a_higher_threshold():
    sigma = Sigma(400.0)
    by_labels = [threshold_of(sigma, [10] * most, in_parts("1e-6")) for most in (1, 2, 5, 20)]
    by_delta = [threshold_of(sigma, [10], in_parts(delta)) for delta in ("0.4", "1e-3", "1e-6", "1e-18")]

    assert by_labels == sorted(set(by_labels))
    assert by_delta == sorted(set(by_delta))


def test_noise_alone_must_be_above_zero_to_pass():
    """Whatever δ allows: a label of one unit needs noise of at least 1."""
    assert 11 <= threshold_of(Sigma(1.0), [10], in_parts("0.9"))


@pytest.mark.parametrize("most", [1, 2, 3, 7, 100, 1_000])
def test_shares_have_a_norm_of_at_most_one(most):
    """t·⌊GRID/√t⌋² ≤ GRID², and one step more would be above it."""
    shares = Weights(most).shares()

    assert most == len(shares)
    assert all(t * share**2 <= GRID**2 < t * (share + 1) ** 2 for t, share in enumerate(shares, 1))
