"""Conformance: records as such. Sizes, lengths, owners; cutting, bounding and parts, each local to its unit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from strategies import databases

P_THRESHOLD = 1e-6


@st.composite
def owned(draw: Any) -> tuple[list[list[int]], list[int]]:
    """Records and who owns each; numbers of owners need not be dense."""
    records = draw(databases(records=12, length=4))
    return records, draw(st.lists(st.sampled_from([0, 1, 7, -3, 10**12]), min_size=len(records), max_size=len(records)))


def uniform(seed: int) -> Any:
    """Secret randomness that a test can repeat."""
    generator = np.random.default_rng(seed)
    return lambda n, size: generator.integers(0, n, size)


@given(records=databases())
def test_size(world, records):
    """Empty records count too."""
    assert len(records) == world.engine.size(world.sequences(records, 3))


@given(edges=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1])))
def test_size_of_a_graph(world, edges):
    """Its records are its edges."""
    assert len(edges) == world.engine.size(world.graph(edges, 6))


@given(records=databases())
def test_longest(world, records):
    """0 where there is no record."""
    assert max(map(len, records), default=0) == world.engine.longest(world.sequences(records, 3))


@given(data=owned())
def test_most_owned(world, data):
    """The most frequent owner; a record without an owner owns itself."""
    records, owners = data

    assert max(Counter(owners).values(), default=0) == world.engine.most_owned(world.sequences(records, 3, owners))
    assert min(1, len(records)) == world.engine.most_owned(world.sequences(records, 3))


@given(records=databases(), l_max=st.integers(1, 7))
def test_cut(world, records, l_max):
    """The first items of every record; each keeps its owner."""
    cut = world.engine.cut(world.sequences(records, 3, range(len(records))), l_max)

    assert [(i, tuple(r[:l_max])) for i, r in enumerate(records)] == sorted(world.records(cut))


@given(data=owned(), m=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_bounded(world, data, m, seed):
    """Every owner keeps as many as allowed, of their own; nothing else changes."""
    records, owners = data
    kept = world.records(world.engine.bounded(world.sequences(records, 3, owners), m, uniform(seed)))

    assert {o: min(n, m) for o, n in Counter(owners).items()} == Counter(owner for owner, _ in kept)
    assert not Counter(kept) - Counter(zip(owners, map(tuple, records), strict=True))
    alone = world.records(world.engine.bounded(world.sequences(records, 3), m, uniform(seed)))
    assert sorted(map(tuple, records)) == sorted(record for _, record in alone)


@pytest.mark.slow
def test_bounded_is_uniform_and_independent_of_others(world):
    """One of three records of one owner and one of two of another: all six outcomes are equally likely."""
    table = world.sequences([[0], [1], [2], [0], [1]], 3, [4, 4, 4, 9, 9])
    source = uniform(1)
    seen = Counter(tuple(sorted(world.records(world.engine.bounded(table, 1, source)))) for _ in range(1_200))

    assert 6 == len(seen)
    assert stats.chisquare(list(seen.values())).pvalue > P_THRESHOLD


@given(data=owned(), n=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_parts(world, data, n, seed):
    """Every record lies in one part, with all others of its owner."""
    records, owners = data
    parts = [world.records(part) for part in world.engine.parts(world.sequences(records, 3, owners), n, uniform(seed))]

    assert n == len(parts)
    assert Counter(zip(owners, map(tuple, records), strict=True)) == Counter(row for part in parts for row in part)
    assert len(set(owners)) == sum(len({owner for owner, _ in part}) for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize("owners", [None, [5, 3, 8]])
def test_parts_are_uniform_and_independent(world, owners):
    """All eight ways to divide three records into two parts are equally likely."""
    table, source = world.sequences([[0], [1], [2]], 3, owners), uniform(2)
    seen = Counter(tuple(sorted(r for _, r in world.records(world.engine.parts(table, 2, source)[0]))) for _ in range(1_600))

    assert 8 == len(seen)
    assert stats.chisquare(list(seen.values())).pvalue > P_THRESHOLD


@settings(max_examples=20)
@given(edges=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1])), seed=st.integers(0, 99))
def test_parts_of_a_graph(world, edges, seed):
    """Every edge lies in one part."""
    engine = world.engine
    parts = engine.parts(world.graph(edges, 6), 3, uniform(seed))

    assert sorted(engine.edges(world.graph(edges, 6)).index) == sorted(np.concatenate([engine.edges(p).index for p in parts]))
