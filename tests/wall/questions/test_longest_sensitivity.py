"""Largest supports by length and the k-th largest support move by at most one per record, by enumeration."""

import numpy as np
import pytest

from seqveil.errors import CallError
from seqveil.tables.units import Record, User
from seqveil.wall.questions.longest import KthSupport, LengthSupport, LongestSupports

QUESTIONS = [
    *(LongestSupports(longest, floor, most) for longest in (1, 3) for floor in (1, 2) for most in (1, 3, 1000)),
    *(LengthSupport(length, floor, most) for length in (1, 2) for floor in (1, 3) for most in (2, 1000)),
    *(KthSupport(k, longest) for k, longest in ((1, 1), (2, 1), (1, 3), (2, 3), (5, 3), (9, 3))),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_one_more_record_raises_every_count_by_zero_or_one(question, table, dense, all_records):
    """Forty small tables, each with every record over two labels of up to four items added."""
    random = np.random.default_rng(5)
    raised = set()
    for _ in range(40):
        rows = [random.integers(0, 2, random.integers(1, 6)).tolist() for _ in range(random.integers(0, 6))]
        before = np.array(dense(question, table(rows, 2), Record()))
        for extra in all_records(2, 4):
            change = np.array(dense(question, table([*rows, extra], 2), Record())) - before
            assert set(change.tolist()) <= {0, 1}, (rows, extra)
            raised |= set(change.tolist())
    assert {0, 1} == raised


@pytest.mark.parametrize("longest", [1, 2, 4])
def test_floored_supports_equal_enumeration(longest, table, dense, every_support):
    """Slot j is length longest − j."""
    rows = [[0, 1, 2, 0], [0, 1, 1], [2, 0, 1], [1, 1, 1, 1], [0, 2]]
    counts = every_support(rows, longest)
    expected = [max([n for p, n in counts.items() if len(p) == i] + [2]) for i in range(longest, 0, -1)]

    assert expected == dense(LongestSupports(longest, 2, 10**6), table(rows, 3), Record())
    assert expected[:1] == dense(LengthSupport(longest, 2, 10**6), table(rows, 3), Record())


def test_the_kth_support_equals_enumeration(table, dense, every_support):
    """0 where fewer than k patterns occur."""
    rows = [[0, 1, 2, 0], [0, 1, 1], [2, 0, 1], [1, 1, 1, 1], [0, 2]]
    ranked = sorted(every_support(rows, 3).values(), reverse=True)

    assert [*ranked, 0] == [dense(KthSupport(k, 3), table(rows, 3), Record())[0] for k in range(1, len(ranked) + 2)]


def test_what_a_user_can_move():
    """m records move every count by m."""
    many = User(max_sequences=3)

    assert (3, 12, True) == (
        LongestSupports(4, 1, 9).step(many),
        LongestSupports(4, 1, 9).influence(many),
        LongestSupports(4, 1, 9).monotone,
    )
    assert (3, 3) == (KthSupport(2, 4).influence(many), LengthSupport(2, 1, 9).influence(many))


@pytest.mark.parametrize("make", [lambda: LongestSupports(0, 1, 1), lambda: LengthSupport(1, 0, 1), lambda: KthSupport(0, 1)])
def test_bounds_below_one_are_refused(make):
    """Lengths, floors and numbers of patterns start at 1."""
    with pytest.raises(CallError):
        make()
