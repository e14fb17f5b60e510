"""How far one record can move clipped supports, by enumeration: the claims of wall/questions/clipped.py."""

from itertools import product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Event, Record, User
from seqveil.wall.questions.clipped import ClippedSupports, Contained
from seqveil.wall.questions.supports import Supports

EVERY = np.array([[a, b] for a, b in product(range(2), range(-1, 2))])  # 0, 00, 01, 1, 10, 11 with -1 for "no second item"


def moved(dense, table, question, records):
    """How far each record moves all counts together when it joins each of two tables."""
    for others in ([], [[0, 1, 0], [1]]):
        before = np.array(dense(question, table(others, 2), Record()))
        for record in records:
            after = np.array(dense(question, table([*others, record], 2), Record()))
            yield int(np.abs(after - before).sum())


@pytest.mark.parametrize("fair", [False, True])
@pytest.mark.parametrize("most", [1, 2, 4, 6, 9])
def test_no_record_moves_clipped_supports_further_than_stated_and_some_move_them_so_far(table, dense, all_records, most, fair):
    """All records of up to 6 items, added to nothing and to others: a claim that is one too small is exceeded."""
    records = all_records(2, 6)
    for patterns in (EVERY, EVERY[::2], EVERY[3:4]):
        question = ClippedSupports(patterns, most, fair)
        assert max(moved(dense, table, question, records)) == question.influence(Record()) == min(most, len(patterns))
    assert 3 * min(most, 6) == ClippedSupports(EVERY, most, fair).influence(User(max_sequences=3))


def test_without_the_clip_the_enumeration_finds_more_than_is_stated(table, dense, all_records):
    """The planted mistake: noise for 2 patterns, counts without the clip."""
    claimed = ClippedSupports(EVERY[[1, 2, 4, 5]], 2).influence(Record())

    assert max(moved(dense, table, Supports(EVERY[[1, 2, 4, 5]]), all_records(2, 6))) > claimed


@pytest.mark.parametrize("bounds", [[0], [0, 1, 3], [2, 5]])
def test_a_record_is_in_one_slot_of_numbers_of_patterns(table, dense, all_records, bounds):
    """So it moves one count by one, whatever it contains."""
    question = Contained(EVERY, np.array(bounds))

    assert {1} == set(moved(dense, table, question, all_records(2, 6))) == {question.influence(Record())}
    assert 4 == question.influence(User(max_sequences=4))


@pytest.mark.parametrize("fair", [False, True])
def test_clipping_is_local(table, dense, fair):
    """What a record adds does not depend on the other records."""
    rows = [[0, 1, 1, 0], [1, 1, 0, 0, 1], [0], [1, 0, 1, 0, 1, 1, 0, 1]]
    question = ClippedSupports(EVERY, 3, fair)
    alone = np.sum([dense(question, table([r], 2), Record()) for r in rows], axis=0)

    assert alone.tolist() == dense(question, table(rows, 2), Record())


def test_patterns_that_would_be_counted_twice_or_mistaken_are_refused():
    """Repeated patterns, padding inside a pattern, nothing at all, codes outside the domain, other units, senseless bounds."""
    for patterns in ([[0, 1], [0, 1]], [[]], [[-1, 0]], [[0, -1, 1]], [[0, -2]]):
        for make in (lambda p: ClippedSupports(p, 1), lambda p: Contained(p, np.array([0]))):
            with pytest.raises(CallError):
                make(np.array(patterns))
    for bounds in ([], [1, 1], [-1, 2]):
        with pytest.raises(CallError, match="rise"):
            Contained(EVERY, np.array(bounds, np.int64))
    with pytest.raises(CallError, match="at least 1 pattern"):
        ClippedSupports(EVERY, 0)
    for question in (ClippedSupports(EVERY, 1), Contained(EVERY, np.array([0]))):
        with pytest.raises(CallError, match="codes 0 to 0"):
            question.slots(1)
        with pytest.raises(CallError, match="record or a user"):
            question.influence(Event())
