"""Bars of sums: the law of the summed noise is exact, and selection is allowed for."""

import numpy as np
import pytest

from seqveil.release.answers.intervals import interval
from seqveil.release.answers.sums import MOST_LAWS, _chernoff, _upper_quantile, total
from seqveil.release.grams.table import UNSELECTED


def noise(scale: float, start: int) -> tuple[np.ndarray, int]:
    """Masses of X given X >= start on start.., and where they begin."""
    x = np.arange(max(start, -int(50 * scale)), int(50 * scale))
    mass = np.exp(-np.abs(x) / scale)
    return mass / mass.sum(), int(x[0])


CASES = [
    ("two alike", [5.0, 5.0], [UNSELECTED, UNSELECTED]),
    ("two scales", [2.0, 9.0], [UNSELECTED, UNSELECTED]),
    ("one-sided", [5.0, 5.0, 5.0], [0, 0, 0]),
    ("cut at whole scales", [4.0, 7.0], [-8, -21]),
    ("mixed", [3.0, 3.0, 8.0], [0, UNSELECTED, -16]),
]


@pytest.mark.parametrize(("what", "scales", "starts"), CASES, ids=[c[0] for c in CASES])
@pytest.mark.parametrize("alpha", [0.2, 0.025, 0.001])
def test_the_quantile_is_that_of_the_convolution(what, scales, starts, alpha):
    """FFT and plain convolution agree to the integer."""
    mass, first = np.ones(1), 0
    for scale, start in zip(scales, starts, strict=True):
        one, begin = noise(scale, start)
        mass, first = np.convolve(mass, one), first + begin
    above = np.cumsum(mass[::-1])[::-1]
    expected = first + int(np.flatnonzero(above <= alpha)[0]) - 1

    assert expected == _upper_quantile(np.array(scales), np.array(starts), alpha)


def test_a_wide_sum_is_rounded_outwards():
    """On a coarser grid the quantile is no smaller than scaling says, and hardly larger."""
    fine = _upper_quantile(np.array([50.0, 80.0]), np.array([UNSELECTED, UNSELECTED]), 0.025)
    coarse = _upper_quantile(np.array([50.0, 80.0]) * 10_000, np.array([UNSELECTED, UNSELECTED]), 0.025)

    assert fine * 9_900 <= coarse <= fine * 10_300


def test_markovs_inequality_is_the_wider_one():
    """The bound for very many laws is safe: never below the exact quantile, and within 60 % of it."""
    exact = _upper_quantile(np.array([10.0] * 30), np.full(30, UNSELECTED), 0.025)
    bound = _chernoff([(10.0, -600)], [30], 0.025)

    assert exact <= bound <= 1.6 * exact


def test_many_different_laws_are_summed_quickly():
    """More laws than are convolved still get a bound, of the size that their variances say."""
    scale = np.linspace(10.0, 60.0, MOST_LAWS + 44)
    low, high = total(np.full(len(scale), 10_000), scale, np.full(len(scale), 50), np.ones(len(scale), np.int64))
    spread = np.sqrt(2 * (scale**2).sum())

    assert 2 * 1.96 * spread <= high - low <= 2 * 3.2 * spread


def test_several_lengths_share_the_error():
    """Grams of different lengths are bounded length by length, each with its part of the 5 %."""
    y, scale, threshold = np.array([400, 300]), np.array([20.0, 30.0]), np.array([50, 50])
    low, high = total(y, scale, threshold, np.array([1, 2]))
    lows, highs = interval(y, scale, threshold, 0.025)

    assert (lows.sum(), highs.sum()) == (low, high)


def test_far_above_the_threshold_the_sum_is_tighter_than_its_parts():
    """The bar of a sum of 25 grows like 5, not like 25."""
    y, scale, threshold = np.full(25, 1000), np.full(25, 20.0), np.full(25, 50)
    low, high = total(y, scale, threshold, np.ones(25, np.int64))
    alone_low, alone_high = interval(y[:1], scale[:1], threshold[:1])

    assert high - low < 5 * (alone_high[0] - alone_low[0])
    assert low <= 25_000 <= high


@pytest.mark.slow
@pytest.mark.parametrize("true", [[0] * 4, [0, 0, 55, 300], [60] * 4, [70, 90, 120, 200], [900] * 4])
def test_measured_coverage_of_totals(true):
    """Four kept grams, false ones and ones near the threshold among them: at least 93 % of totals are covered."""
    rng = np.random.default_rng(11)
    scale, threshold, runs = 20.0, 60, 400
    answers = []
    for t in true:
        y = np.arange(threshold, max(t, threshold) + 900)
        weight = np.exp(-(np.abs(y - t) - max(threshold - t, 0)) / scale)
        answers.append(rng.choice(y, runs, p=weight / weight.sum()))
    ends = [
        total(np.array(y), np.full(4, scale), np.full(4, threshold), np.array([1, 1, 1, 1])) for y in zip(*answers, strict=True)
    ]
    covered = np.mean([low <= sum(true) <= high for low, high in ends])

    assert covered >= 0.93
