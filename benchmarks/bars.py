"""The speed and accuracy bars of the core, as a table: `make bench`. Ratios are taken within this one run."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import data
import plain_ngram
import seqveil as sv
from seqveil.engines.local.engine import LocalEngine
from seqveil.engines.local.grams import GramCounter
from seqveil.evaluate.count_queries import occurrences, random_queries, relative_error
from seqveil.tables.flat import Flat
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise
from seqveil.wall.run import perform

METHOD = sv.NGram(l_max=20, n_max=5)


@dataclass
class Table:
    """The bars, each with what was measured."""

    rows: list[tuple[str, str, str, bool]] = field(default_factory=list)

    def add(self, work: str, measured: str, bar: str, met: bool) -> None:
        self.rows.append((work, measured, bar, met))
        print(f"{'ok  ' if met else 'MISS'}  {work}: {measured}  (bar: {bar})", flush=True)


def timed(work: Callable[[], Any], times: int = 5) -> tuple[float, Any]:
    """The median time of several runs, and the last result."""
    taken, result = [], None
    for _ in range(times):
        start = time.perf_counter()
        result = work()
        taken.append(time.perf_counter() - start)
    return median(taken), result


def compared(one: Callable[[], Any], other: Callable[[], Any], times: int = 9) -> tuple[float, float, float]:
    """The median times of two kinds of work done in turn, and the median ratio of neighbours, which share the machine's load."""
    one(), other()
    pairs = [(timed(one, 1)[0], timed(other, 1)[0]) for _ in range(times)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(b / a for a, b in pairs)


@contextmanager
def counting() -> Iterator[list[float]]:
    """The seconds that pass inside the engine: cutting, opening the tree, counting children, following them down."""
    inside, depth = [0.0], [0]
    parts = [(LocalEngine, name) for name in ("cut", "longest", "size", "grams")]
    parts += [(GramCounter, name) for name in ("children", "descend", "count", "fan_out")]
    real = [getattr(owner, name) for owner, name in parts]

    def timing(work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any, **named: Any) -> Any:
            depth[0] += 1
            start = time.perf_counter()
            try:
                return work(*given, **named)
            finally:
                depth[0] -= 1
                inside[0] += time.perf_counter() - start if depth[0] == 0 else 0.0

        return watched

    for (owner, name), work in zip(parts, real, strict=True):
        setattr(owner, name, timing(work))
    try:
        yield inside
    finally:
        for (owner, name), work in zip(parts, real, strict=True):
            setattr(owner, name, work)


def against_counting(work: Callable[[], Any], times: int = 7) -> tuple[float, float]:
    """The median ratio of a whole run to the bare counting inside the same run, and the median of that counting."""
    pairs = []
    for _ in range(times):
        with counting() as inside:
            whole, _ = timed(work, 1)
        pairs.append((whole / inside[0], inside[0]))
    return median(ratio for ratio, _ in pairs), median(bare for _, bare in pairs)


def core(bars: Table, path: Path) -> None:
    table = sv.read_sequences(path, domain=sv.Domain.range(1, 17))
    run = lambda noise, t=table: perform(METHOD, t, sv.Record(), 10**12, noise)  # noqa: E731
    run(SeededNoise(0)), run(SecureNoise())
    seeded, release = timed(lambda: run(SeededNoise(1)))
    secure, _ = timed(lambda: run(SecureNoise()))
    lists = [s.tolist() for s in table.flat]
    plain, _ = timed(lambda: plain_ngram.run(lists, 17, 1.0, 20, 5, 1), times=1)
    bars.add("MSNBC, ε = 1, seeded, warm", f"{seeded:.2f} s", "≤ 1.0 s", seeded <= 1.0)
    bars.add("… against plain dictionaries", f"{plain / seeded:.0f}× faster ({plain:.1f} s)", "≥ 10×", plain >= 10 * seeded)
    bars.add("… with secure noise", f"{secure - seeded:+.2f} s", "≤ 1.5 s more", secure - seeded <= 1.5)
    for kind, noise, most in (("seeded", lambda: SeededNoise(1), 2.0), ("secure", SecureNoise, 3.0)):
        ratio, bare = against_counting(lambda noise=noise: run(noise()))
        bars.add(f"… against its own bare counting, {kind} noise", f"{ratio:.2f}× ({bare:.2f} s)", f"≤ {most:g}×", ratio <= most)
    draws, source = 96_000, SecureNoise()
    taken, _ = timed(lambda: source.laplace(Scale(40.0), draws), times=3)
    bars.add(f"{draws:,} secure draws of one scale", f"{draws / taken:,.0f} a second", "≥ 5,000,000", draws / taken >= 5_000_000)
    wide = sv.SequenceTable(sv.Domain.range(1, 1_000_000), table.flat)
    run(SeededNoise(0), wide)
    padded, padded_release = timed(lambda: run(SeededNoise(1), wide))
    more = len(padded_release.synthetic) / len(release.synthetic) - 1
    bars.add(
        "domain padded to 1,000,000",
        f"{padded / seeded:.2f}× the time, {more:+.1%} records",
        "≤ 1.5×, ≤ +1 %",
        padded <= 1.5 * seeded and more <= 0.01,
    )
    n = len(table.flat.items)
    four = Flat(np.tile(table.flat.items, 4), np.concatenate([table.flat.offsets[:-1] + i * n for i in range(4)] + [[4 * n]]))
    large = sv.SequenceTable(table.domain, four)
    one, fourfold, growth = compared(lambda: run(SeededNoise(1)), lambda: run(SeededNoise(1), large))
    bars.add("input × 4", f"{growth:.2f}× the time ({one:.2f} s → {fourfold:.2f} s)", "≤ 4.5×", growth <= 4.5)


WATCH = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, capture_output=True, stdin=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10)
"""
"""Runs a command from a small process of its own: a large parent would lend the child its own peak memory."""


def whole_command(bars: Table, path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        call = [sys.executable, "-m", "seqveil", "publish", str(path), "--domain", "1..17", "--epsilon", "1.0"]
        environment = {**os.environ, "SEQVEIL_HOME": f"{folder}/home"}
        runs = [
            subprocess.check_output([sys.executable, "-c", WATCH, *call, "--out", f"{folder}/r{i}"], env=environment, text=True)
            for i in range(3)
        ]
    taken = median(float(run.split()[0]) for run in runs)
    memory = max(float(run.split()[1]) for run in runs)
    met = taken <= 8 and memory <= 1024
    bars.add("seqveil publish msnbc.seq.gz, new process", f"{taken:.1f} s, {memory:,.0f} MB", "≤ 8 s, ≤ 1 GB", met)


def help_page(bars: Table) -> None:
    call = lambda: subprocess.run([sys.executable, "-m", "seqveil", "--help"], check=True, capture_output=True)  # noqa: E731
    taken, _ = timed(call, times=5)
    bars.add("seqveil --help", f"{taken:.2f} s", "≤ 0.5 s", taken <= 0.5)


def bible(bars: Table, path: Path) -> None:
    import gzip

    with gzip.open(path, "rt") as file:
        words = sorted({word for line in file for word in line.split()}, key=int)
    table = sv.read_sequences(path, domain=sv.Domain.of(words, public_because="a benchmark: not how domains are declared"))
    run = lambda seed: perform(METHOD, table, sv.Record(), 10**12, SeededNoise(seed))  # noqa: E731
    run(0)
    taken, release = timed(lambda: run(1), times=3)
    items, truth = len(release.synthetic.items), len(table.flat.truncate(20).items)
    bars.add(
        f"BIBLE ({len(words):,} items)",
        f"{taken:.2f} s, {items:,} of {truth:,} items published",
        "≤ 10 s, within 30 %",
        taken <= 10 and abs(items / truth - 1) <= 0.3,
    )


def accuracy(bars: Table, path: Path, seeds: int = 5) -> None:
    table = sv.read_sequences(path, domain=sv.Domain.range(1, 17))
    queries = random_queries(17, 4)
    full, cut = occurrences(table.flat, queries, 17), occurrences(table.flat.truncate(20), queries, 17)
    for epsilon, worst_t, worst_f in (("0.1", 0.15, 0.19), ("0.5", 0.060, 0.115), ("1.0", 0.040, 0.10)):
        truncated, whole = [], []
        for seed in range(seeds):
            answer = occurrences(sv.experiment(table, METHOD, epsilon, seed=seed).synthetic, queries, 17)
            truncated.append(relative_error(answer, cut, len(table)).mean())
            whole.append(relative_error(answer, full, len(table)).mean())
        bars.add(
            f"MSNBC count error, ε = {epsilon}, {seeds} seeds",
            f"T {mean(truncated):.3f}, F {mean(whole):.3f}",
            f"T ≤ {worst_t}, F ≤ {worst_f}",
            mean(truncated) <= worst_t and mean(whole) <= worst_f,
        )


def main() -> int:
    bars = Table()
    help_page(bars)
    if path := data.find("msnbc.seq.gz"):
        core(bars, path)
        whole_command(bars, path)
        accuracy(bars, path)
    if path := data.find("bible.seq.gz"):
        bible(bars, path)
    print("\n| work | measured | bar | |\n|---|---|---|---|")
    for work, measured, bar, met in bars.rows:
        print(f"| {work} | {measured} | {bar} | {'met' if met else 'MISSED'} |")
    return 0 if all(row[3] for row in bars.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
