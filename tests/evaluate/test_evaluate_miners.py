"""The exact miners against an independent one and against brute force, on random data."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prefixspan import PrefixSpan

from seqveil.evaluate.contiguous import top_contiguous
from seqveil.evaluate.gapped import top_gapped
from seqveil.evaluate.patterns import ranked
from seqveil.tables.flat import Flat

LABELS = 4
databases = st.lists(st.lists(st.integers(0, LABELS - 1), max_size=9), max_size=12)


def by_brute_force(database, by):
    """Supports of all runs of items, by looking at every one of them."""
    supports = Counter()
    for record in database:
        runs = [tuple(record[a:b]) for a, b in combinations(range(len(record) + 1), 2)]
        supports.update(runs if by == "occurrences" else set(runs))
    return supports


@pytest.mark.parametrize("by", ["occurrences", "documents"])
@given(database=databases, k=st.integers(1, 12), shortest=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_contiguous_patterns_are_the_true_ones(database, k, shortest, by):
    """The top K with their supports, ties broken by the stated rule."""
    everything = {p: n for p, n in by_brute_force(database, by).items() if len(p) >= shortest}

    assert ranked(everything, k) == top_contiguous(Flat.of(database), LABELS, k, by, shortest)


@given(database=databases, least=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_contiguous_patterns_from_a_support_on(database, least):
    """Without K, everything that reaches the support."""
    everything = {p: n for p, n in by_brute_force(database, "documents").items() if len(p) >= 2 and n >= least}

    assert ranked(everything) == top_contiguous(Flat.of(database), LABELS, None, "documents", least=least)


@given(database=databases, least=st.integers(2, 5), shortest=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_gapped_patterns_are_those_of_prefixspan(database, least, shortest):
    """PrefixSpan by other authors finds the same patterns and the same supports."""
    theirs = {tuple(p): n for n, p in PrefixSpan(database).frequent(least) if len(p) >= shortest} if database else {}

    assert ranked(theirs) == top_gapped(Flat.of(database), LABELS, None, shortest, least)


@given(database=databases, k=st.integers(1, 15))
@settings(max_examples=60, deadline=None)
def test_the_best_gapped_patterns_are_the_first_of_all(database, k):
    """Stopping early loses nothing, ties included."""
    everything = top_gapped(Flat.of(database), LABELS, None)

    assert ranked(everything, k) == top_gapped(Flat.of(database), LABELS, k)


def test_larger_random_data_agree_with_prefixspan():
    """A few thousand records over more labels, the top 50."""
    random = np.random.default_rng(5)
    database = [random.zipf(1.6, random.integers(1, 9)).clip(1, 30).tolist() for _ in range(3000)]
    minimal = PrefixSpan(database)
    minimal.minlen = 2
    theirs = [n for n, _ in sorted(minimal.topk(50), reverse=True)]
    ours = top_gapped(Flat.of(database), 31, 50)

    assert theirs == list(ours.values())


@pytest.mark.parametrize("dense", [1, 10**9])
def test_few_and_many_possible_keys_are_counted_alike(monkeypatch, dense):
    """Counting in an array and counting by sorting give the same patterns."""
    import seqveil.evaluate.contiguous as module

    flat = Flat.of([[0, 1, 0, 1, 2], [1, 0, 1], [2, 2]])
    monkeypatch.setattr(module, "_DENSE", dense)

    assert {(0, 1): 3, (1, 0): 2, (1, 0, 1): 2} == top_contiguous(flat, 3, 3)


@pytest.mark.parametrize("mine", [lambda f: top_contiguous(f, 3), lambda f: top_gapped(f, 3)])
def test_nothing_is_found_in_nothing(mine):
    """No records, and records without items."""
    assert {} == mine(Flat.of([])) == mine(Flat.of([[], []])) == mine(Flat.of([[1]]))
