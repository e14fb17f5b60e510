"""Counts of grams that are no target of the fit: the shorter gram's count times the rate at which its latest context goes on."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.models.records.ends import Ends
from seqveil.models.records.states import States
from seqveil.models.records.stratum import Stratum
from seqveil.publish.records.rates import gram_counts

TOTAL = np.array([[10.0, 40.0, 5.0], [20.0, 8.0, 30.0], [25.0, 6.0, 70.0], [12.0, 4.0, 20.0]])
"""After 0, 1, 2, and after the context 0·1, each label."""


def model() -> Stratum:
    states, one, none = States.single(3).refined(np.array([0]), np.array([1])), np.ones(1), np.zeros((4, 3))
    ends, label = Ends(np.eye(3), one, one, None), np.array([80.0, 90.0, 60.0])
    return Stratum(2, 9, ends, label, states, TOTAL, none, none, none, none, np.zeros((1, 3, 3), np.float32))


@pytest.mark.parametrize(
    ("gram", "count"),
    [
        ([0, 1], 40.0),
        ([0, 1, 2], 20.0),  # a context was asked for: its own answer
        ([0, 1, 2, 0], 20.0 * 25 / 60),
        ([1, 2, 0], 30.0 * 25 / 60),  # no context 1·2: as often as 0 follows 2
        ([1, 0, 1, 2], 20.0 * 40 / 80 * 20 / 40),
        ([1, 2, 2], 30.0),  # 2 is said to follow 2 more often than 2 occurs: no more than all
    ],
)
def test_a_gram_occurs_as_often_as_its_walk_says(gram: list[int], count: float) -> None:
    assert gram_counts(model(), np.array([gram], np.int32)) == pytest.approx([count])
