"""Frequent sequences of records, against all of them counted one by one."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from seqveil.release.model.frequent import frequent
from seqveil.tables.flat import Flat


@given(st.lists(st.lists(st.integers(0, 2), max_size=7), max_size=12), st.integers(1, 5), st.integers(1, 3), st.integers(0, 4))
def test_all_that_occur_often_enough_with_their_numbers(records, least, shortest, more):
    longest = shortest + more
    true = Counter(tuple(r[i : i + n]) for r in records for n in range(shortest, longest + 1) for i in range(len(r) - n + 1))

    listed = [(tuple(row), int(n)) for matrix, number in frequent(Flat.of(records), least, shortest, longest)
              for row, n in zip(matrix.tolist(), number, strict=True)]  # fmt: skip

    assert dict(listed) == {codes: n for codes, n in true.items() if n >= least}
    assert [codes for codes, _ in listed] == sorted(dict(listed), key=lambda codes: (len(codes), codes))
