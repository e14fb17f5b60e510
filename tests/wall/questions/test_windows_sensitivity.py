"""How far one unit moves counts of labels and of what follows contexts, by trying every record there is."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.windows import Labels, Windows
from strategies import table_of_codes

EVERY = [r for n in range(6) for r in product(range(2), repeat=n)]
DATA = [(0, 1, 0), (1,), (), (0, 0)]
ALPHABETS = [Alphabet.identity(2), Alphabet(np.array([1, 1], np.int32), 2)]


def contexts(d):
    return np.array(list(product(range(2), repeat=d)), np.int32)


def counts(question, records, unit):
    return question.tally(table_of_codes(records, 2), unit).dense(question.slots(2))


def moved(question, unit, joining):
    return int(np.abs(counts(question, [*DATA, *joining], unit) - counts(question, DATA, unit)).sum())


CASES = [
    (question, l_max - d)
    for l_max in (1, 2, 3, 4)
    for alphabet in ALPHABETS
    for d in range(l_max)
    for question in ([Windows(l_max, contexts(d), alphabet)] if d else [Labels(l_max, alphabet)])
]


@pytest.mark.parametrize(("question", "most"), CASES, ids=lambda value: getattr(value, "name", value))
def test_a_unit_moves_windows_by_what_the_question_states(question, most):
    """Every record over 2 labels up to length 5, longer than l_max too: l_max − d is reached, and nothing is above it."""
    assert most == max(moved(question, Record(), [record]) for record in EVERY) == question.influence(Record())
    pairs = list(combinations_with_replacement(EVERY, 2))[::7]
    unit = User(max_sequences=2)
    assert 2 * most == max(moved(question, unit, pair) for pair in [*pairs, ((0,) * 5,) * 2]) == question.influence(unit)


def test_the_enumeration_notices_a_window_that_crosses_records():
    """With the items of all records in one row, a record adds d windows more than the question states."""

    def crossing(records):
        row = [x for record in records for x in record]
        return np.bincount([2 * a + b for a, b in pairwise(row)], minlength=4)

    worst = max(int(np.abs(crossing([*DATA, record]) - crossing(DATA)).sum()) for record in EVERY if len(record) <= 3)

    assert worst == 3 > Windows(3, contexts(1), ALPHABETS[0]).influence(Record())


def test_the_enumeration_notices_a_clip_that_is_not_applied():
    """A kernel that does not cut moves more than the question states."""
    longer, question = Windows(5, contexts(1), ALPHABETS[0]), Windows(3, contexts(1), ALPHABETS[0])

    assert max(moved(longer, Record(), [record]) for record in EVERY) > question.influence(Record())


def test_contexts_and_labels_share_the_alphabet():
    """Slot c·K + x; labels that share a code are one."""
    alphabet, records = Alphabet(np.array([0, 1, 1], np.int32), 3), [(0, 1, 2, 0)]
    question = Windows(9, np.array([[1, 1], [0, 1]], np.int32), alphabet)
    tally = question.tally(table_of_codes(records, 3), Record())

    assert [(0, 1), (1 * 3 + 1, 1)] == list(zip(tally.index.tolist(), tally.count.tolist(), strict=True))
    assert [2, 2, 0] == Labels(9, alphabet).tally(table_of_codes(records, 3), Record()).dense(3).tolist()


def test_many_slots_cost_what_the_records_cost():
    """A million labels after a thousand contexts: 10⁹ slots, of which those that occur are listed."""
    alphabet = Alphabet.identity(10**6)
    question = Windows(5, np.arange(1000, dtype=np.int32).reshape(-1, 1), alphabet)
    tally = question.tally(table_of_codes([(3, 10**6 - 1, 5, 5)] * 2, 10**6), Record())

    assert 10**9 == question.slots(10**6)
    assert {3 * 10**6 + 10**6 - 1: 2, 5 * 10**6 + 5: 2} == dict(zip(tally.index.tolist(), tally.count.tolist(), strict=True))


WRONG = {
    "twice": (3, np.array([[0], [0]], np.int32), "twice"),
    "outside": (3, np.array([[2]], np.int32), "outside the alphabet"),
    "negative": (3, np.array([[-1]], np.int32), "outside the alphabet"),
    "none": (3, np.zeros((0, 1), np.int32), "at least 1 code"),
    "of no codes": (3, np.zeros((1, 0), np.int32), "at least 1 code"),
    "of other numbers": (3, np.zeros((1, 1)), "int32"),
    "too long": (2, np.zeros((1, 2), np.int32), "no item follows 2 others"),
}


@pytest.mark.parametrize("case", WRONG)
def test_contexts_that_would_be_counted_wrongly_are_refused(case):
    """A repeated context would be counted once and claimed twice; a code outside the alphabet reads out of bounds."""
    l_max, rows, text = WRONG[case]
    with pytest.raises(CallError, match=text):
        Windows(l_max, rows, ALPHABETS[0])


def test_units_and_domains_that_do_not_fit_are_refused():
    """Before anything is counted."""
    for question in (Labels(3, ALPHABETS[0]), Windows(3, contexts(1), ALPHABETS[0])):
        with pytest.raises(CallError, match="record or a user"):
            question.influence(Edge())
        with pytest.raises(CallError, match="cannot be used for a domain of 3"):
            question.slots(3)
        with pytest.raises(CallError, match="cannot be used for a domain of 3"):
            question.tally(table_of_codes([(2, 2)], 3), Record())
    with pytest.raises(CallError, match="at least 1"):
        Labels(0, ALPHABETS[0])
