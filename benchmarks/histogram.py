"""Flat histograms beside the record model, asked the same questions: errors of cells, and intervals that cover.

    SEQVEIL_DATA=… python benchmarks/histogram.py oyster-hour oyster-od flights-od flights-first msnbc-label --seeds 5

All of ε goes to the one table of the histogram; the record model spends it on everything that it publishes. A line of JSON per
data set, method and ε: means over the seeds.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import seqveil as sv
from seqveil.evaluate.cells import true_cells
from seqveil.release.histogram.axes import Table, shape_of

DATA = Path(os.environ.get("SEQVEIL_DATA", "."))
STRONGEST = 20


def oyster(bins: str | None) -> Any:
    """Every journey a record of two items; minutes count from Sunday 00:00."""
    frame = pl.read_csv(DATA / "oyster_rail_journeys.csv.gz").with_row_index("journey")
    frame = frame.filter(pl.col("end_min") >= pl.col("start_min"))
    ends = [frame.select("journey", time=f"{end}_min", place=f"{end}_station") for end in ("start", "end")]
    stations = sv.Domain.of([str(s) for s in sorted(set(frame["start_station"]) | set(frame["end_station"]))])
    given: Any = {} if bins is None else {"time_bins": bins}
    log = pl.concat(ends)
    return sv.read_sequences(log, domain=stations, session="journey", time="time", time_unit="m", item="place", **given)


def lines(name: str, domain: sv.Domain) -> Any:
    return sv.read_sequences(DATA / f"{name}.seq.gz", domain=domain)


def flights() -> Any:
    import gzip

    with gzip.open(DATA / "us_flights.seq.gz", "rt") as file:
        airports = sorted({code for line in file for code in line.split()})
    return lines("us_flights", sv.Domain.of(airports))


SETS: dict[str, tuple[Callable[[], Any], Table, int]] = {
    "oyster-hour": (lambda: oyster("60m@04:00"), "hour", 2),
    "oyster-od": (lambda: oyster(None), "od", 2),
    "flights-od": (flights, "od", 20),
    "flights-first": (flights, "first", 20),
    "msnbc-label": (lambda: lines("msnbc", sv.Domain.range(1, 17)), "label", 20),
    "msnbc-length": (lambda: lines("msnbc", sv.Domain.range(1, 17)), "length", 20),
}


def answered(release: Any, table: Table, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """What a release of sequences answers for every cell, with its interval; NaN where it has none."""
    domain = release.domain
    value, low, high = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    if table == "hour":
        answers = dict(enumerate(release.hours().values()))
    elif table == "length":
        answers = {n - 1: answer for n, answer in release.lengths().items() if n <= shape[0]}
    elif table == "label":
        answers = {code: release.count([domain.label(code)]) for code in range(shape[0])}
    else:
        rows = release.od() if table == "od" else release.first_labels()
        answers = {}
        for row in rows:
            at = tuple(domain.code(label) for label in row["pattern"])
            answers[at] = sv.release.Answer(row["value"], row["low"], row["high"], "count")
    for at, answer in answers.items():
        value[at] = answer.value
        if answer.low is not None:
            low[at], high[at] = answer.low, answer.high
    return value, low, high


def measured(truth: Any, value: Any, low: Any, high: Any) -> dict[str, float]:
    largest = np.argsort(-truth.ravel(), kind="stable")[:STRONGEST]
    relative = np.abs(value - truth).ravel()[largest] / truth.ravel()[largest]
    with_bar = ~np.isnan(low)
    covers = (low <= truth) & (truth <= high)
    return {
        "error": float(np.abs(value - truth).mean()),
        "largest": float(np.median(relative)),
        "variation": float(np.abs(truth / truth.sum() - value / value.sum()).sum() / 2),
        "with_bar": float(with_bar.mean()),
        "covered": float(covers[with_bar].mean()) if with_bar.any() else float("nan"),
        "bar": float(np.mean((high - low)[with_bar]) / 2) if with_bar.any() else float("nan"),
    }


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("sets", nargs="+", choices=SETS)
    asked.add_argument("--epsilon", default="0.1,1")
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--methods", default="histogram,record-model")
    given = asked.parse_args()
    for name in given.sets:
        read, table, l_max = SETS[name]
        data = read()
        truth = true_cells(table, data.flat, data.domain, l_max)
        for method in given.methods.split(","):
            mechanism: Any = sv.Histogram(of=table, l_max=l_max) if method == "histogram" else sv.RecordModel(l_max=l_max)
            for epsilon in given.epsilon.split(","):
                start, runs = time.process_time(), []
                for seed in range(1, given.seeds + 1):
                    release: Any = sv.experiment(data, mechanism, epsilon, seed=seed)
                    if method == "histogram":
                        cells = release.cells[table]
                        shown = cells.shown, *cells.intervals()
                    else:
                        shown = answered(release, table, shape_of(table, data.domain, l_max))
                    runs.append(measured(truth, *(np.asarray(one, np.float64) for one in shown)))
                means = {key: round(float(np.mean([run[key] for run in runs])), 4) for key in runs[0]}
                seconds = round((time.process_time() - start) / given.seeds, 1)
                facts = {"set": name, "method": method, "epsilon": epsilon, "cells": int(truth.size), "records": len(data)}
                print(json.dumps({**facts, **means, "cpu_seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
