"""How fast data frames are read: typed columns of five million rows, columns of Python objects of one million.

    python benchmarks/read_frames.py [--runs 3]

Prints the median seconds of each, in this process, after one reading that compiles the kernels.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from seqveil.sources import read_sequences
from seqveil.tables.domain import Domain

ROWS, OBJECTS = 5_000_000, 1_000_000


def frames() -> dict[str, Any]:
    """Frames of events: who, and what."""
    draw = np.random.default_rng(1)
    who, what = draw.integers(0, 200_000, ROWS), draw.integers(0, 1000, ROWS)
    words = np.array([str(i) for i in range(1000)], object)
    few = what[:OBJECTS]
    mixed = words[few].copy()
    mixed[::2] = few[::2].tolist()
    mixed[7] = "n/a"
    some = {"who": who[:OBJECTS]}
    return {
        "pandas int64, 5 million": pd.DataFrame({"who": who, "what": what}),
        "polars int64, 5 million": pl.DataFrame({"who": who, "what": what}),
        "polars text, 5 million": pl.DataFrame({"who": who, "what": words[what].tolist()}),
        "pandas text (str), 5 million": pd.DataFrame({"who": who, "what": pd.Series(words[what], dtype="str")}),
        "pandas float64, 5 million": pd.DataFrame({"who": who, "what": what.astype(np.float64)}),
        "pandas objects that are text, 1 million": pd.DataFrame(some | {"what": pd.Series(words[few], dtype=object)}),
        "pandas objects that are numbers, 1 million": pd.DataFrame(some | {"what": pd.Series(few.tolist(), dtype=object)}),
        "pandas objects that are mixed, 1 million": pd.DataFrame(some | {"what": pd.Series(mixed, dtype=object)}),
    }  # fmt: skip


def main() -> None:
    """Read each frame some times and print the median."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    domain = Domain.range(0, 999)
    for name, frame in frames().items():
        seconds = []
        for _ in range(runs + 1):
            begun = time.perf_counter()
            read_sequences(frame, domain=domain, user="who", item="what")
            seconds.append(time.perf_counter() - begun)
        print(f"{name:45} {statistics.median(seconds[1:]):6.2f} s  (of {runs} runs)", flush=True)


if __name__ == "__main__":
    main()
