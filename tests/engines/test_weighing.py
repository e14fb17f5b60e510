"""Weights of labels that nobody has listed: against brute force, and unit by unit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqveil.engines.protocol import label_engine_of
from seqveil.tables.unlisted import labels_of
from seqveil.wall.noise import SeededNoise

LABELS = ["a", "b", "c", "é", "zz", "b b"]
PEOPLE = st.lists(st.lists(st.lists(st.sampled_from(LABELS), max_size=5), min_size=1, max_size=3), max_size=6)
SHARES = np.array([10, 7, 5], np.int64)


def table_of_people(people, users, first=0):
    records = [record for person in people for record in person]
    owners = [f"p{first + i}" for i, person in enumerate(people) for _ in person]
    return labels_of(records, owners if users else None)


def weigh(table, seed=1, shares=SHARES):
    weighed = label_engine_of(table).weights(table, shares, SeededNoise(seed).below)
    return Counter(dict(zip(weighed.labels, weighed.weight.tolist(), strict=True))), weighed


@given(PEOPLE, st.booleans())
@example([[["a", "a"], ["b"]], [["a", "b", "c", "zz"]]], True)
def test_weights_are_those_of_brute_force(people, users):
    """Whoever has at most as many labels as there are shares gives all of them the share for their number."""
    units = [{label for record in person for label in record} for person in people]
    units = units if users else [set(record) for person in people for record in person]
    few = [unit for unit in units if len(unit) <= len(SHARES)]
    expected = Counter()
    for unit in few:
        expected.update(dict.fromkeys(unit, int(SHARES[len(unit) - 1])))
    got, weighed = weigh(table_of_people(people, users))
    crowded = len([unit for unit in units if len(unit) > len(SHARES)])

    assert not expected - got
    assert sum((got - expected).values()) == crowded * 3 * 5
    assert weighed.labels == sorted(got, key=str.encode)
    assert weighed.most == min(3, max(map(len, units), default=0))
    assert weighed.heaviest_square == max(
        (len(u) * int(SHARES[len(u) - 1]) ** 2 if len(u) < 3 else 75 for u in units if u), default=0
    )


@given(PEOPLE, st.lists(st.lists(st.sampled_from([*LABELS, "A", "~", "own"]), max_size=8), min_size=1, max_size=3), st.booleans())
@example([[["c", "b", "zz", "é"]]], [["A", "own", "~", "a", "b"]], False)
def test_whoever_joins_changes_nothing_of_the_others(people, person, users):
    """weights(D ∪ u) = weights(D) + weights(u) under one key, although u's labels change every code."""
    both, _ = weigh(table_of_people([person, *people], users))
    others, _ = weigh(table_of_people(people, users, first=1))
    alone, _ = weigh(table_of_people([person], users))

    assert both == others + alone


def test_labels_beyond_the_bound_are_chosen_fairly_and_by_the_key():
    """Each of five labels is among the two that are weighed equally often; another key chooses others; equal keys the same."""
    table = table_of_people([[LABELS[:5]]], users=True)
    chosen = Counter()
    for seed in range(600):
        chosen.update(weigh(table, seed, SHARES[:2])[0].keys())

    assert weigh(table, 5)[0] == weigh(table, 5)[0]
    assert 1_200 == sum(chosen.values())
    assert sum((n - 240) ** 2 / 144 for n in chosen.values()) < 25  # χ² of 4 degrees: beyond this once in 20,000 tries


@pytest.mark.parametrize("users", [True, False])
def test_no_units_have_no_weight(users):
    got, weighed = weigh(table_of_people([], users))

    assert (Counter(), 0, 0) == (got, weighed.heaviest_square, weighed.most)
