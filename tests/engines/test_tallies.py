"""Conformance: tallies and order statistics, and the most that any one record adds to them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import brute_force
from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie
from strategies import databases

LABELS = 4
records_of = databases(LABELS, records=6, length=9)


@st.composite
def candidates(draw: Any, ascending: bool = False) -> list[tuple[int, ...]]:
    """Distinct patterns of one length, in any order."""
    k = draw(st.integers(1, 3))
    every = combinations(range(LABELS), k) if ascending else np.ndindex(*[LABELS] * k)
    return draw(st.lists(st.sampled_from(list(every)), min_size=1, max_size=8, unique=True))


def agree(tally: Any, expected: Counter[int], heaviest: int, bound: int) -> None:
    """The same counts in ascending slots; `heaviest` is at least what the heaviest record added, and keeps the bound.

    A record that adds 1 to each of some slots adds as much in squares, where that is measured.
    """
    assert tally.heaviest_square in (None, tally.heaviest)
    assert sorted(expected.items()) == list(zip(tally.index.tolist(), tally.count.tolist(), strict=True))
    assert heaviest <= tally.heaviest <= bound


BOUNDS = st.sets(st.integers(0, 8), min_size=1).map(sorted)


def holds_to(world: Any, table: Any, patterns: Any, records: Any, lists: Any, most: int, bounds: list[int], once: bool) -> None:
    """Both questions about what records hold agree with lists of it."""
    kept = [brute_force.cut_down(r, h, most, once) for r, h in zip(records, lists, strict=True)]
    numbers = [len(set(h) if once else h) for h in lists]
    slots = Counter(sum(n > b for b in bounds) for n in numbers)

    agree(
        world.engine.matches(table, patterns, most=most, once=once),
        Counter(slot for slots in kept for slot in slots),
        max(map(len, kept), default=0),
        bound=most,
    )
    agree(world.engine.matched(table, patterns, np.array(bounds), once=once), slots, min(1, len(records)), bound=1)


def added(per_record: list[list[Any]], patterns: list[Any]) -> tuple[Counter[int], int]:
    """Counts by slot of what every record counts for, and the most that one added."""
    slot = {p: i for i, p in enumerate(patterns)}
    return Counter(slot[p] for matches in per_record for p in matches), max(map(len, per_record), default=0)


@given(records=records_of, most=st.integers(1, 10))
def test_lengths(world, records, most):
    """Longer records count as the longest length, empty ones as 0."""
    tally = world.engine.lengths(world.sequences(records, LABELS), most)

    agree(tally, Counter(min(len(r), most) for r in records), min(1, len(records)), bound=1)


@st.composite
def codes(draw: Any) -> tuple[np.ndarray[Any, Any], int]:
    """A code for every label, and how many codes there are; some may have no label."""
    size = draw(st.integers(1, 6))
    return np.array(draw(st.lists(st.integers(0, size - 1), min_size=LABELS, max_size=LABELS)), np.int32), size


def strata_of(world: Any, records: list[list[int]]) -> list[tuple[Any, list[list[int]]]]:
    """The whole table, and strata of it with records longer than the last bound: (table, its records by definition)."""
    table, bounds = world.sequences(records, LABELS), [1, 2, 5]
    spans = zip([0, *bounds[:-1]], bounds, strict=True)
    expected = [[r[:5] for r in records if low < min(len(r), 5) <= high] for low, high in spans]
    return [(table, records), *zip(world.engine.strata(table, bounds), expected, strict=True)]


@given(records=records_of, most=st.integers(1, 10))
def test_closed_lengths(world, records, most):
    """Whether the record ends where it began is decided after the cut, as its length is; empty records are in no slot."""
    for table, rows in strata_of(world, records):
        cut = [r[:most] for r in rows if r]
        expected = Counter(2 * (len(r) - 1) + (r[0] == r[-1]) for r in cut)
        agree(world.engine.closed_lengths(table, most), expected, min(1, len(cut)), bound=1)
        agree(world.engine.lengths(table, most), Counter(min(len(r), most) for r in rows), min(1, len(rows)), bound=1)


@pytest.mark.parametrize("dense", [0, 1 << 24])
@given(records=records_of, first=codes(), last=codes())
def test_ends(world, records, first, last, dense):
    """By both ends, whether slots are counted in an array or hashed."""
    with patch("seqveil.engines.local.slots.DENSE", dense):
        for table, rows in strata_of(world, records):
            tally = world.engine.ends(table, first[0], last[0], first[1] * last[1], last[1])
            expected = Counter(int(first[0][r[0]]) * last[1] + int(last[0][r[-1]]) for r in rows if r)
            agree(tally, expected, min(1, len(expected)), bound=1)


@pytest.mark.parametrize(("dense", "looked_up"), [(1 << 24, 1 << 24), (0, 1 << 24), (0, 0)])
@given(records=records_of, of=codes(), data=st.data(), d=st.integers(0, 3))
def test_windows(world, records, of, data, d, dense, looked_up):
    """By enumeration of all positions; no window reaches into the record before."""
    code, size = of
    every = st.tuples(*[st.integers(0, size - 1)] * d)
    contexts = data.draw(st.lists(every, min_size=1, max_size=12, unique=True)) if d else [()]
    rows = np.array(contexts, np.int32).reshape(len(contexts), d)
    with (
        patch("seqveil.engines.local.slots.DENSE", dense),
        patch("seqveil.engines.local.windows.MOST_LOOKED_UP", looked_up),
    ):
        for table, kept in strata_of(world, records):
            small = [[int(code[x]) for x in r] for r in kept]
            windows = [[(tuple(r[i - d : i]), r[i]) for i in range(d, len(r))] for r in small]
            counted = [[contexts.index(c) * size + x for c, x in record if c in contexts] for record in windows]
            expected, heaviest = Counter(slot for record in counted for slot in record), max(map(len, counted), default=0)
            agree(world.engine.windows(table, rows, code, size), expected, heaviest, bound=heaviest)


@given(records=records_of, of=codes(), data=st.data(), most=st.integers(1, 4))
def test_steps(world, records, of, data, most):
    """Of every record the first listed steps; the last item of a record is not followed by the first of the next."""
    code, size = of
    slots = data.draw(st.integers(1, 3))
    listed = data.draw(st.lists(st.integers(-1, slots - 1), min_size=size * size, max_size=size * size))
    table_of = np.array(listed, np.int32).reshape(size, size)
    for table, kept in strata_of(world, records):
        steps = [[int(table_of[code[a], code[b]]) for a, b in pairwise(r)] for r in kept]
        counted = [[slot for slot in record if slot >= 0][:most] for record in steps]
        expected, heaviest = Counter(slot for record in counted for slot in record), max(map(len, counted), default=0)
        agree(world.engine.steps(table, code, table_of, slots, most), expected, heaviest, bound=most)


@pytest.mark.parametrize("dense", [0, 1 << 24])
@given(
    records=records_of,
    of=codes(),
    d=st.integers(0, 2),
    cap=st.integers(1, 4),
    by_owner=st.booleans(),
    owners=st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_capped_windows(world, records, of, d, cap, by_owner, owners, dense):
    """A record, or an owner, adds at most `cap` to each slot, however many windows there are; in strata, those of the stratum."""
    code, size = of
    owned, bounds = list(zip(owners, records, strict=False)), [1, 2, 5]
    table = world.sequences(records, LABELS, [owner for owner, _ in owned])
    spans = zip([0, *bounds[:-1]], bounds, strict=True)
    within = [[(o, r[:5]) for o, r in owned if low < min(len(r), 5) <= high] for low, high in spans]
    contexts = np.array(list(np.ndindex(*[size] * d)), np.int32).reshape(size**d, d)
    with patch("seqveil.engines.local.slots.DENSE", dense):
        for part, rows in [(table, owned), *zip(world.engine.strata(table, bounds), within, strict=True)]:
            units: dict[Any, Counter[int]] = {}
            for i, (owner, record) in enumerate(rows):
                small = [int(code[x]) for x in record]
                slots = [int(np.dot(small[j - d : j + 1], size ** np.arange(d, -1, -1))) for j in range(d, len(small))]
                units.setdefault(owner if by_owner else i, Counter()).update(slots)
            capped = [Counter({slot: min(n, cap) for slot, n in counts.items()}) for counts in units.values()]
            tally = world.engine.windows(part, contexts, code, size, cap=cap, by_owner=by_owner)

            assert dict(zip(tally.index.tolist(), tally.count.tolist(), strict=True)) == sum(capped, Counter())
            assert tally.owner_square == max((sum(n * n for n in counts.values()) for counts in capped), default=0)
            assert tally.heaviest == max((max(len(record) - d, 0) for _, record in rows), default=0)


@given(records=records_of)
def test_itemsets(world, records):
    """Whether the records are sequences or sets already."""
    expected = Counter(sum(1 << x for x in set(r)) - 1 for r in records if r)

    for table in (world.sequences(records, LABELS), world.sets(records, LABELS)):
        agree(world.engine.itemsets(table), expected, min(1, len(expected)), bound=1)


@given(records=records_of, patterns=candidates())
def test_supports(world, records, patterns):
    """Gaps allowed, each record once."""
    tally = world.engine.supports(world.sequences(records, LABELS), np.array(patterns))
    expected, heaviest = added([[p for p in patterns if brute_force.contains(r, p)] for r in records], patterns)

    agree(tally, expected, heaviest, bound=len(patterns))


@pytest.mark.parametrize("how", ["shrink", "delete"])
@given(records=databases(LABELS, records=5, length=14), patterns=candidates(), l_max=st.integers(1, 6), most=st.integers(1, 8))
def test_shrunk_supports(world, records, patterns, l_max, most, how):
    """Records are shortened by the same rule, and no record adds to more than `most` patterns."""
    table = world.sequences(records, LABELS)
    tally = world.engine.shrunk_supports(table, np.array(patterns), l_max=l_max, most=most, how=how)
    expected, heaviest = added([brute_force.shrunk(r, patterns, l_max, most, how) for r in records], patterns)

    agree(tally, expected, heaviest, bound=most)


@given(records=records_of, patterns=candidates(ascending=True), l_max=st.integers(1, 4), most=st.integers(1, 8))
def test_truncated_supports(world, records, patterns, l_max, most):
    """The same items of every set are kept, and no set adds to more than `most` itemsets."""
    sets = [sorted(set(r)) for r in records if r]
    tally = world.engine.truncated_supports(world.sets(records, LABELS), np.array(patterns), l_max=l_max, most=most)
    expected, heaviest = added([brute_force.truncated(s, patterns, l_max, most) for s in sets], patterns)

    agree(tally, expected, heaviest, bound=most)


MIXED = st.sets(st.lists(st.integers(0, LABELS - 1), min_size=1, max_size=3).map(tuple), min_size=1, max_size=8)


def padded(patterns: list[tuple[int, ...]]) -> Any:
    """Patterns of several lengths as one table."""
    return np.array([[*p, *[-1] * (3 - len(p))] for p in patterns])


@pytest.mark.parametrize("fair", [False, True])
@given(records=records_of, patterns=MIXED.flatmap(lambda p: st.permutations(sorted(p))), most=st.integers(1, 8))
def test_clipped_supports(world, records, patterns, most, fair):
    """Patterns of any lengths, in any order; a record adds to the first `most` that it contains, or to some that it draws."""
    tally = world.engine.clipped_supports(world.sequences(records, LABELS), padded(patterns), most=most, fair=fair)
    expected, heaviest = added([brute_force.clipped(r, patterns, most, fair) for r in records], patterns)

    agree(tally, expected, heaviest, bound=most)


@given(records=records_of, patterns=MIXED.map(sorted), bounds=st.sets(st.integers(0, 8), min_size=1).map(sorted))
def test_contained(world, records, patterns, bounds):
    """A record is in the slot of the first bound that the number of its patterns does not exceed."""
    tally = world.engine.contained(world.sequences(records, LABELS), padded(patterns), np.array(bounds))
    numbers = [sum(brute_force.contains(r, p) for p in patterns) for r in records]
    expected = Counter(sum(n > b for b in bounds) for n in numbers)

    agree(tally, expected, min(1, len(records)), bound=1)


@given(
    records=databases(3, records=5, length=14),
    patterns=st.sets(st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5).map(sorted),
    l_max=st.integers(1, 9),
    most=st.integers(1, 12),
)
def test_fingerprints(world, records, patterns, l_max, most):
    """The longest patterns in the same blocks of every record, at most `most` of them."""
    tally = world.engine.fingerprints(world.sequences(records, 3), patterns, l_max=l_max, most=most)
    expected, heaviest = added([brute_force.fingerprint(r, patterns, l_max, most) for r in records], patterns)

    agree(tally, expected, heaviest, bound=most)


@st.composite
def doublings(draw: Any) -> Doubling:
    """Up to two known lengths, of any slots."""
    doubling = Doubling.over(LABELS, draw(st.sampled_from([1, 2])))
    for _ in range(draw(st.integers(0, 2))):
        if doubling.slots:
            some = draw(st.sets(st.integers(0, doubling.slots - 1), min_size=1, max_size=12))
            doubling = doubling.longer(np.array(sorted(some), np.int64))
    return doubling


@st.composite
def tries(draw: Any) -> list[tuple[int, ...]]:
    """Patterns of any lengths."""
    return sorted(draw(st.sets(st.lists(st.integers(0, 1), min_size=1, max_size=4).map(tuple), min_size=1, max_size=9)))


RUNS = databases(2, records=5, length=12)


@pytest.mark.parametrize("once", [False, True])
@given(records=st.one_of(records_of, RUNS), doubling=doublings(), most=st.integers(1, 9), bounds=BOUNDS)
def test_matches_of_strings(world, records, doubling, most, bounds, once):
    """Every position of a record, or every different string once."""
    slots = [tuple(s) for s in doubling.strings(np.arange(doubling.slots)).tolist()]
    lists = [brute_force.held_strings(r, slots) for r in records]
    holds_to(world, world.sequences(records, LABELS), doubling, records, lists, most, bounds, once)


@pytest.mark.parametrize("once", [False, True])
@given(records=RUNS, patterns=tries(), most=st.integers(1, 9), bounds=BOUNDS)
def test_matches_of_patterns(world, records, patterns, most, bounds, once):
    """The longest pattern at every position, or the last one of every heavy path."""
    trie = Trie.of(patterns, 2)
    lists = [brute_force.held_patterns(r, patterns, trie.heavy.tolist(), once) for r in records]
    holds_to(world, world.sequences(records, 2), trie, records, lists, most, bounds, once)


EDGES = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1]))


@given(edges=EDGES)
def test_degrees(world, edges):
    """An edge adds to two vertices."""
    tally = world.engine.degrees(world.graph(edges, 6))

    agree(tally, Counter(vertex for edge in edges for vertex in edge), 2 * min(1, len(edges)), bound=2)


@given(edges=EDGES)
def test_edges(world, edges):
    """Pairs are numbered row by row."""
    tally = world.engine.edges(world.graph(edges, 6))

    agree(tally, Counter(i for i, pair in enumerate(combinations(range(6), 2)) if pair in edges), min(1, len(edges)), bound=1)


@given(edges=EDGES)
def test_triangles(world, edges):
    """Triples that are joined to each other; for every number of common neighbours, the most ends of a pair that has as many."""
    answer = world.engine.triangles(world.graph(edges, 6))
    triples, pairs = brute_force.triangles(edges, 6)

    assert answer.count == len(triples)
    assert answer.ends.tolist() == [max(s for a, s in pairs if a >= least) for least in range(max(a for a, _ in pairs) + 1)]


@given(
    records=databases(3, records=6, length=5),
    least=st.integers(1, 3),
    longest=st.integers(1, 4),
    most=st.one_of(st.integers(0, 12), st.just(10**6)),
)
def test_largest_supports(world, records, least, longest, most):
    """By enumeration of all subsequences: `least` is raised until at most `most` patterns are left."""
    supports = brute_force.every_support(records, longest)
    reached = next(n for n in range(least, len(records) + least + 1) if sum(s >= n for s in supports.values()) <= most)
    best = [max([s for p, s in supports.items() if len(p) == n and s >= reached], default=0) for n in range(1, longest + 1)]
    largest = world.engine.largest_supports(world.sequences(records, 3), least=least, longest=longest, most=most)

    assert (reached, best) == (largest.least, largest.best.tolist())


@given(
    records=records_of,
    bases=st.lists(
        st.permutations(range(LABELS)).flatmap(lambda p: st.integers(1, LABELS).map(lambda n: tuple(p[:n]))), max_size=3
    ).filter(len),
)
def test_bins(world, records, bases):
    """A record is in one bin of every basis, the first where it has none of the labels; bit j is the j-th label."""
    starts = np.cumsum([0, *(1 << len(b) for b in bases)])
    rows = [set(r) for r in records if r]
    expected = Counter(
        int(start) + sum(1 << j for j, x in enumerate(basis) if x in r)
        for r in rows
        for start, basis in zip(starts, bases, strict=False)
    )

    agree(world.engine.bins(world.sets(records, LABELS), bases), expected, len(bases) if rows else 0, bound=len(bases))
