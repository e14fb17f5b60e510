"""How far one unit moves counts of steps, by trying every record there is."""

from __future__ import annotations

from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.steps import Steps
from strategies import table_of_codes

EVERY = [r for n in range(5) for r in product(range(3), repeat=n)]
DATA = [(0, 1, 0), (1,), (), (0, 0, 2)]
ALL = np.arange(9, dtype=np.int32).reshape(3, 3)
LINE = np.array([[-1, 0, -1], [1, -1, 2], [-1, 3, -1]], np.int32)
TOGETHER = np.array([[1, 0, 0], [0, 1, 0], [0, 0, -1]], np.int32)
MERGED = Alphabet(np.array([0, 1, 1], np.int32), 3)
QUESTIONS = [
    Steps(alphabet, listed, most)
    for most in (1, 2, 3)
    for alphabet in (Alphabet.identity(3), MERGED)
    for listed in (ALL, LINE, TOGETHER)
]


def counts(question, records, unit=None):
    return question.tally(table_of_codes(records, 3), unit or Record()).dense(question.slots(3))


def moved(question, unit, joining):
    return int(np.abs(counts(question, [*DATA, *joining], unit) - counts(question, DATA, unit)).sum())


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.most} of {q.slots(3)}, {q.alphabet.codes}")
def test_a_unit_moves_steps_by_as_many_as_count(question):
    """Every record over 3 labels up to length 4, with more steps than count: the influence is reached, never exceeded."""
    assert question.most == max(moved(question, Record(), [record]) for record in EVERY) == question.influence(Record())
    unit = User(max_sequences=2)
    some = [*list(combinations_with_replacement(EVERY, 2))[::97], ((0, 1, 0, 1),) * 2]
    assert 2 * question.most == max(moved(question, unit, pair) for pair in some) == question.influence(unit)


def test_the_enumeration_notices_steps_that_are_not_capped():
    """Were all steps of a record counted, a record of four items would add three to a question about two."""
    worst = max(len(list(pairwise(record))) for record in EVERY)

    assert worst == 3 > Steps(Alphabet.identity(3), ALL, 2).influence(Record())


def test_slots_mean_what_the_question_says():
    """The first listed steps count; others neither count nor use up what counts."""
    question = Steps(Alphabet.identity(3), LINE, 2)

    assert [1, 1, 0, 0] == counts(question, [(0, 2, 0, 1, 0, 1, 2)]).tolist()
    assert [0, 0, 1, 1] == counts(question, [(1, 2), (2, 1), (2, 2)]).tolist()


def test_what_does_not_fit_is_refused():
    """Before anything is counted."""
    identity = Alphabet.identity(3)
    for listed in (ALL.astype(np.int64), ALL[:2], ALL.tolist()):
        with pytest.raises(CallError, match="a row and a column for each of the 3 codes"):
            Steps(identity, listed, 1)
    for listed in (np.full((3, 3), -1, np.int32), np.where(ALL == 0, np.int32(-1), ALL)):
        with pytest.raises(CallError, match="without a gap"):
            Steps(identity, listed, 1)
    with pytest.raises(CallError, match="at least 1 step"):
        Steps(identity, ALL, 0)
    with pytest.raises(CallError, match="record or a user"):
        QUESTIONS[0].influence(Edge())
    with pytest.raises(CallError, match="an alphabet of 3 labels cannot be used for a domain of 4"):
        QUESTIONS[0].slots(4)
