"""The ladder's sampler: its cumulative law to dozens of digits, draws against exact probabilities, tails that are not cut."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from itertools import accumulate

import numpy as np
import pytest
from scipy import stats

from seqveil.errors import CallError
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise, inverse, ladder

WIDTHS = {
    "narrow, then wide": np.array([0, 2, 5]),
    "one width": np.array([4]),
    "many": np.minimum(3 + np.arange(40), 30),
}


def rung_masses(widths, scale: float, rungs: int) -> np.ndarray:
    """The probabilities of rungs 0..rungs-1, from the definition."""
    j = np.arange(200_000)
    weight = 2.0 * widths[np.minimum(np.maximum(j - 1, 0), len(widths) - 1)] * np.exp(-j / scale)
    weight[0] = 1
    return (weight / weight.sum())[:rungs]


def p_value(draws, widths, scale: float) -> float:
    """Chi-square over rungs, signs apart, rare ones pooled."""
    rungs = ladder.rung_of(np.abs(draws), widths)
    masses = rung_masses(widths, scale, int(rungs.max()) + 2)
    cells = np.where(draws < 0, 2 * rungs, np.where(draws > 0, 2 * rungs - 1, 0))
    expected = len(draws) * np.concatenate([masses[:1], np.repeat(masses[1:] / 2, 2)])
    observed = np.bincount(cells, minlength=len(expected))[: len(expected)]
    common = expected >= 10
    pool = lambda x, total: [*x[common], total - x[common].sum()]  # noqa: E731
    if len(draws) - expected[common].sum() < 5:
        common[np.flatnonzero(common)[-1]] = False
    return stats.chisquare(pool(observed, len(draws)), pool(expected, len(draws))).pvalue


@pytest.mark.parametrize(
    ("noise", "name"),
    [(SecureNoise(), "narrow, then wide"), (SecureNoise(), "one width"), (SeededNoise(4), "many")],
    ids=["narrow, then wide", "one width", "many"],
)
def test_draws_have_their_law_and_a_scale_10_percent_off_is_rejected(noise, name):
    """Rungs and signs; within a rung all numbers are equally likely."""
    widths, scale = WIDTHS[name], 3.0
    draws = np.array([noise.ladder(widths, Scale(scale)) for _ in range(12_000)])
    rungs = ladder.rung_of(np.abs(draws), widths)
    common = np.bincount(rungs).argmax()
    inside = np.unique(draws[rungs == common], return_counts=True)[1]

    assert p_value(draws, widths, scale) > 1e-6
    assert p_value(draws, widths, scale * 1.1) < 1e-6
    assert p_value(draws, widths, scale / 1.1) < 1e-6
    assert len(inside) == 2 * widths[min(common, len(widths)) - 1]
    assert stats.chisquare(inside).pvalue > 1e-6


@pytest.mark.parametrize("digits", [30, 60])
@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("scale", [0.3, 5.0, 1e15])
def test_the_law_is_known_as_well_as_claimed(name, scale, digits):
    """Every height within 10**-digits of the definition, and all that is beyond the widths in the last step."""
    widths = WIDTHS[name]
    steps = ladder._law(widths, Scale(scale), digits)
    with localcontext(prec=200):
        numerator, denominator = Scale(scale).exact.as_integer_ratio()
        down = (-Decimal(denominator) / numerator).exp()
        weights = [Decimal(1), *(2 * w * down ** (j + 1) for j, w in enumerate(widths.tolist()))]
        weights.append(2 * int(widths[-1]) * down ** (len(widths) + 1) / (1 - down))
        truth = [height / sum(weights) for height in accumulate(weights)]

        assert all(abs(t - h) <= steps.error for t, h in zip(truth, steps.heights, strict=False))
        assert steps.open_above == (len(steps.heights) < len(truth))
        assert truth[len(steps.heights) - 1] >= 1 - steps.error
        assert isinstance(steps, inverse.Steps)


def test_a_draw_beyond_the_widths_follows_the_geometric_tail():
    """At a large scale nearly every draw is beyond; its mean distance is about width · scale."""
    widths, scale = np.array([0, 1, 7]), Scale(1000.0)
    noise = SecureNoise()
    far = np.array([abs(noise.ladder(widths, scale)) for _ in range(3_000)])

    assert stats.kstest(far, "expon", args=(0, 7 * 1000)).pvalue > 1e-6
    assert stats.kstest(far, "expon", args=(0, 7 * 1100)).pvalue < 1e-2


def test_answers_beyond_int64_are_whole_numbers():
    """Wide rungs and a large scale: Python's own integers."""
    widths = np.array([2**40])
    largest = max(abs(SecureNoise().ladder(widths, Scale(1e15))) for _ in range(20))

    assert largest > 2**63


def test_rungs_without_numbers_are_never_drawn():
    """Where all rungs are empty the answer is 0; an empty rung between others is passed over."""
    noise = SecureNoise()

    assert {0} == {noise.ladder(np.array([0, 0]), Scale(50.0)) for _ in range(50)}
    assert {0, 1} == {abs(noise.ladder(np.array([0, 1, 0]), Scale(50.0))) for _ in range(80)}


@pytest.mark.parametrize("widths", [np.array([], np.int64), np.array([1.5]), np.array([3, -1]), np.array([[1]])])
def test_widths_that_make_no_sense_are_refused(widths):
    """Before anything is drawn."""
    for noise in (SecureNoise(), SeededNoise(1)):
        with pytest.raises(CallError, match="flat array of int64, none below 0"):
            noise.ladder(widths, Scale(1.0))


def test_the_rungs_of_numbers():
    """Walked one by one."""
    widths = np.array([0, 2, 3])
    walked, rung, room = [0], 0, 0
    for _ in range(30):
        while room == 0:
            rung += 1
            room = int(widths[min(rung, 3) - 1])
        walked.append(rung)
        room -= 1

    assert ladder.rung_of(np.arange(31), widths).tolist() == walked
    assert math.isclose(rung_masses(widths, 2.0, 100).sum(), 1)
