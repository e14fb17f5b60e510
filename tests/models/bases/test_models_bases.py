"""Populations of sets that agree with counts, and how they are filled up."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.bases.filling import filled, sizes_of
from seqveil.models.bases.population import apportioned, fit, from_bins, independent


@given(weights=st.lists(st.floats(0, 100), min_size=1, max_size=8), total=st.integers(0, 60))
def test_apportioned_adds_up_and_is_off_by_less_than_one(weights, total):
    """Unless there is nothing to go by."""
    w = np.array(weights)
    parts = apportioned(w, total)
    if w.sum() > 1e-300:
        assert total == parts.sum()
        assert (np.abs(parts - w * (total / w.sum())) < 1 + 1e-9).all()
    else:
        assert 0 == parts.sum()


def test_a_population_from_bins_has_their_counts():
    """Every bin as often as it says."""
    bins = np.array([40.0, 25.0, 5.0, 30.0, 0.0, 0.0, 10.0, 90.0])
    population = from_bins(bins, 3, 200)

    assert bins.tolist() == np.bincount(population @ np.array([1, 2, 4]), minlength=8).tolist()


def test_moving_labels_reaches_counts_that_some_population_has():
    """Pairs and triples of real sets, from independent ones; the counts of labels stay as they are."""
    random = np.random.default_rng(1)
    truth = random.random((3000, 5)) < 0.2
    truth[:900, :3] |= random.random((900, 1)) < 0.7
    itemsets = [(0, 1), (0, 2), (1, 2), (2, 3), (0, 1, 2)]
    wanted = np.array([truth[:, list(x)].all(axis=1).sum() for x in itemsets])
    population = independent(truth.sum(axis=0), len(truth), random)
    before = np.array([population[:, list(x)].all(axis=1).sum() for x in itemsets])
    fit(population, itemsets, wanted, random)
    after = np.array([population[:, list(x)].all(axis=1).sum() for x in itemsets])

    assert truth.sum(axis=0).tolist() == population.sum(axis=0).tolist()
    assert np.abs(before - wanted).max() > 300
    assert np.abs(after - wanted).max() < 30


@given(seed=st.integers(0, 200), n=st.integers(1, 40), others=st.integers(1, 6))
def test_filled_sets_have_no_label_twice_and_are_never_larger_than_they_should_be(seed, n, others):
    """Ascending codes, and all labels of the population are kept."""
    random = np.random.default_rng(seed)
    population = random.random((n, 3)) < 0.4
    inside = population.sum(axis=1)
    sizes = inside + random.integers(0, 4, n)
    labels = np.arange(3, 3 + others)
    sets = filled(population, np.arange(3), sizes, labels, random.random(others) + 0.01, random)

    assert n == len(sets)
    for row, size, has in zip(sets, sizes, population, strict=True):
        assert (np.diff(row) > 0).all()
        assert len(row) <= size
        assert set(np.flatnonzero(has)) == {x for x in row.tolist() if x < 3}


def test_sizes_follow_the_histogram():
    """Whatever is inside; nobody is smaller than that."""
    random = np.random.default_rng(2)
    histogram = np.array([500.0, 300.0, 150.0, 50.0])
    truth = random.permutation(np.repeat(np.arange(1, 5), histogram.astype(int)))
    inside = random.binomial(truth, 0.3)
    sizes = sizes_of(inside, histogram, random)

    assert (sizes >= np.maximum(inside, 1)).all()
    assert np.abs(np.bincount(sizes, minlength=5)[1:] - histogram).max() < 60
