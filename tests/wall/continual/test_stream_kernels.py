"""Every statistic over every family of stretches, against its definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brute_force import edit_distance, increasing, most_disjoint
from seqveil.engines.local.engine import STREAMS
from seqveil.wall.continual import (
    SPACINGS,
    Bursts,
    Checkpoints,
    Count,
    Lis,
    Matches,
    PrefixBlocks,
    Prefixes,
    Sum,
    WindowBlocks,
    Windows,
)

STATISTICS = [Lis(True), Lis(False), Count("= 1"), Sum("-1", "3", "0.5"), Matches("x y x", edits=1), Bursts(2, 4)]
EVENTS = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, -0.0, np.nan]), min_size=1, max_size=40)


def by_definition(statistic, stretch):
    """A statistic by its definition."""
    if isinstance(statistic, Lis):
        return increasing(stretch, statistic.strict)
    if isinstance(statistic, Count):
        return sum(x == 1.0 for x in stretch)
    if isinstance(statistic, Matches):
        return most_disjoint(stretch, lambda run: edit_distance(run, [1.0, 2.0, 1.0]) <= statistic.edits)
    if isinstance(statistic, Bursts):
        return most_disjoint(stretch, lambda run: len(run) <= statistic.within and run.count(1.0) >= statistic.at_least)
    return sum(0 if np.isnan(x) else round(min(max(x, -1), 3) * 2) for x in stretch)


def ends_at(stretches, i):
    """The stretches that end with event i, as (first, last), by the definitions in the table of stretches.py."""
    if isinstance(stretches, Prefixes):
        return [(1, i)]
    if isinstance(stretches, Checkpoints):
        length, most = stretches.length, stretches.checkpoints
        even = {-(-k * length // most) for k in range(1, most + 1)}
        points = even if stretches.spacing == "even" else {max(k, -(-k * k * length // most**2)) for k in range(1, most + 1)}
        return [(1, i)] if i in points else []
    if isinstance(stretches, Windows):
        return [(max(1, i - stretches.width + 1), i)]
    sizes = [2**k for k in range(stretches.overlap) if i % 2**k == 0]
    chosen = sizes[-1:] if isinstance(stretches, PrefixBlocks) else sizes
    return [(i - size + 1, i) for size in chosen]


def families(length):
    return [
        Prefixes(length),
        PrefixBlocks(length),
        *[Checkpoints(length, r, spacing) for r in (1, length // 2 + 1, length) for spacing in SPACINGS],
        *[make(length, w) for make in (Windows, WindowBlocks) for w in (1, 2, 3, 8, 100)],
    ]


@pytest.mark.parametrize("statistic", STATISTICS, ids=str)
@settings(max_examples=30, deadline=None)
@given(events=EVENTS, cuts=st.lists(st.integers(0, 40), max_size=4))
def test_kernels_tell_what_the_definitions_say(statistic, events, cuts):
    """Every family, every statistic, whatever the batches the events come in."""
    for stretches in families(len(events)):
        kernel = stretches.exact(statistic, STREAMS)
        bounds = sorted({0, len(events), *(c for c in cuts if c < len(events))})
        values = [value for a, b in pairwise(bounds) for value in kernel.feed(np.array(events[a:b])).tolist()]
        expected = [ends_at(stretches, i) for i in range(1, len(events) + 1)]

        assert [by_definition(statistic, events[a - 1 : b]) for ends in expected for a, b in ends] == values
        assert [len(ends) for ends in expected] == stretches.ending(1, len(events)).tolist()


@pytest.mark.parametrize("length", [1, 2, 3, 4, 7, 8, 9, 31, 64, 70])
def test_overlap_is_how_many_stretches_any_event_lies_in(length):
    """Counted, for every position; the bound is attained somewhere."""
    for stretches in families(length):
        covered = np.zeros(length + 1, int)
        for i in range(1, length + 1):
            for first, last in ends_at(stretches, i):
                covered[first : last + 1] += 1

        assert stretches.overlap == covered.max()


def test_example_2_7():
    """3 4 1 2 5 7 6 has a longest increasing subsequence of four."""
    assert [1, 2, 2, 2, 3, 4, 4] == Lis().prefix(STREAMS).feed(np.array([3.0, 4, 1, 2, 5, 7, 6])).tolist()


def test_nulls_and_odd_events_hold_their_place():
    """Text, blanks, NaN, infinities and numbers too large for a float are null; True is 1."""
    odd = ["seven", "", None, float("nan"), "inf", -float("inf"), 10**400, object(), [1]]

    assert np.isnan(Lis().numbers(odd)).all()
    assert np.isnan(Count("> 3").numbers(odd)).all()
    assert [1.0, 2.5, 7.0] == Lis().numbers([True, "2.5", " 7 "]).tolist()


@pytest.mark.parametrize(
    ("where", "event", "counted"),
    [
        ("= 5", "5.0", True),
        ("== 5", 5, True),
        ("=home", "home", True),
        ("= home", "Home", False),
        ("!= home", "work", True),
        ("!= 5", "five", True),
        ("<= 5", "5", True),
        ("<5", 5, False),
        ("> -1e3", -999, True),
        ("in a, b", "b", True),
        ("in 1,2", 2.0, True),
        ("in a,b", "c", False),
        ("> 5", "many", None),
        ("= home", None, None),
        ("!= home", "", None),
    ],
)
def test_where_reads_as_it_looks(where, event, counted):
    """Numbers as numbers, words as words, and null where it cannot be told."""
    expected = np.nan if counted is None else float(counted)

    assert np.array_equal([expected], Count(where).numbers([event]), equal_nan=True)


@pytest.mark.parametrize(
    ("bounds", "complaint"),
    [
        (("5", "5", "1"), "lower=5, upper=5: lower must be below upper"),
        (("0", "1", "0"), "above 0"),
        (("0", "many", "1"), "upper=many: give a number"),
        (("0", "1", "0.4"), "multiples of it"),
        (("0", "1e20", "1"), "coarser"),
        (("nan", "1", "1"), "lower=nan: give a number"),
    ],
)
def test_impossible_bounds_are_refused(bounds, complaint):
    """Said before anything is charged."""
    with pytest.raises(Exception, match=complaint):
        Sum(*bounds)


@given(st.floats(allow_nan=True, allow_infinity=False))
def test_no_float_leaves_the_grid(x):
    """Whatever the event, its place on the grid lies between the bounds: that is what the sensitivity says."""
    for total in (Sum("-1.1", "2.3", "0.1"), Sum("100", "1000000", "0.001"), Sum("-3", "-1", "1")):
        (step,) = total.grid(np.array([x])).tolist()
        low, high = total.bounds(1)

        assert low <= step <= high
        assert high - low == total.sensitivity
