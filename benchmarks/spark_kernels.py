"""What executors do with the taps of `spark.py`, in plain processes without Spark: how much faster are two cores than one here?

Files are divided into two halves. Of each half rows are read, encoded and packed by task, grouped by user, bounded to one
sequence, and n-grams of two levels are counted, by the functions that executors run. With one process both halves are done one
after the other on one core; with two, each on a core of its own. Nothing is exchanged and nothing is shared, so the quotient of
the two times is the most that a second worker can bring on this machine. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.engines.local.engine import ENGINE
from seqveil.engines.spark.engine import Bounded, Cut
from seqveil.engines.spark.passes import Sums, counted, stepped
from seqveil.sources.layout import Layout
from seqveil.sources.spark.direct import direct, read_groups
from seqveil.sources.spark.grouping import gathered, scattered
from seqveil.sources.spark.rows import Plan
from seqveil.tables.domain import Domain
from seqveil.tables.lots import draw_key
from spark_leg import OPTIONS
from spark_taps import labels

BUCKETS = 8
"""Parts of the users of each half."""


def work(files: list[str], core: int) -> dict[str, float]:
    """One half, bound to a core: its seconds, and those of the processor."""
    os.sched_setaffinity(0, {core})
    began, before = time.monotonic(), time.process_time()
    layout = Layout(format="arrow", **OPTIONS)
    plan = Plan(
        "sequences",
        Domain.of(labels()),
        layout,
        "columns",
        layout.columns(),
        buckets=BUCKETS,
        version=version("seqveil"),
        numbers=True,
    )
    division = direct([Path(file).as_uri() for file in files], layout.columns().values(), pq.read_schema(files[0]), BUCKETS)
    assert division is not None
    pieces: list[Any] = []
    for task in range(len(division.tasks)):
        number = pa.RecordBatch.from_arrays([pa.array([task])], ["id"])
        pieces += scattered(read_groups([number], tasks=division.tasks, roles=layout.columns()), plan)
    steps = (Bounded(1, draw_key(lambda n, size: np.random.default_rng(1).integers(0, n, size))), Cut(10))
    kept: list[Any] = []
    for bucket in range(BUCKETS):
        rows = [batch.slice(i, 1) for batch in pieces for i in np.flatnonzero(batch.column("bucket").to_numpy() == bucket)]
        kept += stepped(gathered(rows, plan), steps=steps)
    pieces.clear()
    for level in (1, 2):
        for batch in kept:
            list(counted([batch], kind="sequences", labels=len(labels()), steps=(), count=partial(_grams, level)))
    return {"seconds": time.monotonic() - began, "processor": time.process_time() - before}


def _grams(level: int, table: Any) -> Sums:
    counter, nodes, wide = ENGINE.grams(table, 4), 1, len(labels())
    for _ in range(level - 1):
        counter = counter.descend(np.repeat(np.arange(nodes), wide), np.tile(np.arange(wide), nodes))
        nodes *= wide
    counts = counter.children(np.arange(nodes))
    return Sums.of(counts.parent, counts.rank, counts.count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--processes", type=int, choices=(1, 2), required=True)
    given = parser.parse_args()
    files = sorted(map(str, given.data.glob("*.parquet")))
    halves, cores = [files[::2], files[1::2]], sorted(os.sched_getaffinity(0))
    started = time.monotonic()
    with ProcessPoolExecutor(given.processes, get_context("spawn")) as pool:
        list(pool.map(work, [half[:1] for half in halves], cores[:1] * 2))  # loads the kernels
        starting = time.monotonic() - started
        done = list(pool.map(work, halves, cores[:2] if given.processes == 2 else cores[:1] * 2))
        seconds = time.monotonic() - started
    used = sum(half["processor"] for half in done)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(
        json.dumps(
            {
                "seconds": seconds,
                "starting": starting,
                "stages": [(f"half {i}", round(half["seconds"], 2)) for i, half in enumerate(done, 1)],
                "processor": {"worker's Python": round(used, 2)},
                "driver": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
                "peaks": {"worker's Python": round(peak, 3)},
                "digest": None,
            }
        )
    )


if __name__ == "__main__":
    main()
