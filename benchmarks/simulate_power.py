"""SIMULATED minute-level household power: strings of 50 samples over 21 public levels, driven by the real hourly file.

    python benchmarks/simulate_power.py --out power.seq.gz

[Bonomi 2013] and [Xu 2015] cut the UCI minute-level series (2,075,259 minutes) into 40,691 strings of 50 samples. Only its
hourly sums are available here, and 691 strings would be too few to mine. So every hour gets 60 minutes whose mean is the hour's
true mean and whose shape is simulated: a load that keeps its value for about ten minutes, then jumps (appliances switching), and
a little jitter. What is mined from it shows how methods compare on such data, nothing about the household. The same seed gives
the same strings.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data import find

LEVELS = 21
"""Level i holds loads from (i − 1)/2 to i/2 kW; the last one everything from 10 kW on. Public."""

SAMPLES = 50
"""Minutes per string, as in the papers."""

JUMP = 0.1
"""Chance that the load changes in a minute."""


def hourly_means() -> NDArray[np.float64]:
    """Mean kW of every hour; hours without a measurement repeat the one before."""
    path = find("household_power_hourly.csv.gz")
    if path is None:
        sys.exit(2)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        means = np.array([float(row["global_active_power"]) / 60 for row in csv.DictReader(lines)])
    last = np.maximum.accumulate(np.where(means > 0, np.arange(len(means)), 0))
    return np.asarray(means[last])


def minutes(means: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """A simulated load per minute, in kW, whose hourly means are the given ones."""
    random = np.random.default_rng(seed)
    n = 60 * len(means)
    jump = random.random(n) < JUMP
    jump[0] = True
    loads = random.lognormal(0.0, 0.6, n)[np.flatnonzero(jump)]
    shape = loads[np.cumsum(jump) - 1] * random.lognormal(0.0, 0.02, n)
    by_hour = shape.reshape(-1, 60)
    return np.asarray((by_hour / by_hour.mean(axis=1, keepdims=True) * means[:, None]).reshape(-1))


def simulate(seed: int = 0) -> NDArray[np.int32]:
    """The strings: one row of 50 levels (1..21) each."""
    levels = np.minimum(minutes(hourly_means(), seed) // 0.5, LEVELS - 1).astype(np.int32) + 1
    whole = len(levels) // SAMPLES * SAMPLES
    return levels[:whole].reshape(-1, SAMPLES)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write simulated household power strings, one per line.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = simulate(options.seed)
    with gzip.open(options.out, "wt", encoding="ascii") if options.out.suffix == ".gz" else options.out.open("w") as out:
        out.writelines(" ".join(map(str, row)) + "\n" for row in rows.tolist())
    print(f"{len(rows):,} simulated strings of {SAMPLES} samples over {LEVELS} levels written to {options.out}")


if __name__ == "__main__":
    main()
