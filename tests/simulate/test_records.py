"""Simulated populations: they have the size, length and popularity that was asked for, and depend on their seed alone."""

from __future__ import annotations

import numpy as np
import pytest

import seqveil as sv
from seqveil.simulate.records import FLAT, POPULATIONS, REGULAR, SKEWED, TYPICAL, resampled, rows, sequences, sets

CLICKS = sv.Domain.range(1, 40)


@pytest.mark.parametrize("simulate", [sequences, sets])
@pytest.mark.parametrize("who", POPULATIONS, ids=lambda one: one.name)
def test_size_and_mean_length_are_as_asked_for(simulate, who):
    """To a few per cent; sets over a skewed domain stay a little smaller."""
    table = simulate(who, CLICKS, 20_000, 6.0, None, seed=3)

    assert 20_000 == len(table)
    assert 5.2 < len(table.flat.items) / 20_000 < 6.2
    assert table.flat.lengths.min() >= 1


@pytest.mark.parametrize("simulate", [sequences, sets])
def test_a_seed_repeats_and_another_differs(simulate):
    """Bit by bit."""
    one, again, other = (simulate(TYPICAL, CLICKS, 500, 5.0, None, seed=s) for s in (1, 1, 2))

    assert np.array_equal(one.flat.items, again.flat.items)
    assert not np.array_equal(one.flat.items[:100], other.flat.items[:100])


def test_popularity_is_as_steep_as_the_population_says():
    """The share of the most frequent label rises from flat to skewed."""
    shares = [
        np.bincount(sequences(who, CLICKS, 20_000, 5.0, None, 1).flat.items).max() / 100_000 for who in (FLAT, TYPICAL, SKEWED)
    ]

    assert shares == sorted(shares)
    assert shares[2] > 2 * shares[0]


def test_regular_records_begin_alike():
    """Most of them with one label."""
    flat = sequences(REGULAR, CLICKS, 5000, 5.0, None, seed=1).flat

    assert np.bincount(flat.items[flat.offsets[:-1]]).max() > 2500


def test_a_huge_domain_needs_no_huge_memory():
    """Ten million labels."""
    table = sequences(TYPICAL, sv.Domain.range(1, 10_000_000), 1000, 5.0, None, seed=1)

    assert 1000 == len(table)
    assert table.flat.items.max() > 1_000_000  # they lie all over the domain


def test_users_own_what_they_are_given():
    """Of sequences, sets and rows."""
    owners = np.repeat(np.arange(50), 2)
    people = sv.Domain.of(["sex=f", "sex=m", "age=20", "age=30"])

    assert 50 == len(np.unique(sequences(TYPICAL, CLICKS, 100, 5.0, owners, 1).users))
    assert 50 == len(np.unique(sets(TYPICAL, CLICKS, 100, 5.0, owners, 1).users))
    assert 50 == len(np.unique(rows(TYPICAL, people, 100, 5.0, owners, 1).users))


def test_a_sample_is_drawn_from_with_replacement():
    """Only its records, as many as wanted, for new owners."""
    few = sv.table_of([["1", "2"], ["3"]], CLICKS)
    many = resampled(few, 1000, np.arange(1000), seed=1)

    assert {(0, 1), (2,)} == {tuple(record.tolist()) for record in many.flat}
    assert 1000 == len(np.unique(many.users))
