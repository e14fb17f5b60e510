"""Skew and limits of the Spark engine, one by one, each with its seconds: `python benchmarks/spark_limits.py [NAME …]`."""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import seqveil as sv
from seqveil.engines.spark.engine import ENGINE
from seqveil.sources.spark.session import spark_session
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.shards import SCHEMA, Shard, batch_of
from seqveil.tables.spark import Rows, SparkSequences

OPTIONS: Any = {"user": "card", "time": "ts", "item": "station"}


def taps(folder: Path, users: np.ndarray, stations: np.ndarray) -> Path:
    folder.mkdir()
    columns = {"card": users, "ts": np.random.default_rng(2).permutation(len(users)), "station": stations}
    pq.write_table(pa.table(columns), folder / "taps.parquet", row_group_size=1 << 20)
    return folder


def heavy_user(spark: Any, work: Path, events: int) -> dict[str, Any]:
    """Half of all events are one user's."""
    users = np.where(np.arange(2 * events) % 2, 0, np.arange(2 * events) % 100_000)
    folder = taps(work / "heavy", users, np.arange(2 * events) % 50)
    table = sv.read_spark(str(folder), domain=sv.Domain.range(0, 49), format="parquet", **OPTIONS).read()
    return {"longest": ENGINE.longest(table)}


def many_labels(spark: Any, work: Path, labels: int) -> dict[str, Any]:
    """A domain that is sent to every executor."""
    domain = sv.Domain.of([f"label number {i}" for i in range(labels)])
    random = np.random.default_rng(1).integers(0, labels, 500_000)
    folder = taps(work / "labels", np.arange(500_000) % 50_000, np.array([f"label number {i}" for i in random]))
    table = sv.read_spark(str(folder), domain=domain, format="parquet", **OPTIONS).read()
    return {"records": ENGINE.size(table)}


def wide_frontier(spark: Any, work: Path, grams: int) -> dict[str, Any]:
    """The children of so many nodes at once."""
    side = int(grams**0.5) + 1
    random = np.random.default_rng(1)
    items = random.integers(0, side, 4_000_000).astype(np.int32)
    table = distributed(spark, SequenceTable(sv.Domain.range(0, side - 1), Flat(items, np.arange(0, len(items) + 1, 10))), 4)
    counter = ENGINE.grams(table, 3).descend(np.zeros(side, np.int64), np.arange(side))
    pairs = np.arange(grams)
    below = counter.descend(pairs // side, pairs % side)
    return {"children": len(below.children(np.arange(grams)).rank)}


def many_partitions(spark: Any, work: Path, partitions: int) -> dict[str, Any]:
    """A DataFrame of so many parts, ten rows in each, whose users are divided among as many tasks; then the same in few."""
    rows = spark.range(0, 10 * partitions, 1, partitions)
    frame = rows.selectExpr("id % 1000 card", "id * 7919 % 10007 ts", "id % 10 station")
    sizes, seconds = [], []
    for given, tasks in ((frame, partitions), (frame.coalesce(4), 8)):
        started = time.monotonic()
        source = sv.read_spark(given, domain=sv.Domain.range(0, 9), partitions=tasks, session="gap:20s", **OPTIONS)
        sizes.append(ENGINE.size(source.read()))
        seconds.append(time.monotonic() - started)
    assert sizes[0] == sizes[1]
    return {"records": sizes[0], "seconds each": seconds}


def distributed(spark: Any, table: SequenceTable, partitions: int) -> SparkSequences:
    n = len(table) // min(partitions, 8)
    parts = [batch_of([Shard(table.take(np.arange(i * n, (i + 1) * n)).flat)]) for i in range(min(partitions, 8))]
    frame = spark.range(0, partitions, 1, partitions).mapInArrow(partial(_placed, parts=parts), SCHEMA)
    return SparkSequences(table.domain, Rows(frame, "generated"))


def _placed(rows: Any, *, parts: list[Any]) -> Any:
    for batch in rows:
        yield from (parts[i] for i in batch.column("id").to_pylist() if i < len(parts))


LIMITS: dict[str, tuple[Callable[[Any, Path, int], dict[str, Any]], int]] = {
    "heavy-user": (heavy_user, 10_000_000),
    "many-labels": (many_labels, 1_000_000),
    "wide-frontier": (wide_frontier, 200_000),
    "many-partitions": (many_partitions, 10_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(LIMITS))
    parser.add_argument("--master", default="local-cluster[2,1,4096]")
    parser.add_argument("--share", type=float, default=1.0, help="Of every size.")
    given = parser.parse_args()
    spark = spark_session(given.master)
    spark.range(2).count()
    for name in given.names:
        limit, size = LIMITS[name]
        with tempfile.TemporaryDirectory() as work:
            started = time.monotonic()
            row = limit(spark, Path(work), int(size * given.share))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                json.dumps(
                    {"limit": name, "size": int(size * given.share), "seconds": time.monotonic() - started, "driver": peak, **row}
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
