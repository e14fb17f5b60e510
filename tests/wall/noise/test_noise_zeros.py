"""Zeros that pass a threshold are never enumerated; number, identity and values have the law as if they were."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from seqveil.wall.noise import Scale, SecureNoise, SeededNoise

P_THRESHOLD = 1e-6
pytestmark = pytest.mark.slow
both = pytest.mark.parametrize("noise", [SecureNoise(), SeededNoise(5)], ids=lambda noise: noise.kind)


def sampled(noise, scale, threshold, slots):
    """Slots that pass and their values, the short way."""
    number = noise.passing(scale, threshold, slots)
    return noise.distinct(number, slots), threshold + noise.beyond(scale, 0, number)


def enumerated(noise, scale, threshold, slots, times):
    """Slots that pass and their values, the long way: noise for every slot."""
    for row in noise.laplace(scale, slots * times).reshape(times, slots):
        ids = np.flatnonzero(row >= threshold)
        yield ids, row[ids]


@both
@pytest.mark.parametrize("slots", [1, 3])
@pytest.mark.parametrize("threshold", [0, 1, 2])
def test_joint_law_of_few_slots_is_exact(noise, slots, threshold):
    """For 1 and 3 slots, every joint outcome (which pass, with which values) has its exact probability."""
    scale = Scale(1.3)
    p = scale.probability
    cell = [1 - p(threshold), p(threshold) - p(threshold + 1), p(threshold + 1) - p(threshold + 3), p(threshold + 3)]
    observed = np.zeros((4,) * slots)
    for _ in range(3_000):
        ids, values = sampled(noise, scale, threshold, slots)
        outcome = np.zeros(slots, dtype=int)
        outcome[ids] = np.searchsorted([threshold, threshold + 1, threshold + 3], values, side="right")
        observed[tuple(outcome)] += 1
    expected = np.array([3_000 * math.prod(c) for c in itertools.product(cell, repeat=slots)])
    # Outcomes expected fewer than 5 times are one: a single one of .01 would look impossible, and occurs once in 100 runs.
    common = expected >= min(5, expected.max())
    seen, awaited = ([*cells[common], cells[~common].sum()] for cells in (observed.ravel(), expected))

    assert stats.chi2.sf(sum((o - e) ** 2 / max(e, 1) for o, e in zip(seen, awaited, strict=True)), len(seen) - 1) > P_THRESHOLD


@both
@pytest.mark.parametrize("threshold", [0, 6, 9])
def test_fifty_slots_agree_with_enumeration(noise, threshold):
    """Number, first and last slot, least and largest value: the short way and the long way look the same."""
    scale, times = Scale(4.0), 1_000
    short = [sampled(noise, scale, threshold, 50) for _ in range(times)]
    long = list(enumerated(noise, scale, threshold, 50, times))
    features = {
        "number": lambda ids, values: len(ids),
        "first": lambda ids, values: ids[0] if len(ids) else -1,
        "last": lambda ids, values: ids[-1] if len(ids) else -1,
        "least": lambda ids, values: values.min() if len(ids) else -1,
        "largest": lambda ids, values: values.max() if len(ids) else -1,
        "value of the first": lambda ids, values: values[0] if len(ids) else -1,
        "spread": lambda ids, values: (ids * (values - threshold)).sum() // 64,
    }
    for name, feature in features.items():
        a, b = ([int(feature(*outcome)) for outcome in outcomes] for outcomes in (short, long))

        assert two_sample_p(a, b) > P_THRESHOLD, name


def two_sample_p(a, b) -> float:
    """Chi-square of two samples of integers over bins that hold at least 20 of the two together."""
    values, counts = np.unique(np.concatenate([a, b]), return_counts=True)
    bins = np.minimum(np.cumsum(counts) - counts, len(a) + len(b) - 20) // 20
    table = np.zeros((2, bins.max() + 1))
    for row, sample in zip(table, (a, b), strict=True):
        np.add.at(row, bins[np.searchsorted(values, sample)], 1)
    table = table[:, table.sum(axis=0) > 0]
    return 1.0 if table.shape[1] == 1 else stats.chi2_contingency(table).pvalue


@both
def test_the_comparison_with_enumeration_has_power(noise):
    """The two-sample test rejects slots drawn with a scale 20 % off."""
    short = [noise.passing(Scale(4.8), 6, 50) for _ in range(1_500)]
    long = [len(ids) for ids, _ in enumerated(noise, Scale(4.0), 6, 50, 1_500)]

    assert two_sample_p(short, long) < P_THRESHOLD


@both
@pytest.mark.parametrize("threshold", [0, 30, 75])
def test_a_million_slots_have_the_right_marginals(noise, threshold):
    """With fan-out 10**6: number binomial, slots uniform, values threshold plus a geometric excess."""
    scale, slots = Scale(10.0), 10**6
    number = noise.passing(scale, threshold, slots)
    law = stats.binom(slots, scale.probability(threshold))
    ids = noise.distinct(number, slots)
    excess = noise.beyond(scale, 0, min(number, 20_000))
    cells = np.histogram(excess, bins=[0, 1, 2, 4, 8, 12, 16, 24, 32, 1e18])[0]
    edges = np.exp(-np.array([0, 1, 2, 4, 8, 12, 16, 24, 32, np.inf]) / 10)

    assert min(law.cdf(number), law.sf(number - 1)) > P_THRESHOLD
    assert number == len(np.unique(ids))
    assert stats.chisquare(np.histogram(ids, bins=20, range=(0, slots))[0]).pvalue > P_THRESHOLD
    assert stats.chisquare(cells, len(excess) * -np.diff(edges)).pvalue > P_THRESHOLD


@both
def test_an_empty_level_has_no_survivors(noise):
    """No slots, no noise: nothing passes."""
    ids, values = sampled(noise, Scale(3.0), 0, 0)

    assert (len(ids), len(values)) == (0, 0)
