"""Count queries of every kind against plain Python, and the error that is made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.evaluate.count_queries import SIZES, count_error, per_size, random_queries, relative_error, workload
from seqveil.evaluate.presence import beginning_with, visited_all
from seqveil.evaluate.trie import occurrences
from seqveil.tables.flat import Flat

LABELS = 4
records = st.lists(st.lists(st.integers(0, LABELS - 1), max_size=8), max_size=10)
queries = st.lists(st.lists(st.integers(0, LABELS - 1), min_size=1, max_size=4), min_size=1, max_size=8)


@given(data=records, asked=queries)
@settings(max_examples=60, deadline=None)
def test_occurrences_are_counted_at_every_place(data, asked):
    """Overlapping ones too."""
    expected = [sum(r[i : i + len(q)] == q for r in data for i in range(len(r) - len(q) + 1)) for q in asked]

    assert expected == occurrences(Flat.of(data), Flat.of(asked), LABELS).tolist()


@given(data=records, asked=queries)
@settings(max_examples=60, deadline=None)
def test_a_record_visited_all_of_them_or_not(data, asked):
    """Order and repetition do not matter [Chen thesis, Def. 6.5]."""
    expected = [sum(set(q) <= set(r) for r in data) for q in asked]

    assert expected == visited_all(Flat.of(data), Flat.of(asked), LABELS).tolist()


@given(data=records, asked=queries)
@settings(max_examples=60, deadline=None)
def test_a_record_begins_like_the_query_or_not(data, asked):
    """Only whole prefixes count."""
    expected = [sum(r[: len(q)] == q for r in data) for q in asked]

    assert expected == beginning_with(Flat.of(data), Flat.of(asked), LABELS).tolist()


def test_the_empty_set_was_visited_by_everybody():
    """A query without items asks nothing."""
    assert [2] == visited_all(Flat.of([[0], []]), Flat.of([[]]), 1).tolist()


@pytest.mark.parametrize(
    ("estimate", "truth", "records", "error"),
    [(12, 10, 1000, 0.2), (0, 10, 1000, 1.0), (3, 0, 1000, 3.0), (3, 0, 10_000, 0.3), (5, 5, 1, 0.0)],
)
def test_the_sanity_bound_tames_rare_queries(estimate, truth, records, error):
    """|Q̃ − Q| / max(Q, 0.1 % of the records), by hand."""
    assert error == pytest.approx(relative_error(np.array([estimate]), np.array([truth]), records)[0])


def test_the_workload_is_that_of_the_paper():
    """10,000 queries per maximal size, sizes uniform in 1..max, items uniform, and always the same ones."""
    whole = workload(17)
    sizes = [part.lengths for part in (random_queries(17, n) for n in SIZES)]

    assert 50_000 == len(whole)
    assert np.array_equal(np.concatenate(sizes), whole.lengths)
    assert list(SIZES) == [int(s.max()) for s in sizes]
    assert all(abs(s.mean() - (n + 1) / 2) < 0.2 for s, n in zip(sizes, SIZES, strict=True))
    assert abs(np.bincount(whole.items, minlength=17) / len(whole.items) - 1 / 17).max() < 0.003
    assert np.array_equal(whole.items, workload(17).items)


def test_a_perfect_copy_has_no_error_and_a_double_one_has_error_one():
    """The error of doubled counts is 1 for every query that occurs often enough."""
    data = Flat.of([[0, 1, 0]] * 50)
    double = Flat.of([[0, 1, 0]] * 100)

    assert dict.fromkeys(SIZES, 0.0) == count_error(data, data, 2)
    asked = Flat.of([[0], [0, 1]])
    assert [1.0, 1.0] == relative_error(occurrences(double, asked, 2), occurrences(data, asked, 2), 50).tolist()


def test_means_are_taken_size_by_size():
    """The first part of the errors belongs to the first size."""
    assert {4: 1.0, 8: 3.0} == per_size(np.array([0.0, 2.0, 3.0, 3.0]), (4, 8))
