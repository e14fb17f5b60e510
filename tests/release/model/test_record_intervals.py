"""Intervals of a record model cover the true count at the stated rate: exactly by convolution, and by simulation."""

import numpy as np
import pytest

from seqveil.release.answers.sums import spread
from seqveil.release.model import Counted

LAWS = [(1.0,), (20.0,), (20.0, 5.0, 1.3), (0.7, 0.7, 0.7), (3.0, 0.0), (55.0, 40.0, 8.0, 2.0, 0.4)]


def mass(scale, reach):
    """The discrete Laplace law on -reach..reach."""
    if scale == 0:
        return (np.arange(-reach, reach + 1) == 0).astype(float)
    q = np.exp(-1 / scale)
    return (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1))


def noise(scale, size, rng):
    """Exact discrete Laplace noise: the difference of two geometric variables."""
    if scale == 0:
        return np.zeros(size, np.int64)
    p = 1 - np.exp(-1 / scale)
    return rng.geometric(p, size) - rng.geometric(p, size)


@pytest.mark.parametrize("scales", LAWS)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_spread_is_the_smallest_that_covers(scales, alpha):
    """One less would cover too little: the law of the sum, convolved term by term."""
    law = np.ones(1)
    for scale in scales:
        law = np.convolve(law, mass(scale, 40 * int(max(scale, 1))))
    distance = np.abs(np.arange(len(law)) - len(law) // 2)
    z = spread(scales, alpha)

    assert law[distance > z].sum() <= alpha
    assert z == 0 or law[distance > z - 1].sum() > alpha


@pytest.mark.parametrize("scales", LAWS)
@pytest.mark.parametrize("true", [0, 3, 1000])
def test_intervals_cover_whatever_the_model_says(scales, true):
    """95 % or more of 40,000 answers, for models that are right, shrink to 0, or overshoot; a wrong scale is noticed."""
    rng, n = np.random.default_rng(5), 40_000
    noisy = true + sum(noise(scale, n, rng) for scale in scales)
    slack = 4 * np.sqrt(0.05 * 0.95 / n)

    for fitted in (np.full(n, float(true)), np.zeros(n), np.maximum(noisy, 0) * 1.5):
        low, high = Counted.of(fitted, noisy, scales).intervals(np.arange(n))
        assert ((low <= true) & (true <= high)).mean() >= 0.95 - slack
        assert ((low <= fitted) & (fitted <= high)).all()
    if true >= 1000 and max(scales) >= 1:  # nearer to 0 intervals are wider than they must be
        small = [0.8 * scale for scale in scales]
        low, high = Counted.of(noisy.clip(0), noisy, small).intervals(np.arange(n))
        assert ((low <= true) & (true <= high)).mean() < 0.95 - slack


def test_an_answer_far_below_zero_does_not_look_precise():
    """0 to 1 would cover well enough on average, and say of this cell what nobody knows."""
    rows = Counted.of([0.2, 0.2], [-90, 0], (20.0,))

    assert [(0, 60), (0, 60)] == [(answer.low, answer.high) for answer in rows.answers([0, 1], "records")]
    assert (0, spread((20.0, 20.0), 0.05)) == (rows.total([0, 1], [1, 1], "").low, rows.total([0, 1], [1, 1], "").high)


def test_a_sum_covers_the_sum_and_is_narrower_than_its_parts():
    rng, n, rows = np.random.default_rng(6), 2_000, 12
    true, scales = np.arange(rows) * 40, (9.0, 4.0)
    noisy = true + sum(noise(scale, (n, rows), rng) for scale in scales)
    hits = 0
    for answers in noisy:
        table = Counted.of(answers.clip(0), answers, scales)
        answer = table.total(range(rows), [1] * rows, "records")
        hits += answer.low <= true.sum() <= answer.high
        assert answer.low <= answer.value <= answer.high
    apart = sum(a.high - a.low for a in table.answers(range(rows), ""))

    assert hits / n >= 0.95 - 4 * np.sqrt(0.05 * 0.95 / n)
    assert answer.high - answer.low < 0.6 * apart


def test_lengths_of_sequences_share_the_error():
    """Answers about different lengths are not convolved: each gets half of the 5 %."""
    table = Counted.of([500.0, 400.0], [500, 400], [10.0])
    apart, together = (table.total([0, 1], groups, "") for groups in ([1, 2], [1, 1]))

    assert 2 * 2 * spread((10.0,), 0.025) == apart.high - apart.low
    assert 2 * spread((10.0, 10.0), 0.05) == together.high - together.low
