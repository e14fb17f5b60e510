"""How far one record can move supports, by enumeration: the claims of wall/questions/supports.py and shrunk.py."""

from itertools import product

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Event, Record, User
from seqveil.wall.questions.shrunk import ShrunkSupports, TruncatedSupports, most_subsequences
from seqveil.wall.questions.supports import Supports


@pytest.mark.parametrize(("labels", "length"), [(1, 5), (2, 8), (3, 6), (4, 5)])
def test_the_most_different_subsequences_are_attained_and_never_exceeded(all_records, labels, length):
    """Every word over a small alphabet: the cyclic word is as rich as any."""
    words = all_records(labels, length, shortest=length)
    for k in range(1, length + 2):
        richest = max(len(_parts(word, k)) for word in words)
        assert richest == most_subsequences(length, k, labels), (labels, length, k)


def _parts(word, k):
    prefixes = {()}
    for x in word:
        prefixes |= {(*p, x) for p in prefixes if len(p) < k}
    return {p for p in prefixes if len(p) == k}


@pytest.mark.parametrize("how", ["shrink", "delete"])
@pytest.mark.parametrize(("labels", "k", "l_max"), [(2, 2, 2), (2, 3, 3), (3, 1, 2), (3, 2, 2), (3, 2, 3)])
def test_no_record_moves_shrunk_supports_further_than_stated(table, dense, all_records, labels, k, l_max, how):
    """All records of up to 7 (6) items against all, and against half, of the candidates."""
    every = np.array(list(product(range(labels), repeat=k)))
    for patterns in (every, every[::2], every[:1]):
        question = ShrunkSupports(patterns, l_max, how)
        moved = [sum(dense(question, table([r], labels), Record())) for r in all_records(labels, 7 if labels == 2 else 6)]
        assert max(moved) <= question.influence(Record())


def test_the_bound_on_shrunk_supports_is_tight(table, dense, all_records):
    """A record that is short enough already attains it."""
    every = np.array(list(product(range(3), repeat=2)))
    question = ShrunkSupports(every, l_max=3)

    assert 3 == question.influence(Record())
    assert 3 == max(sum(dense(question, table([r], 3), Record())) for r in all_records(3, 3))
    assert 4 * 3 == question.influence(User(max_sequences=4))


def test_the_kernel_stops_at_the_bound_whatever_it_is(table):
    """The clip holds even for a bound that the transformation would not keep by itself."""
    from seqveil.engines.local.shrinking import shrunk_supports

    every = np.array(list(product(range(3), repeat=2)))
    assert 2 == shrunk_supports(table([[0, 1, 2, 0, 1, 2]], 3).flat, every, 3, l_max=6, most=2).count.sum()


def test_transformations_are_local(table, dense):
    """What a record adds does not depend on the other records: supports of a table are the sum over its records."""
    every = np.array(list(product(range(3), repeat=2)))
    rows = [[0, 1, 2, 2, 1, 0], [2, 2, 2, 2, 1], [0, 1], [1, 0, 1, 0, 2, 1, 0, 2]]
    for question in (ShrunkSupports(every, 3), ShrunkSupports(every, 3, "delete")):
        alone = np.sum([dense(question, table([r], 3), Record()) for r in rows], axis=0)
        assert alone.tolist() == dense(question, table(rows, 3), Record())


def test_whole_records_can_move_every_support_at_once(table, dense):
    """Written one after the other, all patterns lie in one record: nothing below |C| is true."""
    every = np.array(list(product(range(3), repeat=2)))
    question = Supports(every)

    assert 9 == question.influence(Record())
    assert 9 == sum(dense(question, table([every.ravel().tolist()], 3), Record()))
    assert 18 == question.influence(User(max_sequences=2))


@pytest.mark.parametrize(("labels", "k", "l_max"), [(4, 2, 2), (5, 2, 3), (5, 3, 3), (5, 1, 2), (6, 3, 4)])
def test_no_set_moves_truncated_supports_further_than_stated(table, dense, labels, k, l_max):
    """All sets over a few items, against all and half of the itemsets."""
    from itertools import combinations

    every = np.array(list(combinations(range(labels), k)))
    sets = [list(s) for n in range(1, labels + 1) for s in combinations(range(labels), n)]
    for patterns in (every, every[::2]):
        question = TruncatedSupports(patterns, l_max)
        moved = [sum(dense(question, table([s], labels), Record())) for s in sets]
        assert max(moved) <= question.influence(Record())
    assert max(sum(dense(TruncatedSupports(every, l_max), table([s], labels), Record())) for s in sets) == TruncatedSupports(
        every, l_max
    ).influence(Record())


@pytest.mark.parametrize("make", [Supports, lambda p: ShrunkSupports(p, 3), lambda p: TruncatedSupports(p, 3)])
def test_patterns_that_would_be_counted_twice_are_refused(make):
    """A repeated pattern would double what a record can move; no patterns at all cannot be asked about."""
    for patterns in ([[0, 1], [0, 1]], [[]], [[-1, 0]]):
        with pytest.raises(CallError):
            make(np.array(patterns))
    with pytest.raises(CallError, match="record or a user"):
        make(np.array([[0]])).influence(Event())


def test_patterns_outside_the_domain_are_refused():
    """A code that no label has would be mistaken for another pattern."""
    pair = np.array([[0, 3]])
    for question in (Supports(pair), ShrunkSupports(pair, 2), TruncatedSupports(pair, 2)):
        assert 1 == question.slots(4)
        with pytest.raises(CallError, match="codes 0 to 2"):
            question.slots(3)
