"""The simulated city: a map whose stations are joined, and trips that stay on it and repeat with their seed."""

from __future__ import annotations

from itertools import pairwise

from seqveil.simulate.city import Map, trips


def test_every_leg_of_a_trip_lies_on_one_line() -> None:
    """Passengers change trains at crossings only, so two taps in a row are stations of the same line."""
    city = Map.of_the_city()
    lines = [set(stops) for stops in city.lines.values()]

    legs = [leg for record in trips(passengers=300).flat for leg in pairwise(record.tolist())]

    assert len(legs) > 600
    assert [] == [leg for leg in legs if not any(set(leg) <= stops for stops in lines)]


def test_a_seed_repeats_the_day_and_another_one_does_not() -> None:
    day, again, other = trips(200, seed=1), trips(200, seed=1), trips(200, seed=2)

    assert day.flat.items.tolist() == again.flat.items.tolist()
    assert day.flat.items.tolist() != other.flat.items.tolist()
