"""What formulas say about an average label is true of its own noise."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.publish.average import ACCURATE, USUAL_LENGTH, average_label


@given(st.integers(1, 10**9), st.integers(1, 10**6), st.integers(1, 100), st.floats(0.1, 1e6))
def test_with_the_advised_records_noise_is_a_tenth_of_an_average_count(records, labels, l_max, noise):
    """And with one record fewer it is more."""
    number = re.search(r"from about ([\d,]+) records on", average_label(records, labels, l_max, noise)[1])
    assert number is not None
    enough, each = int(number[1].replace(",", "")), min(l_max, USUAL_LENGTH) / labels

    assert enough * each >= ACCURATE * noise * (1 - 1e-9)
    assert (enough - 1) * each <= ACCURATE * noise * (1 + 1e-9)


@pytest.mark.parametrize(("l_max", "times"), [(1, "20"), (5, "100"), (50, "100")])
def test_records_are_not_longer_than_they_are_cut(l_max, times):
    """A thousand records over fifty labels."""
    assert average_label(1000, 50, l_max, 1.0)[0].endswith(f"an average label occurs about {times} times")
