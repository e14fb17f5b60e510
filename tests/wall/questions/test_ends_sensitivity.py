"""How far one unit moves the tables of first and last labels, by trying every record there is."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.closed import ClosedLengths
from seqveil.wall.questions.ends import Firsts, Lasts, Trips
from strategies import table_of_codes

EVERY = [r for n in range(5) for r in product(range(3), repeat=n)]
DATA = [(0, 1, 0), (1,), (), (0, 0)]
ALPHABETS = [Alphabet.identity(3), Alphabet(np.array([0, 1, 1], np.int32), 3)]
QUESTIONS = [kind(alphabet) for kind in (Firsts, Lasts, Trips) for alphabet in ALPHABETS]
QUESTIONS += [ClosedLengths(most) for most in (1, 3, 9)]


def counts(question, records, unit):
    return question.tally(table_of_codes(records, 3), unit).dense(question.slots(3))


def moved(question, unit, joining):
    return int(np.abs(counts(question, [*DATA, *joining], unit) - counts(question, DATA, unit)).sum())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.name} {q.slots(3)}")
def test_a_unit_moves_a_table_of_ends_by_as_many_records_as_it_has(question):
    """Every record over 3 labels, and every pair of them as one user's: m is reached, and nothing is above it."""
    assert {0, 1} == {moved(question, Record(), [record]) for record in EVERY}
    assert 1 == question.influence(Record())
    pairs = combinations_with_replacement(EVERY[:40], 2)
    assert 2 == max(moved(question, User(max_sequences=2), pair) for pair in pairs) == question.influence(User(max_sequences=2))


def test_a_table_of_both_ends_of_all_windows_would_move_more():
    """The enumeration notices a kernel that counts more than the ends: every pair of neighbours, for example."""

    def every_pair(record):
        return len(record) - 1

    assert max(map(every_pair, EVERY)) > Trips(ALPHABETS[0]).influence(Record())


def test_slots_mean_what_the_question_says():
    """first·K + last, and 2·(l − 1) + [first = last] of the cut record; records without items are nowhere."""
    records, alphabet = [(2, 0), (2, 1, 2), (), (1,)], ALPHABETS[1]

    assert {1: 3} == _nonzero(counts(Firsts(alphabet), records, Record()))
    assert {0: 1, 1: 2} == _nonzero(counts(Lasts(alphabet), records, Record()))
    assert {1 * 3 + 0: 1, 1 * 3 + 1: 2} == _nonzero(counts(Trips(alphabet), records, Record()))
    assert {2: 1, 5: 1, 1: 1} == _nonzero(counts(ClosedLengths(9), records, Record()))
    assert {2: 2, 1: 1} == _nonzero(counts(ClosedLengths(2), records, Record()))


def _nonzero(dense):
    return {int(i): int(dense[i]) for i in np.flatnonzero(dense)}


def test_what_does_not_fit_is_refused():
    """Before anything is counted: units that own no records, alphabets of other domains, lengths below 1."""
    for question in QUESTIONS:
        with pytest.raises(CallError, match="record or a user"):
            question.influence(Edge())
    for kind in (Firsts, Lasts, Trips):
        with pytest.raises(CallError, match="an alphabet of 3 labels cannot be used for a domain of 4"):
            kind(ALPHABETS[0]).slots(4)
        with pytest.raises(CallError, match="an alphabet of 3 labels"):
            kind(ALPHABETS[0]).tally(table_of_codes([(3,)], 4), Record())
    with pytest.raises(CallError, match="at least 1"):
        ClosedLengths(0)
