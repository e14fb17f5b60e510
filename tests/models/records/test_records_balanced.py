"""Targets of two levels that agree, and weights that keep every walk possible."""

import numpy as np

from seqveil.models.records.ends import Ends
from seqveil.models.records.expect import FLOOR
from seqveil.models.records.fit import LEAST, MOST_LOG
from seqveil.models.records.stratum import balanced, candidates, deepen, fit_alone, fit_pairs


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


def test_a_vague_count_moves_to_what_its_precise_contexts_say():
    """The step 0 → 1 was counted 100 times, within ten or so; after the only context that ends with 0 it was counted 60 times."""
    total, spread = np.full((3, 3), 1e-6), np.full((3, 3), 1e-6)
    cells, loose = np.full((1, 3), 1e-6), np.full((1, 3), 1e-6)
    total[0, 1], spread[0, 1], total[2, 0], cells[0, 1] = 100.0, 100.0, 60.0, 60.0
    parent, label, suffix = np.array([2]), np.array([0]), np.array([0], np.int32)
    out, kept = balanced(total, spread, cells, loose, parent, label, suffix, np.zeros(1), np.zeros((3, 3)))
    assert abs(kept[0, 1] - 60) < 1
    assert abs(out[0, 1] - 60) < 3


def test_precise_margins_of_records_of_two_items_are_met():
    """First labels along the rows, last ones along the columns, where the table itself is mostly noise."""
    first, last = np.array([600.0, 300.0, 100.0]), np.array([200.0, 100.0, 700.0])
    answer = np.rint(np.outer(first, last) / 1000 + np.random.default_rng(1).laplace(0, 60, (3, 3))).astype(np.int64)
    trips = fit_alone(answer.ravel(), 60.0, np.full((3, 3), 1000 / 9), 1000.0, (first, 1e-3), (last, 1e-3))
    assert np.abs(trips.sum(axis=1) - first).max() < 1
    assert np.abs(trips.sum(axis=0) - last).max() < 1


def test_vague_margins_of_records_of_two_items_give_way_to_the_sums_of_their_table():
    table = np.array([[300, 200, 100], [100, 100, 100], [0, 50, 50]])
    vague = np.full(3, 1000 / 3), 1e9
    trips = fit_alone(table.ravel(), 1.0, np.full((3, 3), 1000 / 9), 1000.0, vague, vague)
    assert np.abs(trips.sum(axis=1) - table.sum(axis=1)).max() < 3
    assert np.abs(trips.sum(axis=0) - table.sum(axis=0)).max() < 3


def test_the_most_frequent_grams_become_contexts():
    pairs = np.array([[40.0, 5.0], [90.0, 20.0]])
    first, last = np.array([60.0, 95.0]), np.array([75.0, 80.0])
    two = np.array([0.0, 1.0])
    stratum = fit_pairs(
        pairs.ravel().astype(np.int64), 0.01, first + last, Ends(pairs, two, two, None, (1.0, 1.0, 1.0)), np.ones((2, 2)), 2, 2
    )
    stratum.total = pairs
    assert [one.tolist() for one in candidates(stratum, 10.0, 2)] == [[0, 1], [0, 0]]
    assert [one.tolist() for one in candidates(stratum, 10.0, 9)] == [[0, 1, 1], [0, 0, 1]]


def test_records_that_end_with_a_gram_are_not_missed_after_it():
    """Of 500 records x a b, 300 end there and 200 go on to c. Noise of ten would let both counts give way to each other."""
    x, a, b, c = range(4)
    trips, pairs = np.zeros((4, 4)), np.zeros((4, 4), np.int64)
    trips[x, b], trips[x, c] = 300.0, 200.0
    pairs[x, a] = pairs[a, b] = 500
    pairs[b, c] = 200
    open_ = np.array([0.0, 0.0, 0.6, 0.4])
    ends = Ends(trips, open_, open_, None, (1.0, 1.0, 1.0))
    label = np.array([500.0, 500.0, 500.0, 200.0])
    stratum = fit_pairs(pairs.ravel(), 10.0, label, ends, pairs + 1e-3, 3, 4)

    deeper = deepen(stratum, np.array([a]), np.array([b]), np.array([0, 0, 0, 200]), 10.0)

    assert abs(deeper.total[a, b] - 500) < 10
    assert abs(deeper.total[4, c] - 200) < 10
