"""Spark against one machine, on generated taps: time, memory of the driver, growth. Run it alone: `python benchmarks/spark.py`.

Every leg is a process of its own (`spark_leg.py`) that publishes the same kind of taps (`spark_taps.py`):

    local      one machine, all data
    two        Spark, two workers, all data
    half       Spark, two workers, half the data and half the users
    quarter    Spark, two workers, a quarter of both
    one        Spark, one worker, all data
    one-core   Spark, one worker, with everything, the driver too, bound to one core
    plain-two  no Spark: two processes with the kernels of the executors, each half of the data on a core of its own
    plain-one  no Spark: the same halves one after the other on one core (`spark_kernels.py`)
    rows       Spark, two workers, a quarter, Spark's own reader; only where `--only` names it

A worker has one core by Spark's count, but its Java and its Python run side by side, so on a machine with two cores one worker
takes more than one of them. "one-core" binds it to one, as a container with one core would. "plain-one" against "plain-two" is
the ceiling: what a second core of this machine brings to the same work where nothing is exchanged. "rows" is how files are read
that executors cannot open by themselves.

Where other programs run beside it, elapsed times say more about them. The table of ratios therefore has a second column, by
processor time: what the same work costs with one core and with both busy (2 if a second core slows nothing down).

What a leg measured is kept in a file beside the data, so an interrupted benchmark goes on where it was; `--again` measures anew.
Files of taps that are there are used again. A short run of each engine comes first and is not counted: it compiles the kernels.

    python benchmarks/spark.py                                             the bars: 200 million events of 5 million users
    python benchmarks/spark.py --events 10000000 --users 250000            a quick look
    python benchmarks/spark.py --only two one --again                      two legs, measured anew
    python benchmarks/spark.py --conf spark.executor.extraJavaOptions=-XX:+UseSerialGC    with a setting of Spark
    python benchmarks/spark.py --only                                      the tables of what was measured, no run
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spark_taps import generate

LEGS: dict[str, tuple[int, int]] = {
    "local": (1, 0),
    "two": (1, 2),
    "half": (2, 2),
    "quarter": (4, 2),
    "one": (1, 1),
    "one-core": (1, 1),
    "plain-two": (1, 0),
    "plain-one": (1, 0),
    "rows": (4, 2),
}
"""Of every leg: by what the data are divided, and the number of workers."""

USUAL = [leg for leg in LEGS if leg != "rows"]
WARM = (200_000, 5_000)
"""Events and users of the runs that are not counted."""

Rows = dict[str, dict[str, Any]]


def _total(leg: dict[str, Any]) -> float:
    return float(leg["seconds"])


def _running(leg: dict[str, Any]) -> float:
    """Without the start of Spark's processes."""
    return float(leg["seconds"] - leg["starting"])


def _used(leg: dict[str, Any]) -> float:
    """Processor time of all its processes."""
    return float(sum(leg["processor"].values()))


BARS: list[tuple[str, str, str, Callable[[dict[str, Any]], float], float, str]] = [
    ("two workers against one", "one", "two", _running, 1.6, "at least"),
    ("two workers on two cores against one on one", "one-core", "two", _running, 1.6, "at least"),
    ("the ceiling: two processes without Spark against one", "plain-one", "plain-two", _running, 1.6, "at least"),
    ("Spark against one machine, start included", "two", "local", _total, 4.0, "at most"),
    ("Spark against one machine, once started", "two", "local", _running, 4.0, "at most"),
    ("four times the data", "two", "quarter", _running, 4.5, "at most"),
    ("driver's memory, twice the data", "two", "half", lambda leg: float(leg["driver"]), 1.15, "at most"),
]
"""What is divided by what, of which legs, and what the quotient should be."""

DRIVER = 1.5
"""Gigabytes that the driver, Python and Java together, may use at most."""


def run(leg: str, folder: Path, memory: int, partitions: int | None, settings: list[str]) -> dict[str, Any]:
    """One leg: what `spark_leg.py` or `spark_kernels.py` prints, with the load of the machine before it."""
    _, workers = LEGS[leg]
    plain = leg.startswith("plain")
    call = [sys.executable, str(Path(__file__).with_name("spark_kernels.py" if plain else "spark_leg.py")), str(folder)]
    call += ["--processes", "2" if leg == "plain-two" else "1"] if plain else []
    call += ["--master", f"local-cluster[{workers},1,{memory}]"] if workers else []
    call += ["--partitions", str(partitions)] if partitions and workers else []
    call += ["--rows"] if leg == "rows" else []
    if leg == "one-core":
        call = [shutil.which("taskset") or "taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *call]
    load = os.getloadavg()[0]
    conf = shlex.join([word for setting in settings for word in ("--conf", setting)])
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"{conf} pyspark-shell"}
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{leg} failed:\n{done.stderr[-3000:]}")
    return {"load": load, "date": f"{dt.date.today()}", **json.loads(done.stdout.splitlines()[-1])}


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def table(rows: Rows, events: int) -> str:
    """What was measured, as docs/results/spark.md shows it."""
    lines = [
        "| leg | events | elapsed | of it starting | processor time: driver, workers | driver | a worker's Python | load |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for leg in (leg for leg in LEGS if leg in rows):
        row = rows[leg]
        used = {who: sum(s for kind, s in row["processor"].items() if kind.startswith(who)) for who in ("driver", "worker")}
        worker = row["peaks"].get("worker's Python")
        lines.append(
            f"| {leg} | {events // LEGS[leg][0]:,} | {row['seconds']:.0f} s | {row['starting']:.0f} s | "
            f"{used['driver']:.0f} s, {used['worker']:.0f} s | {row['driver']:.2f} GB | "
            f"{'' if worker is None else f'{worker:.2f} GB'} | {row['load']:.1f} |"
        )
    return "\n".join(lines)


def bars(rows: Rows) -> str:
    lines = ["| bar | measured | wanted | | by processor time |", "|---|---|---|---|---|"]
    for name, above, below, of, bar, way in BARS:
        if above in rows and below in rows:
            ratio = of(rows[above]) / of(rows[below])
            met = ratio >= bar if way == "at least" else ratio <= bar
            possible = f"{2 * _used(rows[above]) / _used(rows[below]):.2f}" if way == "at least" else ""
            lines.append(f"| {name} | {ratio:.2f} | {way} {bar} | {'met' if met else 'NOT MET'} | {possible} |")
    for leg in (leg for leg in ("two", "half") if leg in rows):
        gigabytes = rows[leg]["driver"]
        met = gigabytes <= DRIVER
        lines.append(f"| driver's memory, {leg} | {gigabytes:.2f} GB | at most {DRIVER} GB | {'met' if met else 'NOT MET'} | |")
    releases = {row["digest"] for leg, row in rows.items() if LEGS[leg][0] == 1} - {None}
    same = "met" if len(releases) <= 1 else "NOT MET"
    lines.append(f"| releases of all data | {len(releases)} | one, bit for bit | {same} | |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=200_000_000)
    parser.add_argument("--users", type=int, default=5_000_000)
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "seqveil-spark-bench")
    parser.add_argument("--memory", type=int, default=4096, help="Megabytes of each worker.")
    parser.add_argument("--partitions", type=int, default=None)
    parser.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="A setting of Spark, for all legs.")
    parser.add_argument("--only", nargs="*", default=USUAL, choices=list(LEGS), metavar="LEG", help=f"Of {', '.join(LEGS)}.")
    parser.add_argument("--again", action="store_true", help="Measure legs anew that were measured before.")
    parser.add_argument("--generate", action="store_true", help="Write the files, and run nothing.")
    given = parser.parse_args()

    given.data.mkdir(parents=True, exist_ok=True)
    settings = "".join(f"-{setting}" for setting in given.conf).replace("/", "_").replace(" ", "_")
    results = given.data / f"results-{given.events}-{given.users}-{given.memory}-{given.partitions or 'usual'}{settings}.json"
    rows: Rows = json.loads(results.read_text()) if results.exists() else {}
    wanted = [leg for leg in given.only if given.again or leg not in rows]
    folders = {}
    for by in sorted({LEGS[leg][0] for leg in (given.only if given.generate else wanted)}):
        say(f"files of {given.events // by:,} events (those that are there are kept)")
        folders[by] = generate(given.data, given.events // by, given.users // by)
    if given.generate:
        return
    if wanted:
        warm = generate(given.data, *WARM)
        for leg in ("local", "two"):
            say(f"a short run that is not counted: {leg}")
            run(leg, warm, given.memory, None, given.conf)
    for number, leg in enumerate(wanted, 1):
        say(f"leg {number} of {len(wanted)}: {leg}, {given.events // LEGS[leg][0]:,} events")
        rows[leg] = run(leg, folders[LEGS[leg][0]], given.memory, given.partitions, given.conf)
        unfinished = results.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(rows, indent=1))
        unfinished.rename(results)
        say(f"{leg}: {rows[leg]['seconds']:.0f} s; stages {rows[leg]['stages']}; processor {rows[leg]['processor']}")
    print(f"\n{table(rows, given.events)}\n\n{bars(rows)}\n\nkept in {results}")


if __name__ == "__main__":
    main()
