"""Records of all strata in one order: none is lost or cut, and where one stands says nothing about it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.records.draw import mixed
from seqveil.tables.flat import Flat

PARTS = st.lists(st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=6), max_size=4)


@given(PARTS)
def test_the_records_are_those_of_the_parts(parts):
    together = mixed([Flat.of(part) for part in parts])

    assert sorted(record for part in parts for record in part) == sorted(record.tolist() for record in together)


def test_short_and_long_records_stand_everywhere():
    """One stratum after the other would put all short records into the first half."""
    together = mixed([Flat.of([[0]] * 500), Flat.of([[1, 1, 1]] * 500)])

    half = np.count_nonzero(together.lengths[:500] == 1)
    assert 200 < half < 300


def test_the_order_is_repeated():
    once, again = (mixed([Flat.of([[k] for k in range(100)])]) for _ in range(2))

    assert once.items.tolist() == again.items.tolist()
