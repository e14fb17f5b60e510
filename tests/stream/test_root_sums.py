"""Weights undone: exact without noise, as wide as stated with it, and the same whatever the batches are."""

import math

import numpy as np
import pytest

from seqveil.stream.answers import within95
from seqveil.stream.mechanism import StreamMethod
from seqveil.stream.root_sums import RootSums, variances
from seqveil.wall.continual import Count, Counts, Released, SquareRoot, Sum
from seqveil.wall.continual.continual import Continual
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.noise import SeededNoise, Sigma
from seqveil.wall.noise.nothing import NoNoise

GAUSSIAN = Guarantee(10**12, 10**12)
EVENTS = np.random.default_rng(4).integers(0, 2, 3000)


def answered(method, events, noise=None, batch=500):
    """(value, variance) after each step."""
    continual, combiner = Continual(method.question, GAUSSIAN, noise or NoNoise()), method.combiner()
    return [
        pair
        for at in range(0, len(events), batch)
        for part in continual.feed(events[at : at + batch])
        for pair in combiner.combine(part)
    ]


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("length", [3000, 5000, None])
def test_without_noise_counts_are_exact(length, every):
    """Also when the stream ends before its declared length."""
    pairs = answered(StreamMethod(Count("= 1"), "sqrt", length, every=every), EVENTS.tolist())

    assert np.cumsum(EVENTS)[every - 1 :: every].tolist() == [value for value, _ in pairs]


def test_without_noise_sums_and_counts_per_label_are_exact():
    """Large numbers and several numbers."""
    sums = answered(StreamMethod(Sum("-500", "1000"), "sqrt", 3000), (EVENTS * 1500 - 500).tolist())
    counts = answered(StreamMethod(Counts(("0", "1")), "sqrt", 3000), EVENTS.tolist())

    assert np.cumsum(EVENTS * 1500 - 500).tolist() == [value for value, _ in sums]
    assert np.cumsum([EVENTS == 0, EVENTS == 1], axis=1).T.tolist() == [value.tolist() for value, _ in counts]


def test_answers_do_not_depend_on_batches():
    """To the last bit: what was printed once is printed again."""
    method = StreamMethod(Count("= 1"), "sqrt", 3000)

    assert answered(method, EVENTS.tolist(), SeededNoise(1)) == answered(method, EVENTS.tolist(), SeededNoise(1), batch=37)


def test_the_stated_variance_is_that_of_the_answers():
    """The sum of squared weights, two ways, and against five hundred streams."""
    method = StreamMethod(Count("= 1"), "sqrt", 40)
    law = method.question.law(GAUSSIAN)
    stated = np.array([variance for _, variance in answered(method, [0] * 40)])
    drawn = np.array([[value for value, _ in answered(method, [0] * 40, SeededNoise(seed))] for seed in range(500)])

    assert np.allclose(stated, variances(SquareRoot(40).coefficients, 40), rtol=1e-9)
    assert np.allclose(stated * 4.0**20, np.cumsum(np.linalg.inv(_matrix(40)).cumsum(axis=0)[:, 0] ** 2), rtol=1e-9)
    ratio = (drawn**2).mean(axis=0) / (stated * law.square + 1 / 12)
    assert (np.abs(ratio - 1) < 0.3).all()  # a variance of 500 draws has a standard error of 6.3 %
    assert abs(ratio.mean() - 1) < 0.12
    within = np.array([within95(law, variance) for variance in stated])
    assert 0.94 < (np.abs(drawn) <= within).mean() < 0.975


def _matrix(steps):
    coefficients = SquareRoot(steps).coefficients
    heights = np.repeat(coefficients.weights, np.diff(coefficients.lags)) / 2**20
    lag = np.arange(steps)[:, np.newaxis] - np.arange(steps)
    return np.where(lag >= 0, heights[np.maximum(lag, 0)], 0)


@pytest.mark.parametrize(("length", "most"), [(1000, 13.9), (34_589, 19.0), (10**6, 23.9)])
def test_the_standard_deviation_over_a_stream(length, most):
    """(ε, δ) = (1, 1e-6), root of the mean squared error, from the weights alone."""
    question = StreamMethod(Count("= 1"), "sqrt", length).question
    deviation = math.sqrt(question.law(GAUSSIAN).square * variances(question.stretches.coefficients, length).mean())

    assert 0.97 * most < deviation <= most


def test_closed_positions_are_null_events():
    """What was released there is lost; the events count as null, which is what they are in a pipe that continues."""
    root, absent = SquareRoot(300), 3
    method = StreamMethod(Sum("3", "9"), "sqrt", 300)
    combiner, kernel = RootSums(root, [absent]), method.question.kernel()
    first = kernel.feed(np.full(100, 5.0))
    kernel.feed(np.full(20, np.nan))
    rest = kernel.feed(np.full(80, 5.0))
    ones = np.ones
    combiner.combine(Released(1, ones(100, np.int64), first))
    assert [] == combiner.combine(Released(101, np.zeros(20, np.int64), np.empty(0, np.int64), closed=True))
    values = [value for value, _ in combiner.combine(Released(121, ones(80, np.int64), rest))]

    assert [500 + 20 * absent + 5 * i for i in range(1, 81)] == values


@pytest.mark.parametrize("square", [0.01, 0.2, 0.3, 1.0, 1.1, 2.5, 17.0, 400.0])
def test_the_bound_on_one_gaussian_draw_holds(square):
    """By the exact law, for narrow and for wide noise."""
    law = Sigma(square)
    bound = within95(law, 1)

    assert 1 - 2 * law.probability(bound + 1) >= 0.95
