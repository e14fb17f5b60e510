"""Tables of a record model: bisection agrees with a dictionary, blocks with lists, and odd columns are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.release.answers.sums import spread
from seqveil.release.model import Counted, SequenceCounts

SEQUENCES = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(st.sets(SEQUENCES, max_size=60), SEQUENCES)
@settings(deadline=None)
def test_a_sequence_is_found_where_it_is(chosen, other):
    rows = SequenceCounts.of(sorted(chosen), Counted.of(range(len(chosen))))
    rows.check(labels=4, shortest=1, longest=4)
    where = {rows.sequence(k): k for k in range(len(rows))}

    assert chosen == set(where)
    assert all(rows.find(list(sequence)) == where.get(sequence) for sequence in [*chosen, other])


@given(st.sets(SEQUENCES, max_size=40), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_blocks_in_any_order_give_the_same_table_as_lists(chosen, random):
    """Every row keeps its own count, answer and scales."""
    listed = list(chosen)
    random.shuffle(listed)
    blocks = []
    for length in {len(sequence) for sequence in listed}:
        of_length = [sequence for sequence in listed if len(sequence) == length]
        counts = Counted.of([hash(s) % 97 for s in of_length], [hash(s) % 89 for s in of_length], [1.0] * length)
        blocks.append((np.array(of_length), counts))
    random.shuffle(blocks)
    rows = SequenceCounts.blocks(blocks)

    rows.check(labels=4, shortest=1, longest=4)
    for k in range(len(rows)):
        sequence = rows.sequence(k)
        assert hash(sequence) % 97 == rows.counted.count[k]
        assert hash(sequence) % 89 == rows.counted.noisy[k]
        assert (1.0,) * len(sequence) == rows.counted.scales(k)
    assert chosen == {rows.sequence(k) for k in range(len(rows))}


def test_an_unmeasured_row_has_no_interval_beside_measured_ones():
    rows = Counted.joined([Counted.of([7.0]), Counted.of([5.0, 6.0], [5, 9], [1.0], measured=[True, False])])

    assert [False, True, False] == rows.measured.tolist()
    assert ["estimate", "count", "estimate"] == [answer.kind for answer in rows.answers(range(3), "records")]
    assert "estimate" == rows.total([0, 1], [1, 1], "records").kind


@pytest.mark.parametrize(("count", "noisy"), [(100.0, 400), (900.0, 400), (0.4, -80), (0.0, -500)])
def test_the_count_is_shown_as_it_is_and_lies_in_its_interval(count, noisy):
    """Where model and answer disagree, the interval is widened; it still covers all that the answer does not rule out."""
    answer = Counted.of([count], [noisy], [20.0, 3.0]).answers([0], "records")[0]
    reach = spread((20.0, 3.0), 0.05)

    assert count == answer.value
    assert answer.low <= min(count, max(noisy - reach, 0))
    assert answer.high >= max(count, max(noisy + reach, 0))
    assert answer.low in {int(count), max(noisy - reach, 0)}
    assert 0 <= answer.low


ODD = [
    (Counted.of([-1.0]), "negative or not a number"),
    (Counted.of([np.nan]), "negative or not a number"),
    (Counted.of([1.0], [1], []), "no scales"),
    (Counted.of([1.0], [1], [1.0] * 65), "no scales, or too many"),
    (Counted.of([1.0], [1], [-1.0]), "scale is negative"),
    (Counted.of([1.0], [1], [np.inf]), "scale is negative or not a number"),
    (Counted(np.ones(2), np.ones(1, np.int64), np.zeros(2, np.int32), ((1.0,),)), "differ in length"),
    (Counted(np.ones(1), np.ones(1, np.int64), np.ones(1, np.int32), ((1.0,),)), "law that is not there"),
]


@pytest.mark.parametrize(("rows", "problem"), ODD)
def test_odd_counts_are_refused(rows, problem):
    with pytest.raises(CallError, match=problem):
        rows.check()


def _rows(symbols, offsets):
    return SequenceCounts(np.array(symbols, np.int32), np.array(offsets), Counted.of([1.0] * (len(offsets) - 1)))


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (_rows([0, 0], [0, 1, 2]), "canonical order"),
        (_rows([1, 0], [0, 1, 2]), "canonical order"),
        (_rows([0, 1, 0, 0], [0, 2, 4]), "canonical order"),
        (_rows([0, 1, 2], [0, 2, 3]), "shorter sequences"),
        (_rows([3], [0, 1]), "outside the domain"),
        (_rows([-1], [0, 1]), "outside the domain"),
        (_rows([0, 0, 0], [0, 3]), "1 to 2 labels"),
        (_rows([], [0, 0]), "1 to 2 labels"),
        (_rows([0, 1], [0, 1]), "do not span"),
    ],
)
def test_odd_sequences_are_refused(rows, problem):
    with pytest.raises(CallError, match=problem):
        rows.check(labels=3, shortest=1, longest=2)
