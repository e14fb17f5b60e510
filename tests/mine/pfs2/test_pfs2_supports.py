"""Supports and rankings equal what enumeration says."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.engines.local.ranking import rank
from seqveil.engines.local.subsequences import PatternTrie, supports
from seqveil.tables.flat import Flat

FIGURE_1 = ["abc", "bcd", "bda", "bdb"]
records = st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=8)


def test_the_cs_tree_of_figure_1():
    """Two branches from the root; g-nodes ab, bc, bd; bd generates two candidates."""
    trie = PatternTrie.of(np.array([["abcd".index(x) for x in p] for p in FIGURE_1]), labels=4)

    def path(v):
        return "" if v == 0 else path(trie.parent[v]) + "abcd"[trie.symbol[v]]

    names = [path(v) for v in range(len(trie.symbol))]
    assert ["", "a", "b", "ab", "bc", "bd", "abc", "bcd", "bda", "bdb"] == names
    assert FIGURE_1 == [names[v] for v in trie.leaf]
    assert {"ab": 1, "bc": 1, "bd": 2} == {names[v]: trie.last[v] - trie.first[v] for v in (3, 4, 5)}


def every_support(rows, longest):
    """Supports by enumerating the subsequences of every record."""
    out = {}
    for r in rows:
        for p in {tuple(r[i] for i in at) for k in range(1, longest + 1) for at in combinations(range(len(r)), k)}:
            out[p] = out.get(p, 0) + 1
    return out


@given(records, st.integers(1, 3), st.data())
@settings(max_examples=150, deadline=None)
def test_supports_equal_brute_force(rows, k, data):
    """Gaps of any size, repeated items, empty records."""
    patterns = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * k), min_size=1, max_size=10, unique=True))

    def contains(record, pattern):
        rest = iter(record)
        return all(x in rest for x in pattern)

    expected = [sum(contains(r, p) for r in rows) for p in patterns]
    assert expected == supports(Flat.of(rows), np.array(patterns), labels=4).dense(len(patterns)).tolist()


@given(records, st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_a_ranking_holds_every_pattern_of_enough_support(rows, longest, least):
    """With room for all, it is plain frequent pattern mining."""
    expected = {p: n for p, n in every_support(rows, longest).items() if n >= least}
    ranking = rank(Flat.of(rows), 4, least=least, longest=longest, most=10**6)

    assert expected == dict(zip(ranking.patterns(), ranking.support.tolist(), strict=True))
    assert [len(p) for p in ranking.patterns()] == ranking.length.tolist()


@given(records, st.integers(1, 3), st.integers(0, 12))
@settings(max_examples=150, deadline=None)
def test_a_full_ranking_ends_at_an_order_statistic(rows, longest, most):
    """When more than `most` patterns occur, what is left lies above the (most + 1)-th largest support, and nothing else."""
    counts = sorted(every_support(rows, longest).values(), reverse=True)
    ranking = rank(Flat.of(rows), 4, least=1, longest=longest, most=most)
    limit = counts[most] if len(counts) > most else 0

    assert limit == ranking.least - 1
    assert [n for n in counts if n > limit] == sorted(ranking.support.tolist(), reverse=True)
