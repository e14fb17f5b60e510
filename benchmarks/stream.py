"""Streams: error against T and ε on hourly household power and page views, alarms, and the cost of a million events.

INTERNAL: compares with raw data.

.venv/bin/python benchmarks/stream.py [--runs 10] [--only lis] [--skip-million]
"""

from __future__ import annotations

import argparse
import gzip
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
from seqveil.engines.local.engine import STREAMS
from seqveil.sources.events import EventStream
from seqveil.stream.mechanism import StreamMethod
from seqveil.stream.opening import declared
from seqveil.wall.continual import OPEN_OVERLAP, Blocks, Bursts, Count, Lis, Matches, Sum, best_overlap, experiment_stream

LENGTHS = (1_000, 4_000, 16_000, 34_589)
EPSILONS = ("0.1", "1", "10")
WEEK = 168
MILLION = 1_000_000
ALARMS = ((5, 8), (60, WEEK))
"""At least so many of the last so many hours."""
VIEWS = 30_000


def events(column: str) -> list[object] | None:
    path = find("household_power_hourly.csv.gz")
    return None if path is None else [event for batch in EventStream(path, column=column).open() for event in batch]


def pages() -> list[object] | None:
    """The first page views of the MSNBC file, session after session, as one stream."""
    path = find("msnbc.seq.gz")
    if path is None:
        return None
    views: list[object] = []
    with gzip.open(path, "rt") as sessions:
        while len(views) < VIEWS:
            views += next(sessions).split()
    return views[:VIEWS]


def methods(statistic: object, length: int, epsilon: str) -> dict[str, StreamMethod]:
    """Every method that answers for everything so far; what it takes where nothing is given may depend on ε."""
    asked = {**statistic.describe(), "length": length}
    chosen = {
        "baseline": {"method": "baseline"},
        "binary": {"method": "binary"},
        **({} if isinstance(statistic, Lis) else {"blocks": {"method": "blocks"}}),
        **({"blocks, no length": {"length": None}} if isinstance(statistic, Count | Sum) else {}),
        "checkpoints R=12, even, hold": {"method": "checkpoints", "checkpoints": 12, "spacing": "even", "between": "hold"},
        "checkpoints R=12": {"method": "checkpoints", "checkpoints": 12},
    }
    if isinstance(statistic, Lis):
        for spacing, between in (("even", "root"), ("quadratic", "hold")):
            own = {"method": "checkpoints", "checkpoints": 12, "spacing": spacing, "between": between}
            chosen[f"checkpoints R=12, {spacing}, {between}"] = own
        chosen["checkpoints, R by default"] = {"method": "checkpoints"}
        if length <= 4_000:
            chosen["hierarchy b=16, provable noise"] = {"method": "hierarchy", "buckets": 16}
    merged = {name: {**asked, **own} for name, own in chosen.items()}
    return {
        name: declared({key: value for key, value in one.items() if value is not None}, epsilon) for name, one in merged.items()
    }


def windows(statistic: object, length: int, width: int = WEEK) -> dict[str, StreamMethod]:
    """Every method that answers for the last week."""
    names = ("window", "binary", *(("blocks",) if isinstance(statistic, Count | Sum) else ()))
    return {f"{name} W={width}": StreamMethod(statistic, name, length, window=width) for name in names}


def values(method: StreamMethod, epsilon: str, stream: Sequence[object], seed: int) -> np.ndarray:
    """The answer after every event; where there is none, the one before, and 0 before the first."""
    answers = experiment_stream(method, epsilon, seed).feed_many(stream)
    last = np.searchsorted([answer.position for answer in answers], np.arange(1, len(stream) + 1), side="right")
    return np.array([0.0, *(float(answer.value) for answer in answers)])[last]


def error(method: StreamMethod, epsilon: str, stream: Sequence[object], truth: np.ndarray, runs: int) -> float:
    """The mean distance between the answer and the truth, over all positions and runs."""
    return float(np.mean([np.mean(np.abs(values(method, epsilon, stream, seed) - truth)) for seed in range(runs)]))


def table(title: str, statistic: object, stream: list[object], lengths: Sequence[int], width: int | None, runs: int) -> None:
    print(f"\n### {title}\n\n| T | truth (mean) | method | {' | '.join(f'ε = {e}' for e in EPSILONS)} | without noise |")
    print("|--:|--:|---|" + "--:|" * (len(EPSILONS) + 1), flush=True)
    for length in lengths:
        numbers = statistic.numbers(stream[:length])
        exact = (statistic.prefix(STREAMS) if width is None else statistic.window(STREAMS, width)).feed(numbers)
        truth = np.array([float(value) for value in statistic.shown(exact.tolist())])
        by_epsilon = {
            epsilon: methods(statistic, length, epsilon) if width is None else windows(statistic, length, width)
            for epsilon in (*EPSILONS, "900000")
        }
        for name in by_epsilon[EPSILONS[0]]:
            errors = [error(by_epsilon[epsilon][name], epsilon, stream[:length], truth, runs) for epsilon in EPSILONS]
            quiet = by_epsilon["900000"][name]
            noiseless = "hierarchy" not in name and "default" not in name
            bias = f"{error(quiet, '900000', stream[:length], truth, 1):,.1f}" if noiseless else ""
            cells = " | ".join(f"{value:,.1f}" for value in errors)
            print(f"| {length:,} | {truth.mean():,.1f} | {name} | {cells} | {bias} |", flush=True)


def digit_sums(length: int, base: int) -> np.ndarray:
    """The sum of the digits of 1..length in a base: how many blocks an answer adds up."""
    left, sums = np.arange(1, length + 1), np.zeros(length)
    while left.any():
        sums += left % base
        left //= base
    return sums


def base_k(length: int) -> tuple[float, int]:
    """The standard deviation in the best base at ε = 1, and that base: d levels, scale d, one draw per unit of each digit."""

    def deviation(base: int) -> float:
        levels = next(d for d in range(1, 64) if base**d > length)
        return levels * float(np.sqrt(2 * digit_sums(length, base).mean()))

    return min((deviation(base), base) for base in range(2, 65))


def draws(blocks: Blocks, steps: int) -> np.ndarray:
    """How many blocks each answer adds up."""
    depth, depths = [0] * blocks.overlap, np.empty(steps)
    for step, digit in enumerate(blocks.digits().moved(steps)):
        depths[step] = depth[digit] + 1
        depth[: digit + 1] = [depths[step]] * (digit + 1)
    return depths


def deviations(runs: int) -> None:
    """The standard deviation of the noise of a running count, over all positions: by formula at ε = 1, and measured."""
    print("\n### Standard deviation of the noise of a running count\n")
    print("| T | ε | binary | best base k | blocks | worst answer | blocks, measured | no length | no length, measured |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for length in (*LENGTHS, 100_000, MILLION):
        binary = length.bit_length() * np.sqrt(2 * digit_sums(length, 2).mean())
        best, base = base_k(length)
        blocks, free = Blocks(length, best_overlap(length)), Blocks(None, OPEN_OVERLAP)
        of = {name: one.overlap * np.sqrt(2 * draws(one, length).mean()) for name, one in (("declared", blocks), ("free", free))}
        worst = blocks.overlap * np.sqrt(2 * blocks.most)
        for epsilon in EPSILONS if length == LENGTHS[-1] else ("1",):
            by = [f"{value / float(epsilon):,.1f}" for value in (binary, best, of["declared"], worst, of["free"])]
            seen = [f"{measured(one, epsilon, length, runs if length < MILLION else 2):,.1f}" for one in (length, None)]
            cells = [by[0], f"{by[1]} (k = {base})", f"{by[2]} (d = {blocks.overlap})", by[3], seen[0], by[4], seen[1]]
            print(f"| {length:,} | {epsilon} | {' | '.join(cells)} |", flush=True)


def measured(length: int | None, epsilon: str, events: int, runs: int) -> float:
    """The root mean square of the noise, over all positions of runs with nothing to count."""
    squares = []
    for seed in range(runs):
        method = declared({"statistic": "count", "where": "> 0", **({} if length is None else {"length": length})})
        noisy = np.array([answer.noisy for answer in experiment_stream(method, epsilon, seed).feed_many([0] * events)], float)
        squares.append(np.mean(noisy**2))
    return float(np.sqrt(np.mean(squares)))


def alarms(stream: list[object], runs: int) -> None:
    """How often a noisy count of the last hours is above a threshold where the exact one is, and the other way round."""
    print(f"\n### Alarms: hours with more than 100\n\n| alarm | hours | method | {' | '.join(f'ε = {e}' for e in EPSILONS)} |")
    print("|---|--:|---|" + "--:|" * len(EPSILONS), flush=True)
    statistic = Count("> 100")
    for least, width in ALARMS:
        truth = statistic.window(STREAMS, width).feed(statistic.numbers(stream)) >= least
        for name, method in windows(statistic, len(stream), width).items():
            cells = []
            for epsilon in EPSILONS:
                raised = np.concatenate([values(method, epsilon, stream, seed) >= least for seed in range(runs)])
                right = float(np.sum(raised & np.tile(truth, runs)))
                precision, recall = right / max(1, raised.sum()), right / (runs * truth.sum())
                cells.append(f"{precision:.2f} / {recall:.2f}")
            print(f"| {least} of {width} | {truth.mean():.1%} | {name} | {' | '.join(cells)} |", flush=True)


def million() -> None:
    """A million events through the command, with its state file and secure noise: wall time, CPU time, peak memory."""
    print("\n### A million events through `seqveil stream … --state`, secure noise\n")
    print("| what | wall s | CPU s | peak MB |\n|---|--:|--:|--:|", flush=True)
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "events.txt")
        source.write_text("".join(f"{rng.random() * 1000:.3f}\n" for _ in range(MILLION)))
        calls = {
            "lis binary": ["lis", "--method", "binary"],
            "lis checkpoints (default)": ["lis"],
            "lis baseline": ["lis", "--method", "baseline"],
            "lis binary W=1000": ["lis", "--window", "1000"],
            "count blocks": ["count", "--where", ">= 500"],
            "count blocks W=1000": ["count", "--where", ">= 500", "--window", "1000"],
            "sum blocks": ["sum", "--lower", "0", "--upper", "1000"],
            "matches binary": ["matches", "--pattern", "1 2 3 4", "--edits", "1"],
            "bursts binary": ["bursts", "--where", ">= 900", "--at-least", "5", "--within", "20"],
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
    parser.add_argument("--only", help="tables whose title contains this")
    parser.add_argument("--skip-million", action="store_true")
    asked = parser.parse_args()
    if not asked.skip_million:
        million()  # first: a child's peak memory is never reported below what its parent had when it was started
    if (asked.only or "deviation").lower() in "standard deviation":
        deviations(asked.runs)
    power, views = events("global_active_power"), pages()
    hours = "Hours {} with more than 100"
    trend = "Longest increasing subsequence {}"
    burst = "Bursts {}: 5 of 8 hours with more than 100"
    tables: list[tuple[str, object, list[object] | None, Sequence[int], int | None]] = [
        (trend.format("so far"), Lis(), power, LENGTHS, None),
        (trend.format("so far, of voltage"), Lis(), events("voltage"), LENGTHS[-1:], None),
        (trend.format("so far, of page views"), Lis(), views, (VIEWS,), None),
        (trend.format("of the last week"), Lis(), power, LENGTHS[-1:], WEEK),
        (hours.format("so far"), Count("> 100"), power, LENGTHS, None),
        (hours.format("of the last week"), Count("> 100"), power, LENGTHS[-1:], WEEK),
        ("Energy so far, cut to 0..400, in steps of 1", Sum("0", "400"), power, LENGTHS, None),
        (burst.format("so far"), Bursts(5, 8, "> 100"), power, LENGTHS, None),
        (burst.format("in the last week"), Bursts(5, 8, "> 100"), power, LENGTHS[-1:], WEEK),
        ("Matches of 1 2 so far", Matches("1 2"), views, (10_000, VIEWS), None),
        ("Matches of 1 2 2 2, one edit, so far", Matches("1 2 2 2", edits=1), views, (10_000, VIEWS), None),
        ("Matches of 1 2 2 2, one edit, in the last 1,000", Matches("1 2 2 2", edits=1), views, (VIEWS,), 1000),
    ]
    for title, statistic, stream, lengths, width in tables:
        if stream is not None and (asked.only or "").lower() in title.lower():
            table(title, statistic, stream, lengths, width, asked.runs)
    if power is not None and (asked.only or "").lower() in "alarms":
        alarms(power, asked.runs)


if __name__ == "__main__":
    main()
