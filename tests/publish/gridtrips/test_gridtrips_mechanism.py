"""Trips over a grid: what they keep, what they cost, and what they bear."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.models.gridtrips.draw import drawn
from seqveil.models.gridtrips.fit import fitted
from seqveil.models.gridtrips.grid import Grid
from seqveil.publish.gridtrips.asking import Noisy, divided, flows, questions
from seqveil.publish.gridtrips.estimates import evidence, number
from seqveil.simulate.streets import Town
from seqveil.tables.sequences import SequenceTable
from seqveil.wall import GRAINS

SIDE = 12
DOMAIN = sv.Domain.range(1, SIDE * SIDE, public_because="cells of a declared grid")


@pytest.fixture(scope="module")
def town():
    """A small town, and its trips as cells."""
    town_map = Town.grid(size=10, seed=3, popular=3, width=2.0)
    return SequenceTable(DOMAIN, town_map.trips(4_000, seed=3).on(town_map.box, SIDE, SIDE), None)


@pytest.fixture(scope="module")
def release(town):
    return sv.experiment(town, sv.GridTrips(l_max=25), epsilon="4.0", seed=1)


def test_trips_have_the_number_the_lengths_and_the_ends_of_the_raw_ones(town, release):
    """At ε = 4: within 2 % and within 5 % of the records."""
    raw, synthetic = town.flat, release.synthetic
    most = int(max(raw.lengths.max(), synthetic.lengths.max())) + 1
    lengths = [np.bincount(flat.lengths, minlength=most) for flat in (raw, synthetic)]
    block = Grid.square(SIDE * SIDE).blocks(3)
    codes = [block[flat.items] for flat in (raw, synthetic)]
    pairs = zip(codes, (raw, synthetic), strict=True)
    ends = [np.bincount(c[f.offsets[:-1]] * 9 + c[f.offsets[1:] - 1], minlength=81) for c, f in pairs]

    assert len(synthetic) == pytest.approx(len(raw), rel=0.02)
    for counts in (lengths, ends):
        assert np.abs(counts[0] - counts[1]).sum() / 2 < 0.06 * len(raw)


def test_trips_go_where_the_raw_ones_go_and_do_not_jump(town, release):
    """Steps between blocks are those of the raw data, give or take noise; no step is longer than two cells."""
    grid = Grid.square(SIDE * SIDE)
    block = grid.blocks(6)
    shares = []
    for flat in (town.flat, release.synthetic):
        steps = flat.steps(SIDE * SIDE)
        here, there = np.divmod(steps, SIDE * SIDE)
        crossing = block[here] != block[there]
        shares.append(np.bincount(block[here][crossing] * 36 + block[there][crossing], minlength=36 * 36))
    row, column = grid.place

    assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.12 * shares[0].sum()
    assert max(np.abs(row[here] - row[there]).max(), np.abs(column[here] - column[there]).max()) <= 2


def test_what_was_measured_has_an_interval(town, release):
    """First cells, last cells and lengths; everything else is an estimate."""
    first = town.flat.items[town.flat.offsets[:-1]]
    cell = int(np.bincount(first).argmax())
    answer = release.first(str(cell + 1))

    assert answer.low <= int((first == cell).sum()) <= answer.high
    assert release.length(9).low is not None
    assert release.count([str(cell + 1)]).low is None


@pytest.mark.parametrize(("labels", "columns"), [(1, 1), (2, 2), (3, 2), (36, 6), (49, 7), (900, 30)])
@pytest.mark.parametrize("l_max", [1, 2, 60])
def test_all_of_epsilon_is_divided(labels, columns, l_max):
    """Whatever the grid; and a record moves steps by no more than it has."""
    grid = Grid(labels, columns)
    stages = questions(grid, l_max)
    paid = divided(GRAINS, stages)

    assert GRAINS == sum(paid.values())
    assert min(paid.values()) > 0
    assert paid.keys() == stages.keys()
    for stage, _ in flows(grid):
        if stage in stages:
            assert stages[stage].most <= l_max - 1


@settings(max_examples=40, deadline=None)
@given(data=st.data(), labels=st.integers(1, 12), l_max=st.integers(1, 6), size=st.sampled_from([1, 40, 10**6]))
def test_any_noise_gives_trips_within_the_grid(data, labels, l_max, size):
    """Answers of any size and sign: as many trips as were estimated or fewer, none longer than l_max."""
    grid = Grid.square(labels)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    answers = {
        stage: Noisy(random.integers(-size, 2 * size, question.slots(labels)), float(question.influence(sv.Record())) * 10)
        for stage, question in questions(grid, l_max).items()
    }
    trips = number(answers)
    if trips < 1:
        return
    law = fitted(evidence(grid, answers, trips), signal=1.0)
    records = drawn(law, min(1.0, 1_000 / trips))

    assert np.isfinite(law.expected).all()
    assert len(records) <= min(trips, 1_000) + 1
    assert records.lengths.max(initial=0) <= l_max
    assert not len(records.items) or 0 <= records.items.min() <= records.items.max() < labels


def test_what_cannot_go_well_is_refused_before_anything_is_spent():
    """Grids that are too large, labels with times, too little ε."""
    with pytest.raises(CallError, match="at most 2,500"):
        sv.GridTrips().plan(GRAINS, sv.Domain.range(1, 3_000, public_because="a test"), sv.Record())
    with pytest.raises(CallError, match="too small"):
        sv.GridTrips().plan(500, DOMAIN, sv.Record())
    with pytest.raises(CallError, match="from 1 to 2,500 cells"):
        sv.GridTrips(columns=0)
    with pytest.raises(CallError, match="without times"):
        sv.GridTrips().plan(GRAINS, DOMAIN.at_times(sv.Calendar.parse("60m")), sv.Record())


def test_a_plan_says_when_trips_are_few():
    """Fewer trips than pairs of blocks can be told from noise."""
    assert sv.GridTrips().plan(GRAINS, DOMAIN, sv.Record(), 500).warnings
    assert not sv.GridTrips().plan(GRAINS, DOMAIN, sv.Record(), 50_000).warnings
