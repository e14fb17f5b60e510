"""Likely bins: what they add up to, what they keep, and that they are closer than projected ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.bases.bins import labels_of_bins, projected, superset_sums
from seqveil.bases.likely import geometric_mean, guessed, likely


@given(
    m=st.integers(1, 7),
    scale=st.sampled_from([0.0, 0.02, 1.0, 9.0, 31.0, 1e6]),
    total=st.floats(-50, 1e5),
    seed=st.integers(0, 99),
)
def test_likely_bins_are_possible(m, scale, total, seed):
    """Not negative, and as many as there are records, whatever the noise did."""
    noisy = np.random.default_rng(seed).integers(-30, 60, 1 << m)
    bins = likely(noisy, scale, total)

    assert np.isfinite(bins).all()
    assert (bins >= 0).all()
    assert abs(bins.sum() - max(total, 0.0)) <= 1e-6 * max(abs(total), 1.0)


@pytest.mark.parametrize(("y", "g", "s"), [(9, 20.0, 1.0), (0, 0.5, 1.0), (-4, 2.0, 3.0), (12, 1e-6, 1.0), (40, 3.0, 9.0)])
def test_the_mean_of_a_geometric_count_by_definition(y, g, s):
    """Summed over all counts that matter."""
    c = np.arange(5000)
    weight = np.exp(c * np.log(g / (1 + g)) - (np.abs(y - c) - abs(y)) / s)

    assert geometric_mean(np.array([y]), np.array([g]), s)[0] == pytest.approx((c * weight).sum() / weight.sum(), rel=1e-9)


def test_what_is_guessed_follows_labels_and_sizes():
    """Without noise to speak of: independent labels are found again, and sizes that are not those of independent labels."""
    share = np.array([0.5, 0.2, 0.1])
    independent = np.array([np.prod(np.where([s >> j & 1 for j in range(3)], share, 1 - share)) for s in range(8)]) * 1e6
    independent[0] = 0
    shares = [guessed(independent.astype(np.int64), 0.01, independent.sum()) @ (np.arange(8) >> j & 1) for j in range(3)]
    pairs = np.where(labels_of_bins(4) == 2, 1000, 0)

    assert np.argsort(shares).tolist() == [2, 1, 0]
    assert guessed(pairs, 0.01, 6000.0) == pytest.approx(pairs, abs=1)


def world(name, random):
    """True bins over 12 labels: few kinds of records, or many."""
    few = np.bincount(random.choice(1 << 12, 30), random.integers(5, 400, 30), 1 << 12)
    holds = random.random((20_000, 12)) < 0.6 / np.arange(1, 13)
    many = np.bincount((holds << np.arange(12)).sum(axis=1), minlength=1 << 12)
    many[0] = 0
    return {"few": few.astype(np.int64), "many": many}[name]


@pytest.mark.parametrize("name", ["few", "many"])
def test_supports_are_closer_than_those_of_projected_bins(name):
    """On records of few kinds and of many, at ε = 1 and 0.2."""
    for scale in (1.0, 5.0):
        off = []
        for seed in range(5):
            random = np.random.default_rng(seed)
            true = world(name, random)
            p = 1 - np.exp(-1 / scale)
            noisy = true + random.geometric(p, len(true)) - random.geometric(p, len(true))
            ways = likely(noisy, scale, float(true.sum())), projected(noisy, float(true.sum()))
            off.append([np.abs(superset_sums(way) - superset_sums(true)).mean() for way in ways])

        assert np.mean(off, axis=0)[0] < 0.8 * np.mean(off, axis=0)[1]
