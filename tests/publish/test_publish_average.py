"""What formulas say about an average label: how often it occurs, and how many records make its count accurate."""

from __future__ import annotations

import pytest

from seqveil.publish.average import ACCURATE, USUAL_LENGTH, average_label


@pytest.mark.parametrize(("l_max", "length"), [(2, 2), (USUAL_LENGTH, USUAL_LENGTH), (50, USUAL_LENGTH)])
def test_records_are_taken_to_be_short_unless_the_cut_makes_them_shorter(l_max, length):
    occurs, enough = average_label(10_000, labels=100, l_max=l_max, noise=30.0)

    assert f"about {100 * length:,} times" in occurs
    assert f"about {ACCURATE * 30 * 100 // length:,} records" in enough


def test_twice_the_noise_needs_twice_the_records():
    few, many = (average_label(1_000, labels=40, l_max=4, noise=noise)[1] for noise in (10.0, 20.0))

    assert "about 1,000 records" in few
    assert "about 2,000 records" in many
