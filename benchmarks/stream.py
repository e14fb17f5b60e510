"""Streams: error against T and ε on hourly household power, and the cost of a million events. INTERNAL: compares with raw data.

.venv/bin/python benchmarks/stream.py [--runs 10] [--skip-million]
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from data import find
from seqveil.sources.events import EventStream
from seqveil.stream.mechanism import StreamMethod
from seqveil.wall.continual import Count, Lis, Sum, experiment_stream

LENGTHS = (1_000, 4_000, 16_000, 34_589)
EPSILONS = ("0.1", "1", "10")
WEEK = 168
MILLION = 1_000_000


def events(column: str) -> list[object] | None:
    path = find("household_power_hourly.csv.gz")
    return None if path is None else [event for batch in EventStream(path, column=column).open() for event in batch]


def methods(statistic: object, length: int) -> dict[str, StreamMethod]:
    """Every method that answers for everything so far."""
    chosen = {
        "baseline": StreamMethod(statistic, "baseline", length),
        "binary": StreamMethod(statistic, "binary", length),
        "checkpoints R=12": StreamMethod(statistic, "checkpoints", length, checkpoints=12),
    }
    if isinstance(statistic, Lis) and length <= 4_000:
        chosen["hierarchy b=16, provable noise"] = StreamMethod(statistic, "hierarchy", length, buckets=16)
    return chosen


def windows(statistic: object, length: int) -> dict[str, StreamMethod]:
    """Both methods that answer for the last week."""
    return {
        f"window W={WEEK}": StreamMethod(statistic, "window", length, window=WEEK),
        f"binary W={WEEK}": StreamMethod(statistic, "binary", length, window=WEEK),
    }


def error(method: StreamMethod, epsilon: str, stream: Sequence[object], truth: np.ndarray, runs: int) -> float:
    """The mean distance between the answer and the truth, over all positions and runs."""
    errors = []
    for seed in range(runs):
        answers = experiment_stream(method, epsilon, seed).feed_many(stream)
        errors.append(np.mean(np.abs(np.array([float(answer.value) for answer in answers]) - truth)))
    return float(np.mean(errors))


def table(title: str, statistic: object, stream: list[object], lengths: Sequence[int], width: int | None, runs: int) -> None:
    print(f"\n### {title}\n\n| T | truth (mean) | method | {' | '.join(f'ε = {e}' for e in EPSILONS)} | without noise |")
    print("|--:|--:|---|" + "--:|" * (len(EPSILONS) + 1), flush=True)
    for length in lengths:
        values = statistic.numbers(stream[:length])
        exact = (statistic.prefix() if width is None else statistic.window(width)).feed(values)
        truth = np.array([float(value) for value in statistic.shown(exact.tolist())])
        for name, method in (methods(statistic, length) if width is None else windows(statistic, length)).items():
            errors = [error(method, epsilon, stream[:length], truth, runs) for epsilon in EPSILONS]
            bias = error(method, "900000", stream[:length], truth, 1) if method.method != "hierarchy" else None
            cells = " | ".join(f"{value:,.1f}" for value in errors)
            print(
                f"| {length:,} | {truth.mean():,.1f} | {name} | {cells} | {'' if bias is None else f'{bias:,.1f}'} |", flush=True
            )


def million() -> None:
    """A million events through the command, with its state file and secure noise: wall time, CPU time, peak memory."""
    print("\n### A million events through `seqveil stream … --state`, secure noise\n")
    print("| what | wall s | CPU s | peak MB |\n|---|--:|--:|--:|", flush=True)
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "events.txt")
        source.write_text("".join(f"{rng.random() * 1000:.3f}\n" for _ in range(MILLION)))
        calls = {
            "lis binary": ["lis"],
            "lis baseline": ["lis", "--method", "baseline"],
            "lis binary W=1000": ["lis", "--window", "1000"],
            "count binary": ["count", "--where", ">= 500"],
            "sum binary": ["sum", "--lower", "0", "--upper", "1000"],
        }
        for number, (name, words) in enumerate(calls.items()):
            call = [sys.executable, "-c", "from seqveil.cli.app import main; main()", "stream", *words, str(source)]
            call += ["--length", str(MILLION), "--epsilon", "1", "--account", "bench", "--state", f"{folder}/{number}.state"]
            measure(name, call, folder)
        measure("lis binary, opened again (nothing new)", [*call[:4], "lis", str(source), "--state", f"{folder}/0.state"], folder)


def measure(name: str, call: list[str], folder: str) -> None:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(call, stdout=nowhere, stderr=nowhere, env={**os.environ, "SEQVEIL_HOME": folder})
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"| {name} | {wall:.1f} | {cpu:.1f} | {used.ru_maxrss / 1024:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--skip-million", action="store_true")
    asked = parser.parse_args()
    if not asked.skip_million:
        million()  # first: a child's peak memory is never reported below what its parent had when it was started
    power = events("global_active_power")
    if power is not None:
        table("Longest increasing subsequence so far", Lis(), power, LENGTHS, None, asked.runs)
        table("Longest increasing subsequence of the last week", Lis(), power, LENGTHS[-1:], WEEK, asked.runs)
        table("Hours so far with more than 100", Count("> 100"), power, LENGTHS, None, asked.runs)
        table("Hours of the last week with more than 100", Count("> 100"), power, LENGTHS[-1:], WEEK, asked.runs)
        table("Energy so far, cut to 0..400, in steps of 1", Sum("0", "400"), power, LENGTHS, None, asked.runs)


if __name__ == "__main__":
    main()
