"""Frequent itemsets beside [Xu 2015, Fig. 8]: clipped sets, truncated transactions (TT) and the sampling-pruned version.

    python benchmarks/itemsets.py fig8 samples top modern publish speed [--runs 10]

Its data sets POS and Pumsb-star are not at hand: retail, T10I4D100K and mushroom (FIMI) stand in. Exact mining is pyfim's
(`pip install pyfim`), or ours where that is not installed. Seeded runs on public data: nothing here is private. `modern` and
`publish` compare the classics with bases, on sequences taken as sets and on simulated sets as well.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import sys
import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import seqveil as sv
from data import find
from pfs2 import Patterns, head, line, mean, mined, released, top_k
from pfs2_more import WITHOUT_SAMPLES
from seqveil.evaluate.presence import visited_all
from seqveil.evaluate.sets import Weighted, Workload
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat
from simulated_sets import BASKETS, PORTAL, STATIONS

GRID = {
    "retail": (0.01, 0.02, 0.03, 0.05),
    "T10I4D100K": (0.01, 0.02, 0.03, 0.04),
    "mushroom": (0.5, 0.6, 0.7, 0.8),
}
LABELS = {"retail": (0, 16_469), "T10I4D100K": (0, 999), "mushroom": (1, 119)}


@cache
def load(name: str) -> Any:
    """A table, or None when its file is missing."""
    path = find(f"{name}.dat.gz")
    return None if path is None else sv.read_sets(path, domain=sv.Domain.range(*LABELS[name]))


@cache
def truth(name: str, theta: float) -> Patterns:
    """All frequent itemsets with their supports."""
    table = load(name)
    least = int(np.ceil(theta * len(table)))
    try:
        import fim
    except ImportError:
        return mined(table.flat, len(table.domain), least)
    frequent = fim.eclat([row.tolist() for row in table.flat], target="s", supp=-least, zmin=1, report="a")
    return {tuple(sorted(items)): float(count) for items, count in frequent}


def itemsets(name: str, theta: float, variant: str, seed: int, epsilon: float = 1.0) -> Patterns:
    mechanism = sv.FrequentItemsets(support=theta, variant=variant)  # type: ignore[arg-type]
    return released(sv.experiment(load(name), mechanism, epsilon, seed=seed))


def fig8(runs: int) -> None:
    ways = ("clip", "tt", "sampled")
    columns = [f"{way} {m}" for way in ways for m in ("P", "R", "F", "RE")]
    head(f"Figure 8: itemsets, ε = 1, {runs} runs", "data", "θ", "true", "longest", *columns)
    for name, thetas in GRID.items():
        if load(name) is None:
            continue
        for theta in thetas:
            true = truth(name, theta)
            scores = [mean(true, runs, itemsets, name, theta, variant) for variant in ways]
            line(name, str(theta), len(true), max(map(len, true)), *(s[m] for s in scores for m in ("P", "R", "F", "RE")))


def samples(runs: int) -> None:
    """What sampling does and what the budget does: benchmarks/pfs2_more.py says how the ways differ."""
    head(f"Samples or not, ε = 1, {runs} runs", "data", "θ", *(f"{w} {m}" for w in WITHOUT_SAMPLES for m in ("F", "RE")))
    for name, thetas in GRID.items():
        for theta in thetas[:2] if load(name) is not None else ():
            cells = []
            for how, change in WITHOUT_SAMPLES.values():
                with change():
                    average = mean(truth(name, theta), runs, itemsets, name, theta, {"samples": "sampled", "cut": "tt"}[how])
                cells += [average["F"], average["RE"]]
            line(name, str(theta), *cells)


def best_of(name: str, k: int, seed: int) -> Patterns:
    return released(sv.experiment(load(name), sv.FrequentItemsets(top=k), 1.0, seed=seed))


def top(runs: int) -> None:
    def best(name: str, k: int) -> Patterns:
        return dict(sorted(truth(name, GRID[name][0]).items(), key=lambda pair: -pair[1])[:k])

    top_k([name for name in GRID if load(name) is not None], best, best_of, runs)


def speed(runs: int) -> None:
    from seqveil.tables.units import Record
    from seqveil.wall.noise import SecureNoise
    from seqveil.wall.run import perform

    head(
        "Speed, warm, exact noise (SecureNoise), seconds of processor time",
        "work",
        "seconds",
        "exact mining, seconds",
        "peak MB so far",
        "bar",
    )
    for name, theta, bar in (("retail", 0.01, "60 s"), ("T10I4D100K", 0.01, "–"), ("mushroom", 0.5, "–")):
        if load(name) is None:
            continue
        start = time.process_time()
        truth(name, theta)
        exact = time.process_time() - start
        taken = []
        for _ in range(4):
            start = time.process_time()
            perform(sv.FrequentItemsets(support=theta), load(name), Record(), 10**12, SecureNoise())
            taken.append(time.process_time() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        line(f"{name} θ = {theta}", float(np.median(taken[1:])), exact, peak, bar)


SEQUENCES = ("bms1", "msnbc", "bible")
"""Sequences that are taken as sets, over the labels that occur in them."""

SIMULATED = {world.name: replace(world, records=min(world.records, 300_000)) for world in (BASKETS, PORTAL, STATIONS)}


@cache
def sets(name: str) -> Any:
    """A table of sets of any origin; None when its file is missing."""
    if name in LABELS:
        return load(name)
    if name in SIMULATED:
        return SIMULATED[name].table()
    path = find(f"{name}.seq.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as lines:
        used = sorted({int(label) for text in lines for label in text.split()})
    return sv.read_sets(path, domain=sv.Domain.of([str(label) for label in used]))


def modern(runs: int) -> None:
    """The share of the true top K that is found, and the share of intervals that cover the true supports."""
    ways = {"itemsets": sv.FrequentItemsets, "basis": sv.Basis}
    columns = [f"{way} {column}" for way in ways for column in ("found", "RE", "covered", "seconds")]
    head(f"Classic and modern top K, ε = 1, {runs} runs; processor time", "data", "K", *columns)
    for name in (*GRID, *SEQUENCES, *SIMULATED):
        table = sets(name)
        for k in (20, 50, 100) if table is not None else ():
            true = dict(WeightedSets(table.flat, np.ones(len(table), np.int64), len(table.domain)).frequent(k))
            cells = []
            for way in ways.values():
                start = time.process_time()
                mined = [sv.experiment(table, way(top=k), 1.0, seed=seed) for seed in range(runs)]
                taken = (time.process_time() - start) / runs
                cells += [*np.mean([agreement(table, one, true) for one in mined], axis=0), taken]
            line(name, k, *cells)


def agreement(table: Any, mined: Any, true: Patterns) -> tuple[float, float, float]:
    supports = visited_all(table.flat, Flat.of(released(mined)), len(table.domain)).tolist() if len(mined) else []
    answers = mined.answers(range(len(mined)))
    errors = [abs(a.value - s) / s for a, s in zip(answers, supports, strict=True) if s]
    covered = [a.low <= s <= a.high for a, s in zip(answers, supports, strict=True)]
    return len(true.keys() & released(mined).keys()) / len(true), float(np.median(errors or [1])), float(np.mean(covered or [1]))


def publish(runs: int) -> None:
    """Synthetic sets: utility of the top K and errors of random queries [Chen thesis, §4.4], and how far sizes are off."""
    ways = {"diffpart": sv.DiffPart(), "basis-sets": sv.BasisSets()}
    columns = ("method", "≤20 %", "≤40 %", "≤60 %", "utility K=20", "K=60", "K=100", "records kept", "sizes, TV", "seconds")
    head(f"Synthetic sets, ε = 1, {runs} runs; processor time", "data", *columns)
    for name in (*GRID, *SEQUENCES, *SIMULATED):
        if (table := sets(name)) is None:
            continue
        workload = Workload(Weighted.raw(table.flat), len(table.domain), queries=10_000)
        for way, mechanism in ways.items():
            rows = []
            for seed in range(runs):
                start = time.process_time()
                published = sv.experiment(table, mechanism, 1.0, seed=seed)
                taken = time.process_time() - start
                kept = Weighted.released(published)
                errors = list(workload.errors(kept).values())[:3]
                utility = [workload.utility(kept, k) for k in (20, 60, 100)]
                rows.append([*errors, *utility, kept.records / len(table), sizes_apart(table.flat, published.synthetic), taken])
            line(name, way, *np.mean(rows, axis=0))


def sizes_apart(one: Flat, other: Flat) -> float:
    """The total variation between the sizes of sets; those of 100 and more count as 100."""
    shares = [np.bincount(np.minimum(f.lengths, 100), minlength=101) / max(len(f), 1) for f in (one, other)]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


PARTS = {f.__name__: f for f in (fig8, samples, top, modern, publish, speed)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--data", nargs="*", choices=list(GRID), default=list(GRID))
    options = parser.parse_args()
    for name in set(GRID) - set(options.data):
        del GRID[name]
    print(f"python benchmarks/{' '.join([sys.argv[0].rsplit('/', 1)[-1], *sys.argv[1:]])}")
    for part in options.parts:
        PARTS[part](options.runs)


if __name__ == "__main__":
    main()
