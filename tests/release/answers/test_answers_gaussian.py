"""Error bars under discrete Gaussian noise, against its probabilities written out."""

import numpy as np
import pytest

from seqveil.release.answers import gaussian
from seqveil.release.answers.intervals import bound_of_unseen, interval
from seqveil.release.answers.sums import spread, total

SIGMAS = [0.4, 1.0, 5.0, 11.9, 12.1, 40.0]


def law(sigma, reach=12):
    """All values within so many σ, and their probabilities."""
    x = np.arange(-int(reach * sigma) - 2, int(reach * sigma) + 3)
    mass = np.exp(-((x / sigma) ** 2) / 2)
    return x, mass / mass.sum()


@pytest.mark.parametrize("sigma", SIGMAS)
def test_tails_and_variances_are_those_of_the_law(sigma):
    x, mass = law(sigma)
    tails = np.cumsum(mass[::-1])[::-1]
    inner = np.abs(x) <= 8 * sigma
    assert gaussian.survival(x[inner].astype(float), np.array([sigma])) == pytest.approx(tails[inner], rel=1e-3)
    assert gaussian.variance(np.array([sigma]))[0] == pytest.approx((mass * x**2).sum(), rel=1e-6)


@pytest.mark.parametrize(("sigma", "threshold"), [(1.0, 3), (6.0, 0), (6.0, 20), (6.0, 40), (20.0, 70), (6.0, -(2**53))])
def test_an_interval_covers_every_count_given_that_its_answer_passed(sigma, threshold):
    assert worst(sigma, threshold, sigma) >= 0.95 - 1e-4


def test_intervals_for_narrower_noise_cover_too_little():
    assert worst(6.0, 20, 6.0 / 1.15) < 0.95 - 0.01


def worst(sigma, threshold, believed):
    """The least coverage of any count, if noise is believed to have that σ."""
    x, mass = law(sigma)
    covered = []
    for t in sorted({0, 1, 5, *(max(int(threshold + k * sigma), 0) for k in (-3, -1, -0.2, 0, 0.2, 1, 2, 3, 6))}):
        y = t + x
        passed = y >= threshold
        low, high = interval(y[passed], np.full(passed.sum(), believed), np.full(passed.sum(), threshold), gaussian=True)
        inside = mass[passed] * ((low <= t) & (t <= high))
        covered.append(inside.sum() / mass[passed].sum())
    return min(covered)


@pytest.mark.parametrize("sigmas", [(3.0,), (3.0, 3.0), (2.0, 7.0, 0.0)])
def test_a_spread_is_the_smallest_that_holds(sigmas):
    mass = np.ones(1)
    for sigma in sigmas:
        if sigma:
            mass = np.convolve(mass, law(sigma)[1])
    beyond = [mass[: len(mass) // 2 - z].sum() for z in range(len(mass) // 2)]
    assert spread(sigmas, 0.05, gaussian=True) == next(z for z, tail in enumerate(beyond) if tail <= 0.025)


def test_sums_of_counts_that_passed_are_covered():
    sigma, threshold, truth = 10.0, 25, np.array([0, 20, 30, 60])
    random = np.random.default_rng(1)
    x, mass = law(sigma)
    covered = tried = 0
    for _ in range(120):
        y = []
        for t in truth:
            below = threshold - t > x
            p = np.where(below, 0, mass)
            y.append(t + random.choice(x, p=p / p.sum()))
        low, high = total(np.array(y), np.full(4, sigma), np.full(4, threshold), np.ones(4), gaussian=True)
        covered, tried = covered + (low <= truth.sum() <= high), tried + 1
    assert covered / tried > 0.92


@pytest.mark.parametrize(("sigma", "threshold"), [(2.0, 9), (10.0, 40)])
def test_a_count_above_the_bound_is_rarely_unseen(sigma, threshold):
    bound = bound_of_unseen(sigma, threshold, gaussian=True)
    x, mass = law(sigma)
    assert mass[bound + 1 + x < threshold].sum() <= 0.05 < mass[bound - 2 + x < threshold].sum()
