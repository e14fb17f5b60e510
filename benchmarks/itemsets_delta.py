"""The top K itemsets under pure ε and under (ε, 1e-6), with the measures of `itemsets.py modern`.

INTERNAL: compares with raw data.

.venv/bin/python benchmarks/itemsets_delta.py [--runs 5] [--data retail bms1 …] [--epsilon 1] [--ways basis itemsets]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import KeysView
from typing import Any

import numpy as np

import seqveil as sv
from itemsets import GRID, SEQUENCES, SIMULATED, agreement, sets
from pfs2 import released
from seqveil.release.sets.frequent import WeightedSets


def f_value(true: KeysView[Any], listed: KeysView[Any]) -> float:
    """The harmonic mean of precision and recall."""
    return 2 * len(true & listed) / (len(true) + len(listed))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=5)
    asked.add_argument("--data", nargs="*", default=[*GRID, *SEQUENCES, *SIMULATED])
    asked.add_argument("--epsilon", default="1")
    asked.add_argument("--ways", nargs="*", default=["basis", "itemsets"])
    asked.add_argument("--tops", nargs="*", type=int, default=[20, 50, 100])
    given = asked.parse_args()
    ways = {"itemsets": sv.FrequentItemsets, "basis": sv.Basis}
    print(
        f"ε = {given.epsilon}, {given.runs} seeded runs; found, RE, covered, F: pure → (ε, 1e-6); processor seconds of the latter"
    )
    for name in given.data:
        table = sets(name)
        if table is None:
            continue
        for top in given.tops:
            true = dict(WeightedSets(table.flat, np.ones(len(table), np.int64), len(table.domain)).frequent(top))
            cells = []
            for way in given.ways:
                for delta in (None, "1e-6"):
                    start = time.process_time()
                    runs = [
                        sv.experiment(table, ways[way](top=top), given.epsilon, seed=s, delta=delta) for s in range(given.runs)
                    ]
                    taken = (time.process_time() - start) / given.runs
                    rows = [(*agreement(table, one, true), f_value(true.keys(), released(one).keys())) for one in runs]
                    cells.append((way, delta, *np.mean(rows, axis=0), taken))
            for way in given.ways:
                pure, gaussian = (next(c for c in cells if c[:2] == (way, delta)) for delta in (None, "1e-6"))
                row = " | ".join(f"{a:.3f} → {b:.3f}" for a, b in zip(pure[2:6], gaussian[2:6], strict=True))
                print(f"| {name} | {top} | {way} | {row} | {gaussian[6]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
