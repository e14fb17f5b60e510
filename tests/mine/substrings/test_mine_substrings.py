"""Substrings of any length: what is found, what is asked on the way, and what the counts mean."""

from collections import Counter

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.mine.substrings.bounds import best_bound, steps
from seqveil.mine.substrings.predictions import candidates
from seqveil.mine.substrings.search import Known, Search
from seqveil.wall import GRAINS

LETTERS = sv.Domain.of(["a", "b", "c", "d"])
REPEAT = tuple("abacabadabacabadcc")


def planted(strings: int, seed: int = 3) -> list[list[str]]:
    """Random strings of 40 letters, half of them with one repeat of 18 letters in it."""
    rng = np.random.default_rng(seed)
    rows = [list(row) for row in np.array(list("abcd"))[rng.integers(0, 4, (strings, 40))]]
    for row in rows[::2]:
        at = int(rng.integers(0, 22))
        row[at : at + len(REPEAT)] = REPEAT
    return rows


def exactly(rows: list[list[str]], shortest: int, once: bool) -> Counter[tuple[str, ...]]:
    """All substrings with their counts."""
    each = [[tuple(r[i:j]) for i in range(len(r)) for j in range(i + shortest, len(r) + 1)] for r in rows]
    return Counter(s for some in each for s in (set(some) if once else some))


@pytest.mark.parametrize("count", ["occurrences", "documents"])
def test_with_little_noise_the_most_frequent_long_patterns_are_found_with_their_counts(count):
    """All 66 substrings of 8 to 18 letters of the repeat; a record repeats none of them, so both ways count the same."""
    rows = planted(400)
    release = sv.experiment(sv.table_of(rows, LETTERS), sv.Substrings(top=60, shortest=8, count=count), "1000.0", seed=1)
    truth = exactly(rows, 8, once=count == "documents")
    released = {tuple(one["pattern"]): one for one in release.top(60)}
    kth = sorted(truth.values(), reverse=True)[59]

    assert REPEAT in released or sum(truth[p] == truth[REPEAT] for p in truth) > 60
    assert all(truth[p] >= kth - 2 for p in released)
    assert all(abs(one["value"] - truth[p]) <= 3 for p, one in released.items())
    assert max(map(len, released)) >= 15


def test_occurrences_and_documents_differ_where_records_repeat_themselves():
    """a b a b a b holds ab three times, and is one record."""
    table = sv.table_of([["a", "b", "a", "b", "a", "b"]] * 300, sv.Domain.of(["a", "b"]))
    three, one = (
        sv.experiment(table, sv.Substrings(top=3, count=count), "1000.0", seed=1).count(["a", "b"]).value
        for count in ("occurrences", "documents")
    )

    assert three == pytest.approx(900, abs=5)
    assert one == pytest.approx(300, abs=5)


def test_error_bars_hold():
    """Of 40 runs, nearly all bars cover what is counted; records are short, so that clipping loses nothing."""
    rows = [list(r) for r in ("abab", "abac", "bcda", "dd")] * 100
    truth = exactly(rows, 2, once=False)
    covered = []
    for seed in range(40):
        release = sv.experiment(sv.table_of(rows, LETTERS), sv.Substrings(top=5, longest=3, l_max=4), "2.0", seed=seed)
        if "at most 3" in release.about:
            covered += [one["low"] <= truth[tuple(one["pattern"])] <= one["high"] for one in release.top(5)]

    assert len(covered) > 50
    assert np.mean(covered) > 0.9


def test_a_release_says_what_it_counts():
    """How much of a record counts follows from noisy answers, and stands in the release."""
    table = sv.table_of([["a", "b", "c"]] * 50, LETTERS)

    assert "occurrences in the first 9 labels" in sv.experiment(table, sv.Substrings(l_max=9), "5", seed=1).about
    documents = sv.experiment(table, sv.Substrings(l_max=9, count="documents"), "5", seed=1)
    assert "records that contain" in documents.about


def test_nothing_frequent_gives_an_empty_release_and_keeps_the_rest_of_the_budget():
    """No candidates, no counts: what was not asked was not spent."""
    release = sv.experiment(sv.table_of([["a"]], LETTERS), sv.Substrings(shortest=2), "0.01", seed=4)
    spent = sum(float(stage.epsilon) for stage in release.manifest.stages)

    assert 0 <= len(release) <= 100
    assert spent <= 0.01


def test_a_string_is_followed_up_only_while_it_can_matter():
    """K strings are known to be frequent as soon as their extensions are; documents are not added up."""
    search = Search(top=2, shortest=2, longest=9, l_max=9, once=False)
    search.levels = [Known(4, {(0, 0, 0, 0): 50.0, (0, 0, 0, 1): 40.0})]

    assert 90.0 == search.worth()  # 00 and 000 begin both
    search.once = True
    assert 50.0 == search.worth()
    search.top = 100
    assert search.worth() is None


def test_candidates_come_in_falling_order_and_after_what_they_begin_with():
    """Whatever the known counts, and all windows of a known length are known."""
    rng = np.random.default_rng(5)
    pairs = Known(2, {(a, b): float(rng.integers(50, 90)) for a in range(3) for b in range(3) if a + b != 3})
    fours = Known(4, {(*p, *q): float(rng.integers(5, 50)) for p in pairs.count for q in pairs.count if p[1] + q[0] != 3})
    for once in (False, True):
        strings = candidates([pairs, fours], shortest=3, longest=7, most=80, once=once)

        assert 80 == len(set(strings))
        assert all(3 <= len(s) <= 7 and s[i : i + 2] in pairs.count for s in strings for i in range(len(s) - 1))
        assert all(s[i : i + 4] in fours.count for s in strings for i in range(len(s) - 3))
        assert all(len(s) == 3 or s[:-1] in strings[:at] for at, s in enumerate(strings))


def test_a_bound_weighs_noise_against_what_is_lost():
    """More ε never clips more; slots of the histogram that are mere noise do not count."""
    records = np.array([100, 5000, 3000, 400, 90])
    chosen = [best_bound(records, steps(8), 5.0, noise, 2000.0, 5.0).most for noise in (0.01, 1.0, 100.0, 1000.0)]

    assert chosen == sorted(chosen, reverse=True)
    assert (8, 1) == (chosen[0], chosen[-1])
    assert 0.0 == best_bound(np.array([0, 3, 0, 2, 4]), steps(8), 5.0, 1.0, None, 5.0).amount


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"top": 0}, "top"),
        ({"l_max": 0}, "l_max"),
        ({"shortest": 9, "longest": 3}, "shortest"),
        ({"longest": 101}, "l_max"),
        ({"first": 0.99}, "first"),
        ({"wider": 0.5}, "wider"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong, said):
    with pytest.raises(CallError, match=said):
        sv.Substrings(**wrong)


def test_what_cannot_be_mined_is_refused_before_anything_is_spent():
    """A domain of one label, and an ε that cannot be divided."""
    with pytest.raises(CallError, match="1 label"):
        sv.Substrings().precheck(GRAINS, sv.Domain.of(["a"]), sv.Record())
    with pytest.raises(CallError, match="too small"):
        sv.Substrings().precheck(10, LETTERS, sv.Record())
