"""Trajectories for benchmarks/suppression.py: made-up pedestrians like City80K, and passengers made from real Oyster journeys."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from data import find
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable

HOURS = 24


def _table(here: np.ndarray, places: int, sensitive: np.ndarray, values: tuple[str, ...]) -> TrajectoryTable:
    """`here[r, hour]` is where a record is, or -1. Pairs are hour-major, so that codes ascend with time."""
    hours = here.shape[1]
    there = here >= 0
    codes = (here + np.arange(hours) * places).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    pairs = [(f"place {place + 1}", str(hour)) for hour in range(hours) for place in range(places)]
    return TrajectoryTable(pairs, Flat(codes[there], offsets), sensitive[:, None], (values,))


@dataclass(frozen=True)
class City:
    """Pedestrians start by popularity, mostly follow the usual way out of a block, and rarely go anywhere else.

    One of five diseases is sensitive, as in City80K [Chen thesis, Table 5.3].
    """

    records: int
    blocks: int
    usual: float = 0.9
    stray: float = 0.005

    def table(self, seed: int = 0) -> TrajectoryTable:
        """The trajectories of 24 hours."""
        rng = np.random.default_rng([seed, self.records, self.blocks])
        n, size = self.records, self.blocks
        popularity = np.cumsum(rng.permutation((np.arange(size) + 3.0) ** -1.0))
        usual, other = rng.permuted(np.tile(np.arange(size), (2, 1)), axis=1)
        start = np.clip(rng.normal(np.where(rng.random(n) < 0.6, 8, 15), 2.0), 0, HOURS - 3).astype(np.int64)
        stop = np.minimum(start + 3 + rng.poisson(4.0, n), HOURS)
        block = np.searchsorted(popularity, rng.random(n) * popularity[-1])
        here = np.full((n, HOURS), -1, np.int32)
        for hour in range(HOURS):
            out = (start <= hour) & (hour < stop)
            here[out, hour] = block[out]
            draw = rng.random(n)
            onward = np.where(draw < self.usual, usual[block], other[block])
            onward = np.where(draw > 1 - self.stray, rng.integers(0, size, n), onward)
            block = np.where(out, onward, block)
        disease = rng.integers(0, 5, n)
        return _table(here, size, np.where(disease == 0, 0, -1), ("disease 0",))


@dataclass(frozen=True)
class Metro:
    """Passengers of 48 hours, of the size of STM460K [Chen thesis, Table 5.3]: 68 stations, 6 of 24 fares are sensitive.

    The first trip of a passenger is a real Oyster journey on a weekday morning between two of the busiest stations; the way back
    is, where there is one, a real afternoon journey in the other direction. Four in five return, three in five come again on
    the second day, one in five of these an hour earlier or later. A point is the station and hour of entry.
    """

    records: int = 462_483
    stations: int = 68

    def table(self, seed: int = 0) -> TrajectoryTable | None:
        """The trajectories; None where the file of journeys is not at hand."""
        file = find("oyster_rail_journeys.csv.gz")
        if file is None:
            return None
        rng, n, size = np.random.default_rng([seed, self.records, self.stations]), self.records, self.stations
        trips = pl.read_csv(file, columns=["start_min", "start_station", "end_station"])
        day, hour = trips["start_min"].to_numpy() // 1440, trips["start_min"].to_numpy() % 1440 // 60
        start, end = trips["start_station"].to_numpy(), trips["end_station"].to_numpy()
        busiest = np.argsort(-np.bincount(start), kind="stable")[:size]
        number = np.full(max(start.max(), end.max()) + 1, -1)
        number[busiest] = np.arange(size)
        used = (day >= 1) & (day <= 5) & (number[start] >= 0) & (number[end] >= 0) & (start != end)
        start, end, hour = number[start[used]], number[end[used]], hour[used]
        morning, afternoon = np.flatnonzero(hour < 12), np.flatnonzero(hour >= 12)
        first = rng.choice(morning, n)
        home, work, out = start[first], end[first], hour[first]
        # Afternoon journeys by origin and destination; those who find none return at the hour of anybody.
        way = start[afternoon] * size + end[afternoon]
        order = np.argsort(way, kind="stable")
        low, high = (np.searchsorted(way[order], work * size + home, side) for side in ("left", "right"))
        chosen = np.where(high > low, low + (rng.random(n) * (high - low)).astype(np.int64), rng.integers(0, len(order), n))
        back = hour[afternoon[order[chosen]]]
        here = np.full((n, 2 * HOURS), -1, np.int32)
        rows, returns, again = np.arange(n), rng.random(n) < 0.8, rng.random(n) < 0.6
        for today, there in ((0, np.ones(n, bool)), (HOURS, again)):
            shift = rng.choice([-1, 0, 0, 0, 0, 0, 0, 0, 0, 1], n) * (today > 0)
            here[rows[there], today + np.clip(out + shift, 0, 11)[there]] = home[there]
            home_again = there & returns
            here[rows[home_again], today + np.clip(back + shift, 12, HOURS - 1)[home_again]] = work[home_again]
        fare = rng.integers(0, 24, n)
        return _table(here, size, np.where(fare < 6, fare, -1), tuple(f"fare {i}" for i in range(6)))
