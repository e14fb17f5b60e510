"""The battery of measures: worked examples, and what each measure must notice."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.evaluate.traces.battery import MEASURES, Battery
from seqveil.evaluate.traces.circles import passing
from seqveil.evaluate.traces.density import hotspots
from seqveil.evaluate.traces.patterns import Supports, visits
from seqveil.evaluate.traces.placing import placed
from seqveil.simulate.streets import Town
from seqveil.tables.flat import Flat
from seqveil.tables.traces import Traces

GOOD = {"ranks", "patterns", "hotspots"}


@pytest.fixture(scope="module")
def world():
    town = Town.grid(size=12, seed=1)
    return town.box, town.trips(1_500, seed=1)


def test_a_copy_has_no_error(world):
    """0, or 1 where 1 is best."""
    box, raw = world

    measured = Battery(raw, box).measure(raw)

    assert measured == pytest.approx({name: float(name in GOOD) for name in MEASURES})


def test_every_measure_notices_other_trips(world):
    """Trips of another town are worse than cells without noise, by every measure."""
    box, raw = world
    elsewhere = Town.radial(rings=5, spokes=9).trips(1_500)
    other = Traces(elsewhere.points + 5.5, elsewhere.offsets)
    battery = Battery(raw, box)
    cells = battery.measure(placed(raw.on(box, 24, 24), box, 24, 24))
    measured = battery.measure(other)

    for name in MEASURES:
        assert measured[name] < cells[name] if name in GOOD else measured[name] > cells[name], name


def test_measures_survive_nothing(world):
    """No trips, or trips of one point."""
    box, raw = world
    for synthetic in (Traces.of([]), Traces.of([[(1.0, 1.0)]]), Traces.of([[], []])):
        measured = Battery(raw, box).measure(synthetic)
        assert measured.keys() == MEASURES.keys()
        assert np.isfinite(list(measured.values())).all()


def test_supports_by_hand():
    """Records count once; a stay is one visit; patterns do not cross records."""
    seen = Supports.of(Flat.of([[0, 0, 1, 0, 1], [1, 1, 2], [2, 0]]), 3)
    named = dict(zip(seen.pattern.tolist(), seen.support.tolist(), strict=True))

    assert [[0, 1, 0, 1], [1, 2], [2, 0]] == [record.tolist() for record in visits(Flat.of([[0, 0, 1, 0, 1], [1, 1, 2], [2, 0]]))]
    assert {1 * 4 + 2: 1, 2 * 4 + 1: 1, 2 * 4 + 3: 1, 3 * 4 + 1: 1} == {k: n for k, n in named.items() if k < 16}
    assert 1 == named[(1 * 4 + 2) * 4 + 1] == named[((1 * 4 + 2) * 4 + 1) * 4 + 2]


def test_circles_count_trips_once():
    """Not points; a circle includes its rim."""
    trips = Traces.of([[(0, 0), (0, 1)], [(3, 0)], []])

    assert [1, 2] == passing(trips, np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]])).tolist()


def test_hotspots_in_the_wrong_order_are_worse():
    raw = np.array([9, 8, 7, 6, 5, 1, 0])

    assert 1.0 == hotspots(raw, 2 * raw) > hotspots(raw, raw[::-1])
