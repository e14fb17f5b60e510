"""Trips on simulated streets and of real check-ins: AdaTrace's seven measures and LDPTrace's.

    python benchmarks/trajectories.py floors
    python benchmarks/trajectories.py towns [--method grid-trips|record-model|ngram] [--runs 5] [--epsilon 1] [TOWN…]
    python benchmarks/trajectories.py checkins [--runs 5]
    python benchmarks/trajectories.py grids

Towns are simulated (`seqveil.simulate.streets`); check-ins are read from $SEQVEIL_DATA. Tables: docs/results/trajectories.md.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

import seqveil as sv
from seqveil.evaluate.traces.battery import MEASURES, Battery, means
from seqveil.evaluate.traces.patterns import visits
from seqveil.evaluate.traces.placing import placed
from seqveil.simulate.streets import Town
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.traces import Box, Traces

SIDE = 30
"""Cells on every side of the grid that is published."""

TOWNS = {
    "streets": lambda: (town := Town.grid(), town.trips()),
    "streets, other places": lambda: (town := Town.grid(seed=31, popular=3, width=4.0), town.trips(seed=31)),
    "fewer streets": lambda: (town := Town.grid(size=22, seed=5), town.trips(seed=5)),
    "highways": lambda: (town := Town.highways(), town.trips()),
    "radial": lambda: (town := Town.radial(), town.trips()),
    "seen often": lambda: (town := Town.grid(size=18, seed=9), town.trips(seed=9, often=3)),
}

METHODS = {
    "grid-trips": lambda side, l_max: sv.GridTrips(columns=side, l_max=l_max),
    "record-model": lambda side, l_max: sv.RecordModel(l_max=min(l_max, 20), n_max=3),
    "ngram": lambda side, l_max: sv.NGram(l_max=8, n_max=5),
}


def released(mechanism: object, raw: Traces, box: Box, side: int, epsilon: str, seed: int) -> Traces:
    """Synthetic trips of a seeded experiment over a grid of cells. What is not over every point is over visits of cells."""
    domain = Domain.range(1, side * side, public_because="cells of a declared grid")
    cells = raw.on(box, side, side)
    table = SequenceTable(domain, cells if isinstance(mechanism, sv.GridTrips) else visits(cells), None)
    release = sv.experiment(table, mechanism, epsilon=epsilon, seed=seed)
    return placed(release.synthetic, box, side, side, seed=seed)


def measured(
    name: str, raw: Traces, box: Box, mechanism: object, side: int, epsilon: str, runs: int, battery: Battery | None = None
) -> None:
    """A row of the table: means over seeds 1 to `runs`, and seconds of the fastest run."""
    battery, rows, seconds = battery or Battery(raw, box), [], []
    for seed in range(1, runs + 1):
        began = time.perf_counter()
        synthetic = released(mechanism, raw, box, side, epsilon, seed)
        seconds.append(time.perf_counter() - began)
        rows.append(battery.measure(synthetic))
    show(f"{name} ({raw.lengths.mean():.1f})", means(rows), f"{min(seconds):.1f}")


def show(name: str, measures: dict[str, float], last: str = "") -> None:
    """One row."""
    print(
        f"| {name} | " + " | ".join(f"{measures[measure]:.3f}".lstrip("0") for measure in MEASURES) + f" | {last} |", flush=True
    )


def floors() -> None:
    """Grids without noise: what is lost by cells alone. Visits once each, uniformly in the cell."""
    town, raw = TOWNS["streets"]()
    battery = Battery(raw, town.box)
    for side in (6, 10, 20, 30):
        cells = raw.on(town.box, side, side)
        show(f"{side} × {side}, visits", battery.measure(placed(visits(cells), town.box, side, side, inner=1, pull=0)))
        show(f"{side} × {side}, points", battery.measure(placed(cells, town.box, side, side)))


def checkins() -> tuple[Box, Traces]:
    """A trip is what one user checked in at on one day, in New York. The box is that of the city, rounded outwards."""
    folder = Path(os.environ["SEQVEIL_DATA"])
    places, rows = (
        np.loadtxt(folder / f"foursquare_nyc_{name}.txt.gz", np.float64, comments=None) for name in ("poi", "checkins")
    )
    where = {int(number): (lon, lat) for number, lat, lon in places.tolist()}
    day = rows[:, 0] * 1_000 + rows[:, 2] // 1440
    starts = np.flatnonzero(np.diff(day, prepend=-1, append=-2))
    points = np.array([where[int(number)] for number in rows[:, 1].tolist()])
    return Box(-74.28, 40.5, -73.68, 40.99), Traces(points, starts.astype(np.int64))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["floors", "towns", "checkins", "grids"])
    parser.add_argument("towns", nargs="*")
    parser.add_argument("--method", default="grid-trips", choices=METHODS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--side", type=int, default=SIDE)
    given = parser.parse_args()
    print("| | " + " | ".join(MEASURES) + " | s |")
    if given.what == "floors":
        floors()
    for name, trips_of in TOWNS.items():
        if given.what == "towns" and name in (given.towns or TOWNS):
            town, raw = trips_of()
            l_max = 120 if name == "seen often" else 60
            measured(name, raw, town.box, METHODS[given.method](given.side, l_max), given.side, given.epsilon, given.runs)
    if given.what == "grids":
        town, raw = TOWNS["streets"]()
        for side in (18, 20, 24, 25, 30, 36):
            measured(
                f"published on {side} × {side}", raw, town.box, METHODS["grid-trips"](side, 60), side, given.epsilon, given.runs
            )
        for coarse in (5, 7, 8):
            other = Battery(raw, town.box, coarse)
            mechanism = METHODS["grid-trips"](SIDE, 60)
            measured(f"measured on {coarse} × {coarse}", raw, town.box, mechanism, SIDE, given.epsilon, given.runs, other)
    if given.what == "checkins":
        box, raw = checkins()
        measured("check-ins", raw, box, METHODS[given.method](given.side, 60), given.side, given.epsilon, given.runs)


if __name__ == "__main__":
    main()
