"""Margins, apportionment, states and the symbol OTHER, by hand and by property."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.models.records.alphabet import Strong
from seqveil.models.records.apportion import apportioned, diffused
from seqveil.models.records.margins import closed_proportional, corrected, levelled, on_simplex, proportional
from seqveil.models.records.resolve import resolved
from seqveil.models.records.states import States
from seqveil.tables.flat import Flat

SIZES = st.integers(1, 6)


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    rows, columns = draw(SIZES), draw(SIZES)
    return np.array(draw(st.lists(st.floats(0.01, 1e4), min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)


def test_proportional_fitting_of_a_hand_table() -> None:
    """Margins (40, 60) × (30, 70) of a table with cross ratio 1·4 / (2·3): the known solution keeps that ratio."""
    out = proportional(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([40.0, 60.0]), np.array([30.0, 70.0]), rounds=200)

    assert out.sum(axis=1) == pytest.approx([40, 60])
    assert out.sum(axis=0) == pytest.approx([30, 70], rel=1e-4)
    assert out[0, 0] * out[1, 1] / (out[0, 1] * out[1, 0]) == pytest.approx(4 / 6, rel=1e-6)


@given(tables(), st.randoms(use_true_random=False))
def test_proportional_fitting_meets_margins(table: np.ndarray, random: object) -> None:
    other = table[::-1, ::-1] + 1
    out = proportional(table, other.sum(axis=1), other.sum(axis=0), rounds=2000)

    assert out.sum(axis=1) == pytest.approx(other.sum(axis=1))
    assert out.sum(axis=0) == pytest.approx(other.sum(axis=0), rel=0.05)


def test_three_ways() -> None:
    random = np.random.default_rng(1)
    truth = random.uniform(1, 9, (4, 4))
    out = closed_proportional(np.ones((4, 4)), truth.sum(axis=1), truth.sum(axis=0), float(np.trace(truth)), rounds=500)

    assert np.trace(out) == pytest.approx(np.trace(truth), rel=1e-3)
    assert out.sum(axis=0) == pytest.approx(truth.sum(axis=0), rel=1e-3)


@pytest.mark.parametrize(
    ("rows", "columns", "diagonal", "nearest"),
    [
        ([90.0], [90.0], 0.0, 90),
        ([90.0, 0.0], [90.0, 0.0], 5.0, 90),
        ([80.0, 20.0], [70.0, 30.0], 10.0, 50),
        ([9.0, 1], [1, 9], 9, 2),
    ],
)
def test_no_records_vanish_where_so_many_cannot_return(
    rows: list[float], columns: list[float], diagonal: float, nearest: float
) -> None:
    out = closed_proportional(np.ones((len(rows), len(rows))), np.array(rows), np.array(columns), diagonal, rounds=500)

    assert out.sum(axis=1) == pytest.approx(rows)
    assert out.sum(axis=0) == pytest.approx(columns, abs=0.5)
    assert np.trace(out) == pytest.approx(nearest, abs=0.5)


def test_an_empty_table_of_one_label_gets_its_margins() -> None:
    assert proportional(np.zeros((1, 1)), np.array([7.0]), np.array([7.0])).tolist() == [[7.0]]


def test_corrections_leave_precise_cells_alone() -> None:
    table, variance = np.array([[100.0, 10.0], [10.0, 10.0]]), np.array([[0.0, 4.0], [4.0, 4.0]])
    out = corrected(table, variance, np.array([104.0, 22.0]), np.array([106.0, 20.0]), rounds=200)

    assert out[0, 0] == pytest.approx(100, abs=0.6)  # in proportion it would have moved most
    assert out.sum(axis=1) == pytest.approx([104, 22], rel=1e-3)


def test_corrections_meet_the_rows_exactly_where_cells_were_cut_off_at_zero() -> None:
    table, variance = np.array([[100.0, 0.5, 0.0], [0.0, 0.2, 50.0]]), np.array([[9.0, 9.0, 9.0], [1.0, 9.0, 0.1]])
    out = corrected(table, variance, np.array([60.0, 90.0]), np.array([50.0, 30.0, 70.0]), rounds=2)

    assert (out >= 0).all()
    assert out.sum(axis=1) == pytest.approx([60, 90], rel=1e-9)
    assert out.sum(axis=0) == pytest.approx([50, 30, 70], rel=0.02)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.floats(0, 1000))
def test_sums_are_met_without_negatives(values: list[float], total: float) -> None:
    array = np.array(values)
    for out in (on_simplex(array, total), levelled(array, np.ones(len(array)), total)):
        assert (out >= 0).all()
        assert out.sum() == pytest.approx(total, abs=1e-6)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.integers(0, 10**7))
def test_apportioned_keeps_the_total(values: list[float], total: int) -> None:
    out = apportioned(np.array(values), total)

    assert out.sum() == total
    assert (out >= 0).all()
    if sum(values) > 1e-3:
        assert np.abs(out - np.array(values) * total / sum(values)).max() <= 1 + 1e-6 * total


@given(tables())
def test_diffusion_keeps_every_cell_and_the_total(table: np.ndarray) -> None:
    out = diffused(table)

    assert (out >= 0).all()
    assert np.abs(out - table).max() <= 2 + 0.5 * max(table.shape)
    assert abs(out.sum() - table.sum()) <= 0.5 + 1e-6


@pytest.mark.parametrize("share", [0.002, 0.02, 0.49])
def test_a_table_of_rare_cells_keeps_its_number_of_records(share: float) -> None:
    """65 × 65 cells with far less than one record each: errors that rows and columns keep to themselves would add up."""
    table = np.random.default_rng(3).uniform(0, 2 * share, (65, 65))
    out = diffused(table)

    assert out.sum() == round(table.sum())
    assert np.abs(out.sum(axis=1) - table.sum(axis=1)).max() < 2
    assert np.abs(out.sum(axis=0) - table.sum(axis=0)).max() < 2


def test_contexts_pass_their_counts_to_their_suffix() -> None:
    states = States.single(2).refined(np.array([0, 1]), np.array([1, 1])).refined(np.array([2]), np.array([1]))
    own = np.arange(10.0).reshape(5, 2)

    total = states.gathered(own)

    # (0,1,1) ends with (1,1), which ends with 1; (0,1) ends with 1.
    assert total.tolist() == [[0, 1], [2 + 4 + 6 + 8, 3 + 5 + 7 + 9], [4, 5], [6 + 8, 7 + 9], [8, 9]]
    values = np.arange(10.0).reshape(5, 2) ** 2
    assert (states.handed_down(values) * own).sum() == (values * total).sum()


def test_other_becomes_weak_labels_as_often_as_they_occur() -> None:
    strong = Strong(4, np.array([2]))  # symbols: 0 is label 2, 1 is OTHER
    records = Flat.of([[0, 1, 1]] * 30 + [[1, 0, 1]] * 30 + [[1]] * 30)

    out = resolved(
        records, strong, np.array([2.0, 1.0, 9.0, 0.0]), np.array([0.0, 0.0, 9.0, 5.0]), np.array([0.0, 3.0, 9.0, 3.0])
    )

    firsts = [int(r[0]) for r in out]
    assert [firsts.count(k) for k in range(4)] == [40, 20, 30, 0]
    assert {int(r[-1]) for r in out if len(r) > 1} == {3}
    inner = [int(r[1]) for r in out if len(r) > 1]
    assert [inner.count(k) for k in range(4)] == [0, 15, 30, 15]


def test_closed_records_of_weak_labels_return_to_the_same_one() -> None:
    strong = Strong(3, np.array([0]))
    records = Flat.of([[1, 0, 1]] * 40)

    out = resolved(records, strong, np.array([0.0, 1, 1]), np.array([0.0, 1, 1]), np.array([0.0, 1, 1]), closed=25.0)

    assert sum(int(r[0]) == int(r[-1]) for r in out) >= 25
