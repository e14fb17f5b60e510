"""How far one record moves the counts of patterns, by trying every record there is (docs/soundness.md, 'Fingerprints')."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.engines.local.fingerprints import fingerprint_counts
from seqveil.errors import CallError
from seqveil.mine.twophase.longest import endings
from seqveil.tables.automaton import Automaton
from seqveil.tables.flat import Flat
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.fingerprints import Fingerprints
from strategies import table_of_codes

WORDS = [w for n in range(1, 4) for w in product(range(2), repeat=n)]


def occurrences(text, pattern) -> int:
    return sum(tuple(text[i : i + len(pattern)]) == tuple(pattern) for i in range(len(text) - len(pattern) + 1))


def ends(text, patterns) -> int:
    """At how many symbols patterns end."""
    return sum(any(text[:stop][-len(p) :] == p for p in patterns if len(p) <= stop) for stop in range(1, len(text) + 1))


def heaviest_by_force(patterns, length: int, labels: int) -> int:
    return max(ends(text, patterns) for text in product(range(labels), repeat=length))


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_the_walk_through_most_ends_is_the_brute_force_maximum(length):
    """All sets of up to three patterns of up to three of two labels, against all strings; a third symbol never helps."""
    for size in (1, 2, 3):
        for patterns in list(combinations(WORDS, size))[:: 1 if size < 3 else 5]:
            assert heaviest_by_force(patterns, length, 2) == Automaton.of(patterns).most_ends(length)


FALSE_BOUNDS = [  # patterns, l′, occurrences in a run of one label: Lemma 3.4 claims that l′ is enough
    ([(0,), (0, 0), (0, 0, 0)], 4, 9),
    ([(0,) * n for n in range(2, 8)], 8, 27),
    ([(0,) * n for n in range(2, 8)], 20, 99),
]


@pytest.mark.parametrize(("patterns", "l_prime", "occurring"), FALSE_BOUNDS)
def test_longest_matches_have_the_printed_bound_and_occurrences_do_not(patterns, l_prime, occurring):
    """Runs of one label overlap: counted one by one their occurrences are up to five times l′, the longest matches never."""
    run = (0,) * l_prime
    counted = fingerprint_counts(Flat.of([run]), 1, patterns, l_prime, belt=10**6).count.sum()

    assert occurring == sum(occurrences(run, p) for p in patterns) > l_prime
    assert counted == Fingerprints(tuple(patterns), l_prime).influence(Record()) == l_prime - len(patterns[0]) + 1


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_no_record_moves_the_counts_by_more_than_delta(most):
    """Every record of up to six of two labels, longer than l′ or not, for many sets of patterns; without the belt.

    Some record reaches Δ(F) wherever patterns can end at all, so a claim that is one too small is found.
    """
    records = [r for n in range(7) for r in product(range(2), repeat=n)]
    flat = Flat.of(records)
    for patterns in [[(0,)], [(0, 0), (0, 1)], [(0, 0), (1, 0, 0)], [(0,), (0, 0), (1, 0, 1)], [(1, 1, 0), (0, 0, 0)]]:
        worst = max(
            int(fingerprint_counts(flat.take(np.array([k])), 2, patterns, most, belt=10**6).count.sum()) for k in range(len(flat))
        )

        assert max(worst, 1) == Fingerprints(tuple(patterns), most).influence(Record())


@given(
    st.lists(st.lists(st.integers(0, 2), max_size=12), max_size=6),
    st.sets(st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5),
    st.integers(1, 9),
)
def test_sums_of_longest_matches_are_occurrences_and_never_more_than_occur(records, patterns, most):
    """Short records count everything, long ones at most what occurs; the belt changes nothing."""
    table, names = table_of_codes(records, 3), sorted(patterns)
    asked = Fingerprints(tuple(names), most)
    longest = asked.tally(table, Record()).dense(len(names))
    counts = endings(names) @ longest
    short = [r for r in records if len(r) <= most]
    least = [sum(occurrences(r, p) for r in short) for p in names]
    exact = [sum(occurrences(r, p) for r in records) for p in names]

    assert all(low <= count <= high for low, count, high in zip(least, counts.tolist(), exact, strict=True))
    assert longest.tolist() == fingerprint_counts(table.flat, 3, names, most, belt=10**6).dense(len(names)).tolist()


def test_the_belt_clips_a_record_and_a_user_counts_for_all_of_it():
    """A belt of 2 leaves 2 of 4 occurrences; two records of a user move twice as much."""
    flat = Flat.of([[0, 0, 0, 0]])

    assert [2] == fingerprint_counts(flat, 1, [(0,)], 10, belt=2).count.tolist()
    assert 2 * 4 == Fingerprints(((0,), (0, 0), (0, 0, 0)), 4).influence(User(max_sequences=2))


def test_a_cut_block_is_counted_as_cut():
    """aabb occurs once in a long record, but not in its first three symbols: it must not be counted there."""
    flat = Flat.of([[0, 0, 1, 1, 2, 2, 2, 2]])

    assert [0, 1] == fingerprint_counts(flat, 3, [(0, 0, 1, 1), (0, 0)], 3, belt=99).dense(2).tolist()


def test_questions_that_make_no_sense_are_refused():
    """No patterns, an empty or repeated one, no symbols, or a unit without records."""
    for patterns, most in [((), 3), (((),), 3), (((0,), (0,)), 3), (((0,),), 0)]:
        with pytest.raises(CallError):
            Fingerprints(patterns, most)
    with pytest.raises(CallError, match="record or a user"):
        Fingerprints(((0,),), 3).influence(Edge())
