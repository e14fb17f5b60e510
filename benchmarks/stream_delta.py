"""Streams under (ε, δ): standard deviation of running counts, by formula and measured; error on a real stream; cost of an event.

INTERNAL: compares with raw data.

.venv/bin/python benchmarks/stream_delta.py [--runs 20] [--only deviation|window|power|cost]
"""

from __future__ import annotations

import argparse
import math
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from data import find
from seqveil.sources.events import EventStream
from seqveil.stream.opening import declared
from seqveil.stream.root_sums import variances
from seqveil.wall.continual import BITS, OPEN_OVERLAP, Blocks, best_overlap, experiment_stream, guarantee_of, open_stream

DELTA = "1e-6"
LENGTHS = (1_000, 4_000, 34_589, 1_000_000)
EPSILONS = ("0.1", "1", "10")
WEEK = 168
MILLION = 1_000_000


def counting(**sizes: Any) -> dict[str, Any]:
    return {"statistic": "count", **sizes}


def rms(asked: dict[str, Any], epsilon: str, delta: str | None, steps: int, runs: int, last: int) -> float:
    """The root of the mean square of the noise, over the last positions of a stream with nothing to count, and runs."""
    total = 0.0
    for seed in range(runs):
        stream = experiment_stream(declared(asked, epsilon, delta), epsilon, seed, delta)
        noisy = np.array([answer.noisy for answer in stream.feed_many([0] * steps)][-last:], float)
        total += float((noisy**2).mean())
    return math.sqrt(total / runs)


def weighted(length: int | None, steps: int, epsilon: str) -> tuple[float, float]:
    """By formula: over the first steps, and of the last of them."""
    question = declared(counting(**({} if length is None else {"length": length})), epsilon, DELTA).question
    square = question.law(guarantee_of(epsilon, DELTA)).square * variances(question.stretches.coefficients, steps)
    return math.sqrt(square.mean()), math.sqrt(square[-1])


def laplace(length: int, epsilon: float) -> float:
    """Blocks with pure ε, by formula."""
    overlap = best_overlap(length)
    return overlap / epsilon * math.sqrt(2 * _blocks(Blocks(length, overlap), length))


def _blocks(blocks: Blocks, steps: int) -> float:
    """How many blocks an answer adds up, on average."""
    upto, total = [0] * blocks.overlap, 0
    for digit in blocks.digits().moved(steps):
        answer = upto[digit] + 1
        upto[: digit + 1] = [answer] * (digit + 1)
        total += answer
    return total / steps


def deviations(runs: int) -> None:
    print("| T | ε | pure, blocks (formula) | sqrt | worst answer | sqrt, measured | no length | no length, measured |")
    for length in LENGTHS:
        for epsilon in EPSILONS if length == 34_589 else ("1",):
            few = runs if length < MILLION else 2
            mean, worst = weighted(length, length, epsilon)
            opened, _ = weighted(None, length, epsilon)
            measured = [rms(counting(**sizes), epsilon, DELTA, length, few, length) for sizes in ({"length": length}, {})]
            print(
                f"| {length:,} | {epsilon} | {laplace(length, float(epsilon)):.1f} | {mean:.2f} | {worst:.2f} "
                f"| {measured[0]:.2f} | {opened:.2f} | {measured[1]:.2f} |",
                flush=True,
            )


def windows(runs: int) -> None:
    print("| window | pure, blocks | Gaussian, blocks | (both measured, no length, ε = 1)")
    for width in (WEEK, 1000, 10_000):
        asked, steps = counting(window=width), width + 5_000
        row = [rms(asked, "1", delta, steps, runs, 5_000) for delta in (None, DELTA)]
        print(f"| {width:,} | {row[0]:.1f} | {row[1]:.1f} |", flush=True)


def power(runs: int) -> None:
    path = find("household_power_hourly.csv.gz")
    if path is None:
        return print("no household_power_hourly.csv.gz")
    events = [event for batch in EventStream(path, column="global_active_power").open() for event in batch]
    print("| T | ε | statistic | truth at the end | pure | (ε, 1e-6) | covered |")
    for epsilon in EPSILONS:
        for own in (counting(where="> 100"), {"statistic": "sum", "lower": "0", "upper": "10", "resolution": "0.1"}):
            asked, cells = {**own, "length": len(events)}, []
            exact = experiment_stream(declared(asked, "900000"), "900000", 1)
            truth = np.array([float(answer.noisy) for answer in exact.feed_many(events)])
            for delta in (None, DELTA):
                method, errors, covered = declared(asked, epsilon, delta), [], []
                for seed in range(runs):
                    answers = experiment_stream(method, epsilon, seed, delta).feed_many(events)
                    errors.append(np.abs(np.array([float(answer.value) for answer in answers]) - truth).mean())
                    noise = np.abs(np.array([float(answer.noisy) for answer in answers]) - truth)
                    covered.append((noise <= np.array([float(answer.within) for answer in answers])).mean())
                cells.append((float(np.mean(errors)), float(np.mean(covered))))
            print(
                f"| {len(events):,} | {epsilon} | {own['statistic']} | {truth[-1]:,.0f} | {cells[0][0]:,.1f} "
                f"| {cells[1][0]:,.1f} | {cells[0][1]:.1%}, {cells[1][1]:.1%} |",
                flush=True,
            )


def cost() -> None:
    print("| T | how | µs per event | slowest call, ms | peak memory, MB |")
    for length in (34_589, MILLION):
        asked = counting(length=length)
        for batch in (4096, 1):
            with tempfile.TemporaryDirectory() as folder:
                state = Path(folder) / "count.state"
                stream = open_stream(
                    declared(asked, "1", DELTA), "1", delta=DELTA, account="a", cap="9", state=state, home=Path(folder) / "home"
                )
                stream.resume()
                slowest, begun = 0.0, time.process_time()
                if batch == 1:
                    stream.feed_many([1] * (length - 20_000))
                    begun = time.process_time()
                for at in range(length - 20_000 if batch == 1 else 0, length, batch):
                    started = time.perf_counter()
                    stream.feed_many([1] * min(batch, length - at))
                    slowest = max(slowest, time.perf_counter() - started)
                fed = 20_000 if batch == 1 else length
                each = (time.process_time() - begun) / fed * 1e6
                stream.close()
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            how = "the last 20,000 one by one" if batch == 1 else "in batches of 4,096"
            print(f"| {length:,} | {how} | {each:.0f} | {1000 * slowest:.1f} | {peak:.0f} |", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=20)
    asked.add_argument("--only", choices=["deviation", "window", "power", "cost"])
    given = asked.parse_args()
    parts = {
        "deviation": lambda: deviations(given.runs),
        "window": lambda: windows(given.runs),
        "power": lambda: power(given.runs),
        "cost": cost,
    }
    print(f"(ε, δ) with δ = {DELTA}; a lattice of 2^-{BITS}; d = {OPEN_OVERLAP} blocks without a length")
    for name, part in parts.items():
        if given.only in (None, name):
            print(f"\n## {name}")
            part()


if __name__ == "__main__":
    main()
