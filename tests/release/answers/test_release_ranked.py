"""The largest answers are those that are shown as the largest, however counts and answers differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

ROW = st.tuples(st.floats(0, 200), st.none() | st.integers(5, 200))


@given(st.lists(ROW, min_size=1, max_size=40), st.integers(0, 50), st.sampled_from([0.0, 0.5, 3.0, 40.0]))
def test_the_ranking_is_that_of_all_answers(rows, n, scale):
    """Leaving out rows that cannot be among the first changes nothing."""
    counts, noisy = [row[0] for row in rows], [row[1] for row in rows]
    table = GramTable.of([[k] for k in range(len(rows))], count=counts, noisy=noisy, scale=scale, threshold=5)
    release = GramRelease(Domain.range(1, len(rows)), grams=table, synthetic=Flat.of([]), l_max=3, n_max=1)
    values = np.array([answer.value for answer in release.answers(range(len(rows)))])

    assert np.argsort(-values, kind="stable")[:n].tolist() == release.ranked(range(len(rows)), n)


@pytest.mark.parametrize("mechanism", [sv.NGram(l_max=2, n_max=2), sv.PrefixPublication(h=2)])
def test_counts_under_a_bound_per_user_say_so(mechanism):
    """Of every user only so many records are counted, whichever tree counts them."""
    table = sv.table_of([["a", "b"]] * 600, sv.Domain.of(["a", "b"]), users=[k // 3 for k in range(600)])
    release = sv.experiment(table, mechanism, "5", seed=1, unit=sv.User(max_sequences=2))

    assert release.about.endswith(", at most 2 per user")
    assert {release.about} == {row["about"] for row in release.top(3)}


@pytest.mark.parametrize(
    "mechanism", [sv.NGram(l_max=2, n_max=2), sv.PrefixMiner(top=2), sv.DiffPart(), sv.FrequentItemsets(top=2)]
)
def test_a_total_of_no_queries_is_refused(mechanism):
    """By every release that adds up, in one sentence: no number is the sum of nothing."""
    make = sv.sets_of if mechanism.kind == "sets" else sv.table_of
    release = sv.experiment(make([["a", "b"]] * 600, sv.Domain.of(["a", "b"])), mechanism, "5", seed=1)

    with pytest.raises(CallError, match="at least one query"):
        release.total([])
