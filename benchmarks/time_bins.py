"""Trajectories with hours: how close releases over place@hour come to the data, by method.

    SEQVEIL_DATA=… python benchmarks/time_bins.py oyster city --epsilon 1 --seeds 3

`oyster`: journeys of the public 5 % sample, tap in and tap out with their hour of a day that begins at 04:00. `city`: simulated
passengers with times (home, changes, work, home). `checkins`: check-ins of New York by day. A line of JSON per run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import seqveil as sv
from seqveil.errors import CallError
from seqveil.evaluate.times import time_errors
from seqveil.simulate.city import Map, trips

DATA = Path(os.environ.get("SEQVEIL_DATA", "."))


def oyster(bins: str) -> Any:
    """Every journey a record of two items; minutes count from Sunday 00:00."""
    frame = pl.read_csv(DATA / "oyster_rail_journeys.csv.gz").with_row_index("journey")
    frame = frame.filter(pl.col("end_min") >= pl.col("start_min"))
    ends = [frame.select("journey", time=f"{end}_min", place=f"{end}_station") for end in ("start", "end")]
    stations = sv.Domain.of([str(s) for s in sorted(set(frame["start_station"]) | set(frame["end_station"]))])
    log = pl.concat(ends)
    return sv.read_sequences(log, domain=stations, session="journey", time="time", time_unit="m", item="place", time_bins=bins)


def city(bins: str, passengers: int = 200_000) -> Any:
    """Home at 5 to 10, 20 minutes per ride, eight hours of work, and back."""
    table, rng = trips(passengers), np.random.default_rng(7)
    lengths, names = table.flat.lengths, Map.of_the_city().names
    owner = np.repeat(np.arange(len(table)), lengths)
    position = np.arange(len(owner)) - table.flat.offsets[owner]
    leaves = np.clip(rng.normal(7.8, 1.0, len(table)), 5, 11) * 60
    at_work = np.where(position * 2 >= lengths[owner], np.clip(rng.normal(8, 0.7, len(table)), 5, 11)[owner] * 60, 0)
    minutes = leaves[owner] + position * rng.uniform(10, 30, len(owner)) + at_work
    log = pl.DataFrame({"trip": owner, "time": minutes, "place": [names[code] for code in table.flat.items]})
    return sv.read_sequences(log, domain=table.domain, session="trip", time="time", time_unit="m", item="place", time_bins=bins)


def checkins(bins: str) -> Any:
    """Check-ins by user and day."""
    places = sv.Domain.range(1, 5135)
    columns: Any = {"user": "1", "item": "2", "time": "3", "time_unit": "m", "header": False, "format": "events"}
    return sv.read_sequences(DATA / "foursquare_nyc_checkins.txt.gz", domain=places, session="day", time_bins=bins, **columns)


SETS = {"oyster": oyster, "city": city, "checkins": checkins}


def methods(longest: int) -> dict[str, Any]:
    """What is compared, with room for records of `longest` items."""
    return {
        "record-model": sv.RecordModel(l_max=longest),
        "prefix": sv.PrefixPublication(h=longest),
        "prefix-hybrid": sv.PrefixPublication(h=longest, granularity="hybrid"),
        "ngram": sv.NGram(l_max=longest),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", choices=SETS)
    parser.add_argument("--bins", default="60m@04:00")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default="record-model,prefix,prefix-hybrid,ngram")
    parser.add_argument("--longest", type=int, default=0)
    asked = parser.parse_args()
    for name in asked.sets:
        began = cpu()
        table = SETS[name](asked.bins)
        facts = {"set": name, "records": len(table), "labels": len(table.domain), "read_cpu": round(cpu() - began, 1)}
        longest = asked.longest or {"oyster": 2, "city": 8, "checkins": 8}[name]
        unit = None if table.users is None else sv.Record()
        for method in asked.methods.split(","):
            for seed in range(1, asked.seeds + 1):
                line = run(table, methods(longest)[method], asked.epsilon, seed, unit)
                print(json.dumps({**facts, "method": method, "epsilon": asked.epsilon, "seed": seed, **line}), flush=True)


def run(table: Any, mechanism: Any, epsilon: str, seed: int, unit: Any) -> dict[str, Any]:
    """One experiment: its errors and its processor time. What is refused stands as the reason."""
    began = cpu()
    try:
        release: Any = sv.experiment(table, mechanism, epsilon, seed=seed, unit=unit)
    except CallError as refused:
        return {"refused": str(refused)[:160]}
    spent = round(cpu() - began, 1)
    errors = time_errors(table.domain, table.flat, release.synthetic)
    return {"cpu": spent, "synthetic": len(release.synthetic), **{key: round(value, 4) for key, value in errors.items()}}


def cpu() -> float:
    """Processor seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
