"""The yardsticks of §4.4: counting queries and top-K itemsets, against the slow way."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.evaluate.sets import Weighted, Workload, containing, set_queries
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat

SETS = st.lists(st.sets(st.integers(0, 5), min_size=1).map(sorted), min_size=1, max_size=15)


@given(SETS, st.integers(1, 6), st.integers(0, 3))
def test_containment_is_subset_counting(sets: list[list[int]], largest: int, seed: int) -> None:
    """Each query is answered with the number of records that are supersets of it."""
    queries = set_queries(6, largest, 20, seed)
    expected = [sum(set(q.tolist()) <= set(s) for s in sets) for q in queries]

    raw = Weighted.raw(Flat.of(sets))
    assert expected == containing(raw, queries, 6).tolist()
    assert expected == containing(raw, queries, 25).tolist()  # too many labels for superset sums


@given(SETS, st.integers(1, 12))
def test_the_best_first_miner_finds_the_true_top(sets: list[list[int]], k: int) -> None:
    """Supports of the first k itemsets are the k largest of all, in order."""
    raw = Weighted.raw(Flat.of(sets))
    itemsets = WeightedSets(raw.flat, raw.weight, 6).frequent(k)
    everything: list[Any] = [c for n in range(1, 7) for c in combinations(range(6), n)]
    truth = {c: sum(set(c) <= set(s) for s in sets) for c in everything}
    largest = sorted((s for s in truth.values() if s), reverse=True)

    assert largest[:k] == [support for _, support in itemsets]
    assert all(truth[itemset] == support for itemset, support in itemsets)


def test_the_data_itself_has_no_error() -> None:
    """A release that is the data scores 0 and 1; one that is empty scores what the queries hold."""
    flat = Flat.of([[0, 1], [2], [0, 1, 2]] * 10)
    raw, nothing = Weighted.raw(flat), Weighted(Flat.of([]), np.zeros(0, np.int64), 0)

    workload = Workload(raw, 3, queries=200)
    assert {0.0} == set(workload.errors(raw).values())
    assert (1.0, 0.0) == (workload.utility(raw, 5), workload.utility(nothing, 5))
    assert [20, 40, 60, 80, 100] == list(workload.errors(nothing))
