"""The fitted law meets its targets, by their precision, and drawn trips are those that it expects."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.models.gridtrips.draw import drawn
from seqveil.models.gridtrips.fit import Evidence, Fit, Target, fitted
from seqveil.models.gridtrips.grid import REACH, Grid

GRID = Grid(36, 6)
AROUND, PRECISE = 40.0, 1e9

LENGTHS = np.array([0.0, 50.0, 200.0, 300.0, 250.0, 200.0])


def evidence(variance: float) -> Evidence:
    """A thousand trips between four blocks, more of them clockwise around the middle than plain walks would take."""
    random = np.random.default_rng(4)
    block, moves = GRID.blocks(2), GRID.moves
    pairs = random.random((4, 4))
    pairs *= LENGTHS.sum() / pairs.sum()
    ends = [np.bincount(block, minlength=4)[block] ** -1.0 * pairs.sum(axis=axis)[block] for axis in (1, 0)]
    listed = moves.listed(block, within=False)
    at = np.where(moves.cell >= 0, listed[block[:, None], block[np.maximum(moves.cell, 0)]], -1).astype(np.int64)
    frequency = np.where((abs(moves.step) <= 1).all(axis=1), 1.0, 0.05)
    plain = Evidence(
        block, pairs, *(Target(t, np.ones(len(t))) for t in (LENGTHS, *ends)), moves, frequency / frequency.sum(), []
    )
    fit = Fit(plain)
    wanted = steps(drawn(fit.expected(np.zeros(len(fit.target)))[2]), block, listed)
    for a, b in ((0, 1), (1, 3), (3, 2), (2, 0)):
        wanted[listed[a, b]] += AROUND
    flows = [(at, Target(wanted, np.full(len(wanted), variance)))]
    return Evidence(block, pairs, plain.length, plain.first, plain.last, moves, plain.frequency, flows)


def steps(records, block, listed):
    """How often drawn records step from block to block."""
    counts = np.zeros(listed.max() + 1)
    for record in records:
        slots = listed[block[record[:-1]], block[record[1:]]]
        np.add.at(counts, slots[slots >= 0], 1)
    return counts


def test_precise_counts_are_met_and_loose_ones_are_not():
    """With a small variance steps are taken about as often as they should be, with a large one as plain walks take them."""
    tight, loose = evidence(1.0), evidence(1e6)
    listed = GRID.moves.listed(tight.block, within=False)
    slots, wanted = [listed[a, b] for a, b in ((0, 1), (1, 3), (3, 2), (2, 0))], tight.flows[0][1].count
    missing = [(wanted - steps(drawn(fitted(one, PRECISE)), one.block, listed))[slots] for one in (tight, loose)]

    assert abs(missing[0].mean()) < 0.3 * AROUND
    assert missing[1].mean() > 0.7 * AROUND


def test_drawn_trips_have_the_lengths_and_ends_that_were_given():
    """Numbers of trips between blocks to within one each, lengths nearly; no move is farther than moves reach."""
    one = evidence(400.0)
    records = drawn(fitted(one, PRECISE))
    first, last = records.items[records.offsets[:-1]], records.items[records.offsets[1:] - 1]
    pairs = np.bincount(one.block[first] * 4 + one.block[last], minlength=16).reshape(4, 4)
    row, column = GRID.place
    inside = np.ones(len(records.items) - 1, np.bool_)
    inside[records.offsets[1:-1] - 1] = False

    assert np.abs(pairs - one.pairs).max() <= 1
    assert np.abs(np.bincount(records.lengths - 1, minlength=6) - LENGTHS).sum() < 0.05 * LENGTHS.sum()
    for place in (row, column):
        assert np.abs(np.diff(place[records.items]))[inside].max() <= REACH


def test_the_gradient_is_that_of_the_function():
    """By differences, in a random direction."""
    fit = Fit(evidence(25.0))
    random = np.random.default_rng(5)
    here, step = 0.3 * random.normal(size=len(fit.target)), 0.02 * random.normal(size=len(fit.target))
    ahead, back = fit.value(here + step)[0], fit.value(here - step)[0]

    assert (ahead - back) / 2 == pytest.approx(float(fit.value(here)[1] @ step), rel=0.02)
