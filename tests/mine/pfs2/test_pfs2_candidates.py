"""Candidates by downward closure, against enumeration."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.mine.pfs2 import candidates


def by_hand(frequent, k, words):
    """All words of length k whose parts with one item less are all frequent."""
    parts = set(map(tuple, frequent))
    return [list(w) for w in words if all((*w[:i], *w[i + 1 :]) in parts for i in range(k))]


@given(st.integers(1, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_sequences_one_item_longer(k, data):
    """Every part is frequent, and nothing with that property is missing."""
    frequent = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * k), max_size=30, unique=True))
    longer = candidates.sequences(np.array(frequent, np.int64).reshape(-1, k), np.zeros(len(frequent), np.int64))

    assert by_hand(frequent, k + 1, product(range(4), repeat=k + 1)) == longer.tolist()


@given(st.integers(1, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_itemsets_one_item_larger(k, data):
    """The same for sets."""
    frequent = data.draw(st.lists(st.sampled_from(list(combinations(range(6), k))), max_size=25, unique=True))
    longer = candidates.itemsets(np.array(frequent, np.int64).reshape(-1, k), np.zeros(len(frequent), np.int64))

    assert by_hand(frequent, k + 1, combinations(range(6), k + 1)) == longer.tolist()


@pytest.mark.parametrize("make", [candidates.sequences, candidates.itemsets])
def test_never_more_candidates_than_the_bound(make, monkeypatch):
    """The patterns of least noisy support are the ones that take no part."""
    monkeypatch.setattr(candidates, "MOST_CANDIDATES", 50)
    support = np.arange(40)[::-1]
    longer = make(np.arange(40)[:, None], support)

    assert 0 < len(longer) <= 50
    assert longer.max() + 1 == len(np.unique(longer))


def test_candidates_of_length_one_are_the_whole_domain():
    """Never only what occurs."""
    assert [[0], [1], [2]] == candidates.every_label(3).tolist()
