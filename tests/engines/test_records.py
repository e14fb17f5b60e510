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
    """The first items of every record, in place."""
    cut = world.engine.cut(world.sequences(records, 3, range(len(records))), l_max)

    assert [(i, tuple(r[:l_max])) for i, r in enumerate(records)] == world.records(cut)


@given(data=owned(), m=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_bounded(world, data, m, seed):
    """Every owner keeps as many as allowed, of their own; nothing else changes."""
    records, owners = data
    kept = world.records(world.engine.bounded(world.sequences(records, 3, owners), m, uniform(seed)))

    assert {o: min(n, m) for o, n in Counter(owners).items()} == Counter(owner for owner, _ in kept)
    assert not Counter(kept) - Counter(zip(owners, map(tuple, records), strict=True))
    assert records == [list(r) for _, r in world.records(world.engine.bounded(world.sequences(records, 3), m, uniform(seed)))]


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


BOUNDS = st.sets(st.integers(1, 7), min_size=1, max_size=4).map(sorted)


def in_strata(records: list[Any], bounds: list[int]) -> list[list[tuple[int, ...]]]:
    """By the definition: cut to the last bound, then by length; empty records are in none."""
    cut = [tuple(r[: bounds[-1]]) for r in records]
    return [[r for r in cut if low < len(r) <= high] for low, high in zip([0, *bounds[:-1]], bounds, strict=True)]


@given(records=databases(records=12, length=9), bounds=BOUNDS, owned_by=st.booleans())
def test_strata(world, records, bounds, owned_by):
    """Every record lies in the stratum of its own cut length, cut, and with its owner."""
    engine, owners = world.engine, list(range(100, 100 + len(records))) if owned_by else None
    strata = engine.strata(world.sequences(records, 3, owners), bounds)
    expected = in_strata(records, bounds)

    assert expected == [[record for _, record in world.records(stratum)] for stratum in strata]
    assert [len(rows) for rows in expected] == [engine.size(stratum) for stratum in strata]
    assert [max(map(len, rows), default=0) for rows in expected] == [engine.longest(stratum) for stratum in strata]
    for stratum in strata if owners else ():
        assert all(records[owner - 100][: bounds[-1]] == list(record) for owner, record in world.records(stratum))


@given(data=owned(), bounds=BOUNDS)
def test_most_owned_in_a_stratum(world, data, bounds):
    """An owner's records may lie in several strata; those of each are counted by themselves."""
    records, owners = data
    for stratum in world.engine.strata(world.sequences(records, 3, owners), bounds):
        assert max(Counter(o for o, _ in world.records(stratum)).values(), default=0) == world.engine.most_owned(stratum)


@given(records=databases(records=10, length=7), outer=BOUNDS, inner=BOUNDS, n=st.integers(1, 3), l_max=st.integers(1, 5))
def test_strata_can_be_cut_divided_and_put_into_parts(world, records, outer, inner, n, l_max):
    """A stratum is a table like any other."""
    engine = world.engine
    for stratum, rows in zip(engine.strata(world.sequences(records, 3), outer), in_strata(records, outer), strict=True):
        again = [[r for _, r in world.records(s)] for s in engine.strata(stratum, inner)]
        parts = [r for part in engine.parts(stratum, n, uniform(1)) for _, r in world.records(part)]
        assert in_strata(rows, inner) == again
        assert Counter(rows) == Counter(parts)
        assert [r[:l_max] for r in rows] == [r for _, r in world.records(engine.cut(stratum, l_max))]


def places(length: int, l_max: int, how: str) -> list[tuple[int, int]]:
    """Every excerpt that a record of this length may have, by the definition."""
    if length <= l_max:
        return [(0, length)]
    if how == "window":
        return [(first, first + l_max) for first in range(length - l_max + 1)]
    blocks = -(-length // l_max)
    return [(b * length // blocks, (b + 1) * length // blocks) for b in range(blocks)]


@pytest.mark.parametrize("how", ["window", "sample"])
@given(
    lengths=st.lists(st.integers(0, 12), max_size=6), l_max=st.integers(1, 5), seed=st.integers(0, 10**6), viewed=st.booleans()
)
def test_excerpts(world, how, lengths, l_max, seed, viewed):
    """A contiguous part of every record, at one of the places it may have, with its owner; short records stay as they are."""
    records, owners = [list(range(n)) for n in lengths], list(range(7, 7 + len(lengths)))
    table = world.sequences(records, 12, owners)
    if viewed:
        table, records = world.engine.cut(table, 9), [r[:9] for r in records]
    kept = world.records(world.engine.excerpts(table, l_max, how, uniform(seed)))

    assert owners == [owner for owner, _ in kept]
    for record, (_, part) in zip(records, kept, strict=True):
        assert part in [tuple(record[first:last]) for first, last in places(len(record), l_max, how)]
        assert len(part) <= l_max


@pytest.mark.slow
@pytest.mark.parametrize(("how", "n"), [("window", 5 * 3), ("sample", 3 * 2)])
def test_excerpts_are_uniform_and_independent(world, how, n):
    """All combinations of the excerpts of two records are equally likely, whatever stands between them."""
    table, source = world.sequences([list(range(7)), [0], list(range(5))], 7, None), uniform(3)
    seen = Counter(
        tuple(record for _, record in world.records(world.engine.excerpts(table, 3, how, source))) for _ in range(200 * n)
    )

    assert n == len(seen)
    assert stats.chisquare(list(seen.values())).pvalue > P_THRESHOLD


def test_a_sample_keeps_every_item_as_often_and_a_window_does_not():
    """Blocks cover a record once each; windows cover its middle more often than its ends."""
    for length in range(1, 30):
        for l_max in range(1, 12):
            blocks = Counter(i for first, last in places(length, l_max, "sample") for i in range(first, last))
            assert {i: 1 for i in range(length)} == blocks
    windows = Counter(i for first, last in places(9, 4, "window") for i in range(first, last))

    assert [1, 2, 3, 4, 4, 4, 3, 2, 1] == [windows[i] for i in range(9)]
