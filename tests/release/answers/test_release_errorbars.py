"""Bars cover the true count at least 95 % of the time, whatever it is, although only answers that pass are seen."""

import numpy as np
import pytest

from seqveil.release.answers.intervals import interval, surprise, variance
from seqveil.release.grams.table import UNSELECTED

LAWS = [(1.0, 3), (4.0, 0), (5.0, 12), (20.0, 50), (0.3, 2), (30.0, 1)]


def passing(t: int, scale: float, threshold: int) -> tuple[np.ndarray, np.ndarray]:
    """All answers that pass under t, and their probabilities, straight from the definition."""
    y = np.arange(threshold, max(t, threshold) + int(45 * scale) + 10)
    weight = np.exp(-(np.abs(y - t) - max(threshold - t, 0)) / scale)
    return y, weight / weight.sum()


def interesting(scale: float, threshold: int) -> list[int]:
    """True counts from 0 over the threshold to far above it."""
    steps = [-2, -1, 0, 1, 2, scale / 2, scale, 2 * scale, 3 * scale, 5 * scale, 20 * scale]
    return sorted({0, 1, *(max(0, threshold + int(step)) for step in steps)})


@pytest.mark.parametrize(("scale", "threshold"), LAWS)
def test_coverage_is_at_least_95_percent_for_every_count(scale, threshold):
    """Summed exactly over all answers: no true count, 0 included, is missed more than 5 % of the time."""
    for t in interesting(scale, threshold):
        y, mass = passing(t, scale, threshold)
        low, high = interval(y, np.full(len(y), scale), np.full(len(y), threshold))

        assert mass[(low <= t) & (t <= high)].sum() >= 0.95 - 1e-9, t


@pytest.mark.parametrize(("scale", "threshold"), LAWS)
def test_surprise_is_the_mass_of_what_is_no_more_likely(scale, threshold):
    """The closed form agrees with the sum over all answers that pass."""
    for t in interesting(scale, threshold):
        y, mass = passing(t, scale, threshold)
        for k in range(0, min(len(y), int(8 * scale) + 4), max(1, int(scale))):
            slow = mass[mass <= mass[k] * (1 + 1e-9)].sum()
            fast = surprise(np.array([t]), y[k : k + 1], np.array([scale]), np.array([threshold]))[0]

            assert pytest.approx(slow, abs=1e-9) == fast, (t, y[k])


@pytest.mark.parametrize(("scale", "threshold"), LAWS)
def test_the_interval_holds_exactly_the_survivors(scale, threshold):
    """Bisection finds what trying every count finds, and the answer itself is always inside."""
    for y in range(threshold, threshold + int(6 * scale) + 3):
        t = np.arange(0, y + int(8 * scale) + 5)
        one = np.ones(len(t), np.int64)
        kept = t[surprise(t, y * one, scale * one, threshold * one) > 0.05]
        low, high = interval(np.array([y]), np.array([scale]), np.array([threshold]))

        assert (kept[0], kept[-1], len(kept)) == (low[0], high[0], high[0] - low[0] + 1)
        assert low[0] <= y <= high[0]


def test_a_gram_near_its_threshold_may_be_nothing():
    """The lower end is 0 exactly while the excess is likely for a false gram."""
    scale, threshold = 20.0, 50
    y = np.arange(threshold, threshold + 100)
    low, _ = interval(y, np.full(100, scale), np.full(100, threshold))

    assert (np.exp(-(y - threshold) / scale) > 0.05).tolist() == (low == 0).tolist()


def test_without_selection_the_bar_is_the_plain_one():
    """An answer kept whatever it is has the symmetric interval of discrete Laplace noise, cut at 0."""
    low, high = interval(np.array([1000, 10, -500]), np.full(3, 20.0), np.full(3, UNSELECTED))

    assert ([940, 0, 0], [1060, 70, 0]) == (low.tolist(), high.tolist())


def test_an_exact_answer_has_no_width():
    """Scale 0, which only experiments have, gives the answer itself."""
    low, high = interval(np.array([7]), np.array([0.0]), np.array([0]))

    assert (7, 7) == (low[0], high[0])


def test_variance_is_that_of_the_noise():
    """2q/(1-q)² agrees with the sum over the law, also for scales that are tiny, huge or 0."""
    for scale in (0.2, 1.0, 17.0):
        x = np.arange(-2000, 2001)
        mass = np.exp(-np.abs(x) / scale)

        assert pytest.approx((mass * x**2).sum() / mass.sum()) == variance(np.array([scale]))[0]
    assert 0.0 == pytest.approx(variance(np.array([0.0]))[0])


@pytest.mark.slow
def test_measured_coverage_over_kept_grams():
    """200,000 grams, most of them false (count 0): at least 93 % of those kept are covered, and a plain bar fails."""
    rng = np.random.default_rng(7)
    n, scale, threshold = 200_000, 20.0, 60
    true = np.where(rng.random(n) < 0.9, 0, rng.integers(0, 400, n))
    q = np.exp(-1 / scale)
    noisy = true + rng.geometric(1 - q, n) - rng.geometric(1 - q, n)
    kept = noisy >= threshold
    t, y = true[kept], noisy[kept]
    low, high = interval(y, np.full(len(y), scale), np.full(len(y), threshold))
    covered = (low <= t) & (t <= high)

    assert covered.mean() >= 0.93
    assert covered[t == 0].mean() >= 0.93
    assert (np.abs(y - t) <= 3 * scale)[t == 0].mean() < 0.5
