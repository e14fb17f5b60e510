"""How far one record can move what records hold of public patterns, by enumeration: the claims of wall/questions/matches.py."""

from itertools import product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.questions.matches import Matched, Matches, holdings

L_MAX = 4
PAIRS = Doubling.over(2, 2)
FOURS = PAIRS.longer(np.arange(4))
RUNS = Trie.of([(0,), (0, 0), (0, 0, 0), (1, 0)], 2)
BUSHY = Trie.of([w for n in range(1, 4) for w in product(range(2), repeat=n)], 2)


def moved(dense, table, question, records):
    """How far each record moves all counts together when it joins each of two tables."""
    for others in ([], [[0, 1, 0, 0], [1]]):
        before = np.array(dense(question, table(others, 2), Record()))
        for record in records:
            after = np.array(dense(question, table([*others, record], 2), Record()))
            yield int(np.abs(after - before).sum())


REACHED = [  # patterns, once, what some record of at most 5 items (cut to 4) holds, what is stated
    (PAIRS, False, 3, 3),
    (PAIRS, True, 3, 3),
    (FOURS, False, 1, 1),
    (RUNS, False, 4, 4),
    (RUNS, True, 2, 2),
    (BUSHY, False, 4, 4),
    (BUSHY, True, 6, 8),
]


@pytest.mark.parametrize("most", [1, 3, 20])
@pytest.mark.parametrize(("patterns", "once", "reached", "stated"), REACHED)
def test_no_record_moves_matches_further_than_stated(table, dense, all_records, patterns, once, reached, stated, most):
    """All records of up to 5 items, added to nothing and to others; where the clip binds, some record reaches it exactly."""
    question = Matches(patterns, L_MAX, most, once)
    worst = max(moved(dense, table, question, all_records(2, 5)))

    assert stated == holdings(patterns, L_MAX, once)
    assert worst == min(most, reached) <= question.influence(Record()) == min(most, stated)
    assert 3 * min(most, stated) == question.influence(User(max_sequences=3))


def test_without_the_clip_and_with_one_path_per_position_the_enumeration_finds_more(table, dense, all_records):
    """Two planted mistakes: noise for 2 of the positions that count; and one heavy path for each position of a record."""
    everything = max(moved(dense, table, Matches(PAIRS, L_MAX, 20), all_records(2, 5)))
    paths = max(moved(dense, table, Matches(BUSHY, L_MAX, 20, once=True), all_records(2, 5)))

    assert everything > Matches(PAIRS, L_MAX, 2).influence(Record())
    assert paths > holdings(BUSHY, L_MAX, once=False)


def test_without_the_cut_a_long_record_holds_more_than_is_stated(table, dense, all_records):
    """A third mistake: a bound for 4 items, records of 5."""
    assert max(moved(dense, table, Matches(PAIRS, 5, 20), all_records(2, 5))) > Matches(PAIRS, L_MAX, 20).influence(Record())


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("bounds", [[0], [0, 1, 3]])
def test_a_record_is_in_one_slot_of_numbers(table, dense, all_records, bounds, once):
    """So it moves one count by one, whatever it holds."""
    question = Matched(BUSHY, L_MAX, np.array(bounds), once)

    assert {1} == set(moved(dense, table, question, all_records(2, 5))) == {question.influence(Record())}
    assert 4 == question.influence(User(max_sequences=4))


@pytest.mark.parametrize("once", [False, True])
@pytest.mark.parametrize("patterns", [PAIRS, BUSHY])
def test_what_a_record_adds_does_not_depend_on_others(table, dense, patterns, once):
    """Locality: answers about several records are sums of answers about each."""
    rows = [[0, 1, 1, 0], [1, 1, 0, 0, 1], [0], [1, 0, 1, 0, 1, 1, 0, 1]]
    question = Matches(patterns, 8, 2, once)
    alone = np.sum([dense(question, table([r], 2), Record()) for r in rows], axis=0)

    assert alone.tolist() == dense(question, table(rows, 2), Record())


def test_questions_that_make_no_sense_are_refused():
    """Nothing to count for, bounds that fall, another domain, records too short for a pattern, a unit without records."""
    with pytest.raises(CallError, match="at least 1 pattern"):
        Matches(PAIRS, 4, 0)
    with pytest.raises(CallError, match="rise"):
        Matched(PAIRS, 4, np.array([2, 1]))
    with pytest.raises(CallError, match="over 2 labels"):
        Matches(PAIRS, 4, 1).slots(3)
    with pytest.raises(CallError, match="so few items"):
        Matched(FOURS, 3, np.array([1])).slots(2)
    with pytest.raises(CallError, match="record or a user"):
        Matches(PAIRS, 4, 1).influence(Edge())
