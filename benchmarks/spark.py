"""Spark against one machine, on generated taps: time, memory of the driver, growth. Run it alone: `python benchmarks/spark.py`.

Taps are Parquet files in random order: so many events of so many users within 30 days, over 500 stations. Every run is a process
of its own that reads them by day, bounds users to one sequence and publishes n-grams (an experiment: no ledger). Ratios are of
runs of one call. Sizes are options; the bars are for the defaults.

A worker has one core by Spark's count, but its Java and its Python run side by side, so on a machine with two cores one worker
takes more than one of them. "one core" is the run with one worker in which everything, the driver too, is bound to one core, as
a container with one core would bind it. "by rows" is the run in which Spark's own reader reads the files, row by row, as it does
on file systems that executors cannot open by themselves.

    python benchmarks/spark.py --events 200000000 --users 5000000          the bars
    python benchmarks/spark.py --events 5000000 --users 125000             a quick look
    python benchmarks/spark.py --generate                                  the files alone
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

STATIONS = 500
FILE = 2_500_000
"""Events per file."""

BARS = {
    "two workers against one": (1.6, "at least"),
    "two workers on two cores against one on one": (1.6, "at least"),
    "Spark against local": (4.0, "at most"),
    "four times the data": (4.5, "at most"),
}
RUNS = ("local", "two", "quarter", "one", "one-core", "rows")
"""Runs: "quarter" and "rows" are of a quarter of the data."""

DRIVER = 1.5
"""Gigabytes that the driver, Python and Java together, may use at most."""


def generate(folder: Path, events: int, users: int) -> Path:
    """Files of taps; stations of a user follow each other as on a line, so that n-grams have something to find."""
    folder.mkdir(parents=True, exist_ok=True)
    names = pa.array([f"station {i:03d}" for i in range(STATIONS)])
    for number, first in enumerate(range(0, events, FILE)):
        path = folder / f"taps-{number:04d}.parquet"
        if path.exists():
            continue
        random = np.random.default_rng(number)
        n = min(FILE, events - first)
        user = random.integers(0, users, n)
        second = random.integers(0, 30 * 86400, n)
        station = (user * 7919 + second // 3600 * (1 + user % 3)) % STATIONS
        lost = random.random(n) < 0.2
        station[lost] = random.integers(0, STATIONS, int(lost.sum()))
        when = pa.array(second.astype("datetime64[s]").astype("datetime64[us]")).cast(pa.timestamp("us", "UTC"))
        table = pa.table(
            {
                "card": user,
                "ts": when,
                "station": pa.DictionaryArray.from_arrays(station.astype(np.int32), names).cast(pa.string()),
            }
        )
        pq.write_table(table, path.with_suffix(".unfinished"))
        path.with_suffix(".unfinished").rename(path)
    return folder


def run(folder: Path, engine: str, master: str | None, partitions: int | None, *more: str) -> dict[str, Any]:
    """One run, in a process of its own: seconds, and gigabytes at the peak."""
    call = [sys.executable, __file__, "--one", engine, "--data", str(folder), *more]
    call += ["--master", master] if master else []
    call += ["--partitions", str(partitions)] if partitions else []
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"engine": engine, "master": master, "failed": done.stderr[-2000:]}
    return {"engine": engine, "master": master, **json.loads(done.stdout.splitlines()[-1])}


def one(folder: Path, engine: str, master: str | None, partitions: int | None, bound: bool, rows: bool) -> dict[str, Any]:
    """The run itself."""
    if bound:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import seqveil as sv

    if rows:
        import seqveil.sources.spark.frames as frames

        frames.direct = lambda *given: None

    domain = sv.Domain.of([f"station {i:03d}" for i in range(STATIONS)], public_because="generated")
    options: Any = {"user": "card", "time": "ts", "item": "station", "session": "day"}
    mechanism, unit = sv.NGram(l_max=10, n_max=4), sv.User(max_sequences=1)
    started = time.monotonic()
    data: Any
    if engine == "local":
        import pyarrow.dataset as ds

        data = sv.read_sequences(
            ds.dataset(folder).scanner(columns=["card", "ts", "station"]).to_reader(), domain=domain, **options
        )
        read = time.monotonic()
        release = sv.experiment(data, mechanism, "1", seed=1, unit=unit)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        return {
            "seconds": time.monotonic() - started,
            "reading": read - started,
            "driver": peak,
            "processor": _processor(),
            "grams": len(release.grams.noisy),
            "digest": _digest(release),
        }
    from seqveil.sources.spark.session import spark_session

    spark_session(master)
    ready = time.monotonic()
    stages: list[tuple[str, float]] = []

    class Listener:
        def stage(self, name: str) -> None:
            stages.append((name, time.monotonic() - ready))

        def warn(self, text: str) -> None:
            pass

    data = sv.read_spark(str(folder), domain=domain, format="parquet", partitions=partitions, **options)
    release = sv.experiment(data, mechanism, "1", seed=1, unit=unit, listener=Listener())
    seconds = time.monotonic() - ready
    return {
        "seconds": seconds,
        "starting": ready - started,
        "stages": stages,
        "driver": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20 + _java() / 2**20,
        "processor": _processor(),
        "grams": len(release.grams.noisy),
        "digest": _digest(release),
    }


def _digest(release: Any) -> str:
    """Of the noisy counts: with one seed, all engines release the same."""
    return hashlib.sha256(release.grams.noisy.tobytes()).hexdigest()[:16]


def _java() -> int:
    """The peak of the driver's Java, in kilobytes: of the children of this process, those that are one."""
    peaks = [0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if int(fields.get("PPid", "0")) == os.getpid() and fields.get("Name", "").strip() == "java":
            peaks.append(int(fields.get("VmHWM", "0 kB").split()[0]))
    return max(peaks)


def _processor() -> float:
    """Seconds of processor time of this process and of all that came from it: on a loaded machine the better figure."""
    parent, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(stat.parent.name)
        parent[number], used[number] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    for _ in range(8):
        ours |= {number for number, above in parent.items() if above in ours}
    return sum(used.get(number, 0) for number in ours) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=200_000_000)
    parser.add_argument("--users", type=int, default=5_000_000)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "seqveil-spark-bench")
    parser.add_argument("--memory", type=int, default=4096, help="Megabytes of each worker.")
    parser.add_argument("--partitions", type=int, default=None)
    parser.add_argument("--only", nargs="*", default=list(RUNS), choices=list(RUNS), help="Which runs to make.")
    parser.add_argument("--generate", action="store_true", help="Write the files, and run nothing.")
    parser.add_argument("--bound", action="store_true", help="Bind a run to one core.")
    parser.add_argument("--rows", action="store_true", help="Have Spark's own reader read the files.")
    parser.add_argument("--one", choices=["local", "spark"], help="Make one run and print it; used by the others.")
    parser.add_argument("--master")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.data, given.one, given.master, given.partitions, given.bound, given.rows)))
        return
    whole = generate(given.data / f"{given.events}", given.events, given.users)
    quarter = (
        generate(given.data / f"{given.events // 4}", given.events // 4, given.users // 4)
        if {"quarter", "rows"} & {*given.only}
        else whole
    )
    if given.generate:
        return
    two, alone = (f"local-cluster[{n},1,{given.memory}]" for n in (2, 1))
    calls = {
        "two": lambda: run(whole, "spark", two, given.partitions),
        "one": lambda: run(whole, "spark", alone, given.partitions),
        "one-core": lambda: run(whole, "spark", alone, given.partitions, "--bound"),
        "local": lambda: run(whole, "local", None, None),
        "quarter": lambda: run(quarter, "spark", two, given.partitions),
        "rows": lambda: run(quarter, "spark", two, given.partitions, "--rows"),
    }
    rows = {}
    for name in given.only:
        rows[name] = calls[name]()
        print(name, json.dumps(rows[name]), flush=True)
    seconds = {name: row["seconds"] for name, row in rows.items() if "seconds" in row}
    ratios = {
        "two workers against one": ("one", "two"),
        "two workers on two cores against one on one": ("one-core", "two"),
        "Spark against local": ("two", "local"),
        "four times the data": ("two", "quarter"),
    }
    for name, (above, below) in ratios.items():
        if above in seconds and below in seconds:
            ratio, (bar, way) = seconds[above] / seconds[below], BARS[name]
            met = ratio >= bar if way == "at least" else ratio <= bar
            print(f"{name}: {ratio:.2f} ({way} {bar}: {'met' if met else 'NOT MET'})")
    whole_runs = {row["digest"] for name, row in rows.items() if "digest" in row and name not in ("quarter", "rows")}
    print(f"releases of the same data: {'the same' if len(whole_runs) <= 1 else 'NOT THE SAME'}")
    for name in ("two", "quarter"):
        if "driver" in rows.get(name, {}):
            print(f"driver, {name}: {rows[name]['driver']:.2f} GB (at most {DRIVER})")


if __name__ == "__main__":
    main()
