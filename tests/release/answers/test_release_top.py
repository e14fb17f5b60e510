"""The largest released counts: in the order of the numbers that `count` answers, the same every time, for every release."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.release.capabilities import Countable, Degrees, Drawable, Pictured, Ranked, Summable, Synthetic
from seqveil.release.contents import CONTENTS, release_class
from seqveil.release.grams import GramRelease, GramTable
from seqveil.release.ofrecords import OfRecords
from seqveil.release.patterns import PatternRelease, PatternTable
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.sets import SetCounts, SetRelease, Size
from seqveil.release.shaped import Shaped
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat

DOMAIN = Domain.of(["a", "b", "c"])
GRAMS = [[0], [1], [2], [0, 1], [0, 3], [1, 2], [0, 1, 2], [0, 1, 3]]


def grams(count, noisy=None) -> GramTable:
    return GramTable.of(GRAMS, count=[float(c) for c in count], noisy=noisy, scale=2.0, threshold=5)


def released(name: str):
    """A release that ranks, with ties."""
    table = grams([90, 90, 40, 70, 60, 40, 40, 9])
    patterns = PatternTable.of([[1, 2], [0, 1], [2]], noisy=[70, 70, 40], scale=2.0, threshold=5)
    return {
        "grams": GramRelease(DOMAIN, grams=table, synthetic=Flat.of([[0]]), l_max=4, n_max=3),
        "prefixes": PrefixRelease(DOMAIN, prefixes=table, synthetic=Flat.of([[0]]), h=4),
        "patterns": PatternRelease(DOMAIN, patterns=patterns, kind="substring", about="records"),
        "sets": SetRelease(DOMAIN, sets=SetCounts.of([[0, 1], [2], [0, 1, 2]], [40, 30, 20], 2.0, 5), size=Size(95, 2.0)),
    }[name]


@pytest.mark.parametrize("name", ["grams", "prefixes", "patterns", "sets"])
@pytest.mark.parametrize(("k", "shortest", "longest"), [(100, 1, None), (3, 1, None), (100, 2, None), (100, 2, 2), (0, 1, 1)])
def test_top_lists_what_count_answers(name, k, shortest, longest):
    """Every row is the answer to its own pattern; best first, of the lengths asked for, no longer than asked for."""
    release = released(name)
    rows = release.top(k, shortest=shortest, longest=longest)
    values = [row["value"] for row in rows]
    marks = 1 if name == "prefixes" else 0

    assert [{"pattern": row["pattern"], **release.count(row["pattern"]).to_json()} for row in rows] == rows
    assert sorted(values, reverse=True) == values
    assert len(rows) <= k
    assert all(shortest <= len(row["pattern"]) - marks <= (longest or 9) for row in rows)
    assert release.top(k, shortest=shortest, longest=longest) == rows


def test_ties_stand_in_a_fixed_order():
    """Grams by length and then by the order of the domain, patterns by rank, itemsets by size and then by the domain."""
    assert [["a"], ["b"], ["a", "b"], ["c"], ["b", "c"], ["a", "b", "c"]] == [r["pattern"] for r in released("grams").top(9)]
    assert [["b", "c"], ["a", "b"], ["c"]] == [row["pattern"] for row in released("patterns").top(9)]
    assert [["a"], ["b"], ["a", "b"], ["c"]] == [row["pattern"] for row in released("sets").top(4)]


def test_the_end_of_a_record_is_listed_when_asked():
    """It is no pattern, so not otherwise."""
    release = released("grams")

    assert ["a", "&"] in [row["pattern"] for row in release.top(9, ends=True)]
    assert not [row for row in release.top(9) if "&" in row["pattern"]]


@given(st.lists(st.tuples(st.integers(0, 200), st.none() | st.integers(5, 200)), min_size=8, max_size=8), st.integers(0, 9))
def test_the_first_k_are_the_first_of_all(rows, k):
    """However counts and noisy answers differ: a shorter list is the beginning of the longer one."""
    table = grams([count for count, _ in rows], [noisy for _, noisy in rows])
    release = GramRelease(DOMAIN, grams=table, synthetic=Flat.of([[0]]), l_max=4, n_max=3)

    assert release.top(len(GRAMS))[:k] == release.top(k)


def test_negative_counts_do_not_lift_an_itemset():
    """Where every set is published, noise below 0 counts too: the order is that of the sums that are shown."""
    sets = SetCounts.of([[0], [0, 1], [0, 2], [1]], [-90, 60, 40, 30], 1.0, -1000)
    rows = SetRelease(DOMAIN, sets=sets, complete=True).top(2, longest=1)

    assert [["b"], ["c"]] == [row["pattern"] for row in rows]
    assert [90.0, 40.0] == [row["value"] for row in rows]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ({"k": -1}, "k = -1: give a whole number of at least 0"),
        ({"k": "3"}, "k = '3'"),
        ({"k": 3, "shortest": 0}, "shortest = 0"),
        ({"k": 3, "longest": 0}, "longest = 0"),
        ({"k": 3, "shortest": 3, "longest": 2}, "longest = 2 is below shortest = 3"),
    ],
)
@pytest.mark.parametrize("name", ["grams", "prefixes", "patterns", "sets"])
def test_impossible_lists_are_refused(name, call, problem):
    """With what is allowed."""
    with pytest.raises(CallError, match=problem):
        released(name).top(**call)


CAPABILITIES = {
    "grams": {Countable, Summable, Ranked, Synthetic, Drawable, OfRecords, Shaped},
    "prefixes": {Countable, Summable, Ranked, Synthetic, Drawable, OfRecords, Shaped},
    "record-model": {Countable, Summable, Ranked, Synthetic, Drawable, OfRecords, Shaped},
    "histogram": {Countable, Summable, OfRecords},
    "patterns": {Countable, Summable, Ranked},
    "sets": {Countable, Summable, Ranked, Synthetic, Drawable},
    "set-model": {Countable, Summable, Ranked, Synthetic, Drawable},
    "graph": {Countable, Synthetic, Degrees, Pictured},
    "labels": {Countable, Ranked},
}


@pytest.mark.parametrize("content", CONTENTS)
def test_what_a_release_can_do_is_its_type(content):
    """No verb needs to ask for the name of a method."""
    all_of_them = {Countable, Summable, Ranked, Synthetic, Drawable, OfRecords, Shaped, Degrees, Pictured}

    assert CAPABILITIES[content] == {one for one in all_of_them if issubclass(release_class(content), one)}


@pytest.mark.slow
def test_a_count_that_was_not_released_is_below_its_bound():
    """Whatever the true count is, at most 5 % of the runs state a bound below it; half the bound would not do."""
    domain = Domain.range(1, 12)
    often = np.array([4, 8, 12, 16, 20, 24, 28, 32, 40, 60, 90, 400])
    table = sv.table_of([[str(i + 1)] for i, times in enumerate(often) for _ in range(times)], domain)
    runs = 300
    missed = np.zeros((2, len(often)))
    for seed in range(runs):
        release = sv.experiment(table, sv.NGram(l_max=2, n_max=2), "1.0", seed=seed)
        for i, times in enumerate(often):
            if (bound := release.count([str(i + 1)]).at_most) is not None:
                missed[:, i] += times > bound, times > bound / 2
    most = 0.05 * runs + 3 * np.sqrt(0.05 * 0.95 * runs)

    assert missed[0].max() <= most
    assert missed[1].max() > most


def test_a_label_without_siblings_has_no_bound():
    """Nothing passed, so the threshold is not known either; and what is kept whatever it is has none."""
    empty = GramRelease(DOMAIN, grams=GramTable.of([], []), synthetic=Flat.of([]), l_max=2, n_max=2)

    assert (True, None) == (np.isnan(empty.count(["a"]).value), empty.count(["a"]).at_most)


def test_sets_of_which_nothing_is_known_are_not_counted_as_none():
    """Without the number of records, what no published set contains is unknown; with it, it is between 0 and what is left."""
    sets = SetCounts.of([[0, 1]], [40], scale=2.0, threshold=5)

    assert "not released" == SetRelease(DOMAIN, sets=sets).count(["c"]).kind
    assert 0 < SetRelease(DOMAIN, sets=sets, size=Size(90, 2.0)).count(["c"]).high
    assert (0, 0) == (lambda a: (a.low, a.high))(SetRelease(DOMAIN, sets=sets, complete=True).count(["c"]))


def test_a_prefix_that_was_not_released_is_no_more_frequent_than_the_one_before():
    """Its bound is the upper end of the longest prefix that was released."""
    release = released("prefixes")

    assert release.count(["^", "a"]).high == release.count(["^", "a", "c", "c"]).at_most
    assert release.count(["^", "a", "b"]).high == release.count(["^", "a", "b", "b"]).at_most
    assert release.count(["^", "b", "a"]).at_most == release.count(["^", "b"]).high
