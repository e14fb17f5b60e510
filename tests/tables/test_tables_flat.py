"""Flat: steps from an item to the next one, compared with a loop over the records."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from seqveil.tables.flat import Flat

LABELS = 4


@given(st.lists(st.lists(st.integers(0, LABELS - 1), max_size=4), max_size=6))
def test_a_step_never_leads_from_one_record_into_the_next(records: list[list[int]]):
    """Also with empty records at the beginning, in between and at the end."""
    by_hand = [LABELS * a + b for record in records for a, b in pairwise(record)]

    assert by_hand == Flat.of(records).steps(LABELS).tolist()
