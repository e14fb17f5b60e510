"""Times of drawn records: weak labels are dealt out by time, and nothing but their owners changes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.models.records.moments import dealt, possible
from seqveil.tables.calendar import Calendar
from seqveil.tables.flat import Flat

BINS = 3
RECORDS = st.lists(st.lists(st.integers(0, 11), max_size=5), max_size=8)
WEAK = np.arange(12) >= 4


def classes(flat):
    """How often every label is a first, a last and another item."""
    lists = [record.tolist() for record in flat if len(record)]
    firsts, lasts = [one[0] for one in lists], [one[-1] for one in lists if len(one) > 1]
    return sorted(firsts), sorted(lasts), sorted(item for one in lists for item in one[1:-1])


@given(RECORDS)
def test_dealing_moves_weak_labels_only_and_keeps_all_counts(records):
    flat = Flat.of(records)
    again = dealt(flat, BINS, WEAK)

    assert classes(again) == classes(flat)
    assert again.offsets.tolist() == flat.offsets.tolist()
    assert again.items[~WEAK[flat.items]].tolist() == flat.items[~WEAK[flat.items]].tolist()


def test_weak_ends_follow_the_time_of_strong_beginnings():
    """Strong label 0 early, 2 late; weak ends 3·k + bin in the wrong records."""
    flat = Flat.of([[0, 8], [2, 6], [0, 11], [2, 9]])
    again = dealt(flat, BINS, WEAK)

    assert [(one % BINS).tolist() for one in again] == [[0, 0], [2, 2], [0, 0], [2, 2]]


@given(st.integers(0, 10**6))
def test_no_record_ends_before_it_begins_and_sums_stay(seed):
    """Every first symbol has a last one that is possible, itself."""
    chance = np.random.default_rng(seed)
    cells, when = chance.random((2, 5, 5)) + 0.1, np.array([2, 0, 1, 1])
    out = possible(cells, when)

    assert (out[:, :4, :4][:, when[:, None] > when[None, :]] == 0).all()
    assert np.abs(out.sum(axis=1) - cells.sum(axis=1)).sum() <= 0.1 * cells.sum()  # at most 0.08 over 20,000 seeds
    assert np.allclose(out.sum(axis=2), cells.sum(axis=2), rtol=1e-6)


def test_records_that_can_only_end_early_are_kept():
    cells = np.array([[[0.0, 0.0], [7.0, 0.0]]])

    assert possible(cells, np.array([0, 1])).tolist() == cells.tolist()


def test_the_record_model_runs_forward_where_most_labels_are_weak():
    """40 places by 24 hours in 3,000 trips: hardly a label stands out, and every trip takes an hour."""
    hours = sv.Domain.range(1, 40).at_times(Calendar.parse("60m"))
    chance = np.random.default_rng(5)
    first, last, hour = chance.integers(0, 40, 3000), chance.integers(0, 40, 3000), chance.integers(5, 22, 3000)
    table = sv.SequenceTable(
        hours, Flat(np.stack([first * 24 + hour, last * 24 + hour + 1], axis=1).reshape(-1), np.arange(3001) * 2)
    )
    records = sv.experiment(table, sv.RecordModel(l_max=2), "1.0", seed=1).synthetic
    pairs = records.items[np.stack([records.offsets[:-1], records.offsets[1:] - 1])][:, records.lengths == 2] % 24

    assert (pairs[1] >= pairs[0]).all()
    assert np.median(pairs[1] - pairs[0]) <= 3  # dealt at random it would be 6
