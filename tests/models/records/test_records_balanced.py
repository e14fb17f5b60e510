"""Targets of two levels that agree, and weights that keep every walk possible."""

import numpy as np

from seqveil.models.records.expect import FLOOR
from seqveil.models.records.fit import LEAST, MOST_LOG
from seqveil.models.records.stratum import balanced, fit_alone


def test_cells_that_are_all_but_empty_do_not_collect_what_is_missing():
    """The gram 1·0 occurs 1,000 times, its children say 900: the missing ones belong to the child that is there."""
    total, cells = np.full((50, 50), 0.001), np.full((1, 50), 0.001)
    rest = np.zeros_like(total)
    total[1, 0], cells[0, 5] = 1000.0, 900.0
    total[0, 5], rest[0, 5] = 2000.0, 1100.0
    spread, loose = np.full_like(total, 50.0), np.full_like(cells, 50.0)
    spread[1, 0] = 0.0
    parent, label, suffix = np.array([1]), np.array([0]), np.array([0], np.int32)
    _, out = balanced(total, spread, cells, loose, parent, label, suffix, np.zeros(1), rest)
    assert out[0, 5] > 990
    assert out[0].sum() - out[0, 5] < 5


def test_a_walk_of_two_unlikely_steps_is_told_from_none():
    """The least weight beside the largest, twice: messages below their floor would make such records draw labels evenly."""
    least, most = LEAST * np.exp(-MOST_LOG), np.exp(MOST_LOG)
    assert (least / most) ** 2 > FLOOR


def test_records_of_two_items_do_not_vanish_when_all_answers_are_far_below_zero():
    answer, shape = np.full(9, -(10**6), np.int64), np.ones((3, 3))
    margin = np.zeros(3), 2 * 50.0**2
    trips = fit_alone(answer, 5.0, shape, 900.0, margin, margin)
    assert abs(trips.sum() - 900) < 1e-6
    assert (trips >= 0).all()
