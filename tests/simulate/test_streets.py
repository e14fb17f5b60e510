"""Simulated towns: trips follow streets, the box holds them, and a seed repeats them."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.simulate.streets import JITTER, Town

TOWNS = [Town.grid(size=8, seed=1), Town.highways(size=8, seed=1, lines=2), Town.radial(rings=4, spokes=8, seed=1)]


@pytest.mark.parametrize("town", TOWNS, ids=["grid", "highways", "radial"])
def test_trips_follow_streets(town):
    """The crossings nearest to two points in a row are joined by a street, nearly always; all points are in the box."""
    trips = town.trips(200, seed=5)
    nearest = np.argmin(np.linalg.norm(trips.points[:, None] - town.crossings, axis=2), axis=1)
    pairs = np.stack([nearest[:-1], nearest[1:]], axis=1)[np.diff(trips.trip) == 0]
    joined = {tuple(street) for street in np.sort(town.streets, axis=1).tolist()}
    along = [tuple(sorted(pair)) in joined for pair in pairs.tolist()]
    box = town.box

    assert np.mean(along) > 0.97
    assert (trips.points >= [box.west, box.south]).all()
    assert (trips.points < [box.east, box.north]).all()
    assert 200 == len(trips)
    assert trips.lengths.min() >= 2


def test_a_seed_repeats_trips_and_another_does_not():
    first, again, other = (TOWNS[0].trips(50, seed=seed) for seed in (1, 1, 2))

    assert np.array_equal(first.points, again.points)
    assert not np.array_equal(first.points[:50], other.points[:50])


def test_people_who_are_seen_more_often_make_smaller_steps():
    once, often = TOWNS[0].trips(300, seed=1), TOWNS[0].trips(300, seed=1, often=3)
    jumps = [np.linalg.norm(np.diff(t.points, axis=0), axis=1)[np.diff(t.trip) == 0].mean() for t in (once, often)]

    assert often.lengths.sum() == 3 * once.lengths.sum() - 2 * len(once)
    assert jumps[1] < 0.5 * jumps[0]
    assert JITTER > 0


def test_the_common_world_is_the_one_described():
    """Its mean number of points is that of the published comparison, within a tenth."""
    assert Town.grid().trips(4_000).lengths.mean() == pytest.approx(15.6, rel=0.1)
