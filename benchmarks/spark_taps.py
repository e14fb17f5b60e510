"""Generated taps for `spark.py`: Parquet files in random order, so many events of so many users within 30 days, 500 stations."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STATIONS = 500
DAYS = 30
FILE = 2_500_000
"""Events per file."""


def labels() -> list[str]:
    return [f"station {i:03d}" for i in range(STATIONS)]


def folder_of(base: Path, events: int, users: int) -> Path:
    return base / f"{events}-events-of-{users}"


def generate(base: Path, events: int, users: int) -> Path:
    """The folder of such files; those that are there already are kept."""
    folder = folder_of(base, events, users)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [(folder / f"taps-{n:04d}.parquet", n, min(FILE, events - n * FILE), users) for n in range(-(-events // FILE))]
    missing = [job for job in wanted if not job[0].exists()]
    if missing:
        with ProcessPoolExecutor(min(len(missing), os.cpu_count() or 1), get_context("spawn")) as pool:
            list(pool.map(_write, missing))
    return folder


def _write(job: tuple[Path, int, int, int]) -> None:
    """One file; stations of a user follow each other as on a line, so that n-grams have something to find."""
    path, number, events, users = job
    random = np.random.default_rng(number)
    user = random.integers(0, users, events)
    second = random.integers(0, DAYS * 86400, events)
    station = (user * 7919 + second // 3600 * (1 + user % 3)) % STATIONS
    lost = random.random(events) < 0.2
    station[lost] = random.integers(0, STATIONS, int(lost.sum()))
    table = pa.table(
        {
            "card": user,
            "ts": pa.array(second * 1_000_000, pa.timestamp("us", "UTC")),
            "station": pa.DictionaryArray.from_arrays(station.astype(np.int32), pa.array(labels())),
        }
    )
    unfinished = path.with_suffix(".unfinished")
    pq.write_table(table, unfinished, use_dictionary=["station"], store_schema=False)  # text, as any other program would write it
    unfinished.rename(path)
