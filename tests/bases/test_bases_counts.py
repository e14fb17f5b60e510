"""Bins, covers, predictions and error bars of bases."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.bases.bins import bin_of, itemset, projected, superset_sums
from seqveil.bases.counting import Binned, Counted
from seqveil.bases.cover import best_cover, covering, deviation
from seqveil.bases.listing import listed, scale_of_a_sum
from seqveil.bases.noise import Noise
from seqveil.release.grams.table import UNSELECTED

candidate_lists = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=4), min_size=1, max_size=12, unique=True).map(
    lambda sets: [tuple(sorted(s)) for s in sets]
)


@given(m=st.integers(1, 6), seed=st.integers(0, 99))
def test_superset_sums_by_definition(m, seed):
    """Every subset against all bins that contain it."""
    bins = np.random.default_rng(seed).integers(-5, 50, 1 << m)
    expected = [sum(int(bins[t]) for t in range(1 << m) if t & s == s) for s in range(1 << m)]

    assert expected == superset_sums(bins).tolist()


@given(m=st.integers(0, 5), total=st.floats(0, 500), seed=st.integers(0, 99))
def test_projection_is_feasible_and_no_feasible_point_is_closer(m, total, seed):
    """Not negative, the right total, and at least as close as random feasible points."""
    random = np.random.default_rng(seed)
    bins = random.integers(-30, 80, 1 << m)
    fitted = projected(bins, total)
    others = random.dirichlet(np.ones(1 << m), 20) * total

    assert (fitted >= 0).all()
    assert math.isclose(float(fitted.sum()), total, abs_tol=1e-6)
    assert ((fitted - bins) ** 2).sum() <= ((others - bins) ** 2).sum(axis=1).min() + 1e-6


@given(candidates=candidate_lists, m=st.integers(1, 8))
def test_a_covering_contains_every_candidate(candidates, m):
    """In bases of at most m labels, unless a candidate is larger."""
    bases = covering(candidates, m)

    assert all(any(set(x) <= set(basis) for basis in bases) for x in candidates)
    assert max(map(len, bases)) <= max(m, *map(len, candidates))
    assert best_cover(candidates, 1.0)[1] <= deviation(max(map(len, bases)), len(bases), 1.0)


def test_bins_are_named_both_ways():
    """Bit j is the j-th label, whatever the order of labels."""
    for s in range(8):
        assert s == bin_of((7, 3, 5), itemset((7, 3, 5), s))


@pytest.mark.parametrize(("m", "k"), [(6, 2), (9, 1)])
def test_error_bars_of_sums_cover_the_truth_as_often_as_they_say(m, k):
    """Noise on 2^(m − k) bins: 95 %, and a bar that forgets that they add up covers far less."""
    from seqveil.release.answers.intervals import interval

    random, scale, terms, truth = np.random.default_rng(1), 2.0, 1 << (m - k), 5000
    q = math.exp(-1 / scale)
    noise = (random.geometric(1 - q, (2000, terms)) - random.geometric(1 - q, (2000, terms))).sum(axis=1)
    free = np.full(2000, UNSELECTED, np.int64)

    def covered(s):
        low, high = interval(truth + noise, np.full(2000, s), free)
        return float(((low <= truth) & (truth <= high)).mean())

    assert 0.94 < covered(scale_of_a_sum(Noise(scale), terms)) < 0.975
    assert covered(scale) < 0.8


def test_the_list_is_ordered_by_the_best_estimates():
    """Fitted counts decide the order; the answers and the noise of their sums are kept for the error bars."""
    bins = Binned((0, 1), np.array([3, 9, -2, 4]), np.array([3.0, 8.0, 0.0, 4.0]))
    counted = Counted(
        [(0,), (1,), (0, 1)], np.array([13, 2, 4]), np.array([2, 2, 1]), Noise(1.5), np.array([12.0, 4.0, 4.0]), (bins,)
    )
    table = listed(counted, 2, 15)

    assert [(0,), (1,)] == [table.pattern(k) for k in range(len(table))]
    assert [13, 2] == table.noisy.tolist()
    assert (table.scale > 1.5).all()


def test_prediction_of_larger_itemsets_is_exact_for_independent_labels():
    """Kirkwood's product of pairs is the product of the shares then."""
    from seqveil.bases.growing import predicted

    share, n = {0: 0.5, 1: 0.4, 2: 0.25, 3: 0.8}, 10_000
    shares = {x: n * math.prod(share[y] for y in x) for k in (1, 2) for x in combinations(range(4), k)}

    for k in (3, 4):
        for x in combinations(range(4), k):
            assert math.isclose(predicted(x, shares, n), n * math.prod(share[y] for y in x))
