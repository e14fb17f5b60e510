"""F1 of mined patterns [Bonomi thesis, §3.5]: two-phase, the prefix miner, frequent strings and n-gram, on three data sets.

    python benchmarks/two_phase.py msnbc|flights|power [--part patterns|sweeps|ffs|speed] [--runs 3]

Patterns of 2 to 3 labels (short), 2 to 7 (long), and prefixes of 2 to 3; top K, ε = 0.1, defaults of Table 3.2. The truth is
exact mining of the whole data. PT-S draws 10 % of the records as its public sample and takes them out of the protected table,
as it must; its truth is the protected rest. Power is SIMULATED (simulate_power.py). What is printed compares with raw data: it
is INTERNAL.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import seqveil as sv
from data import find
from seqveil.tables.flat import Flat
from simulate_power import LEVELS, simulate

TOPS = (20, 40, 60, 80, 100)
KINDS = {"short [2,3]": (2, 3, "substring"), "long [2,7]": (2, 7, "substring"), "prefixes [2,3]": (2, 3, "prefix")}


def load(name: str) -> sv.SequenceTable:
    """One of the three data sets."""
    if name == "power":
        rows = simulate()
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
        return sv.SequenceTable(sv.Domain.range(1, LEVELS), Flat((rows - 1).reshape(-1).astype(np.int32), offsets))
    path = find({"msnbc": "msnbc.seq.gz", "flights": "us_flights.seq.gz"}[name])
    if path is None:
        raise SystemExit(1)
    if name == "msnbc":
        return sv.read_sequences(path, domain=sv.Domain.range(1, 17))
    with gzip.open(path, "rt", encoding="utf-8") as lines:  # the airports of the file stand in for a public list of airports
        airports = sorted({code for line in lines for code in line.split()})
    return sv.read_sequences(path, domain=sv.Domain.of(airports))


def ranking(flat: Flat, labels: int, shortest: int, longest: int, kind: str, k: int = 100) -> list[tuple[int, ...]]:
    """The k most frequent patterns of a kind, exactly."""
    items = flat.items.astype(np.int64)
    record = np.repeat(np.arange(len(flat)), flat.lengths)
    mined: list[tuple[int, int, tuple[int, ...]]] = []
    for n in range(shortest, longest + 1):
        at = (
            np.flatnonzero(record[: len(items) - n + 1] == record[n - 1 :])
            if kind == "substring"
            else flat.offsets[:-1][flat.lengths >= n]
        )
        key = np.zeros(len(at), np.int64)
        for j in range(n):
            key = key * labels + items[at + j]
        keys, counts = np.unique(key, return_counts=True)
        for i in np.argsort(-counts, kind="stable")[:k].tolist():
            pattern = tuple(int(keys[i]) // labels ** (n - 1 - j) % labels for j in range(n))
            mined.append((-int(counts[i]), n, pattern))
    return [pattern for _, _, pattern in sorted(mined)[:k]]


def f1(truth: list[tuple[int, ...]], mined: list[tuple[int, ...]], k: int) -> float:
    hits = len(set(truth[:k]) & set(mined[:k]))
    return 2 * hits / (min(k, len(truth)) + min(k, len(mined))) if mined else 0.0


def patterns_of(release: Any) -> list[tuple[int, ...]]:
    return [release.patterns.pattern(i) for i in range(len(release))]


def by_top(make: Callable[[int], Any]) -> Callable[..., dict[int, list[tuple[int, ...]]]]:
    """A miner that is run once for every K."""
    return lambda table, epsilon, seed: {k: patterns_of(sv.experiment(table, make(k), epsilon, seed=seed)) for k in TOPS}


def by_records(mechanism: Any, kind: tuple[int, int, str]) -> Callable[..., dict[int, list[tuple[int, ...]]]]:
    """A publisher whose artificial records are mined."""

    def mine(table: sv.SequenceTable, epsilon: str, seed: int) -> dict[int, list[tuple[int, ...]]]:
        synthetic = sv.experiment(table, mechanism, epsilon, seed=seed).synthetic
        mined = ranking(synthetic, len(table.domain), *kind) if len(synthetic.items) > 10 else []
        return dict.fromkeys(TOPS, mined)

    return mine


def split(table: sv.SequenceTable, seed: int) -> tuple[sv.PublicSample, sv.SequenceTable]:
    """A tenth of the records as a public sample, and the rest."""
    public = np.random.default_rng(seed).random(len(table)) < 0.1
    records = table.flat.take(np.flatnonzero(public))
    return sv.PublicSample(table.domain, records, because="a benchmark"), table.take(np.flatnonzero(~public))


def compare(name: str, epsilon: str, runs: int, only: str = "") -> None:
    """F1 against K of every method."""
    table = load(name)
    labels = len(table.domain)
    for title, kind in KINDS.items():
        if not title.startswith(only):
            continue
        a, b, which = kind
        shape = {"shortest": a, "longest": b, "patterns": which}
        methods = {
            "PT-D* (two-phase)": by_top(lambda k, shape=shape: sv.TwoPhase(top=k, **shape)),
            "PT-S* (two-phase, sample)": None,
            "PT-B (prefix miner, linear)": by_top(lambda k, shape=shape: sv.PrefixMiner(top=k, **shape)),
            "n-gram": by_records(sv.NGram(), kind),
        }
        truth = ranking(table.flat, labels, *kind)
        print(f"\n{name}, {title}, ε = {epsilon}: F1 in % for K = {', '.join(map(str, TOPS))} (mean of {runs} runs)")
        for method, mine in methods.items():
            scores = np.zeros((runs, len(TOPS)))
            begun = time.perf_counter()
            for seed in range(runs):
                protected, exact = table, truth
                if mine is None:
                    sample, protected = split(table, seed)
                    exact = ranking(protected.flat, labels, *kind)
                    chosen = by_top(lambda k, shape=shape, sample=sample: sv.TwoPhase(top=k, sample=sample, **shape))
                else:
                    chosen = mine
                mined = chosen(protected, epsilon, seed)
                scores[seed] = [f1(exact, mined[k], k) for k in TOPS]
            row = " | ".join(f"{100 * x:.0f}" for x in scores.mean(axis=0))
            print(f"| {method} | {row} |   ({time.perf_counter() - begun:.0f} s)", flush=True)


def sweeps(name: str, epsilon: str, runs: int) -> None:
    """The share of the first phase, the height of the tree, the strategies, l′, and ε itself; long patterns, K = 60."""
    table = load(name)
    truth = ranking(table.flat, len(table.domain), 2, 7, "substring")

    def row(title: str, mechanism: Any, at: str = epsilon) -> None:
        scores = [f1(truth, patterns_of(sv.experiment(table, mechanism, at, seed=s)), 60) for s in range(runs)]
        print(f"| {name} | {title} | {100 * float(np.mean(scores)):.0f} |", flush=True)

    for share in (0.5, 0.7, 0.85, 0.95):
        row(f"ε1 = {share}ε", sv.TwoPhase(first=share))
    for h in (7, 8, 10, 12, 15):
        row(f"h = {h}", sv.TwoPhase(h=h))
    for l_prime in (8, 12, 20, 30):
        row(f"l′ = {l_prime}", sv.TwoPhase(l_prime=l_prime))
    row("leaves not asked again", sv.TwoPhase(adaptive=False))
    for strategy in ("linear", "exponential", "adaptive", "hybrid"):
        row(f"prefix miner, {strategy}", sv.PrefixMiner(strategy=strategy))
    for at in ("0.01", "0.05", "0.1", "0.5", "1.0"):
        row(f"ε = {at}", sv.TwoPhase(), at)


def frequent_strings(name: str, runs: int) -> None:
    """FFS beside [Chen 2012, Tables 5 and 6]: the share of the K most frequent patterns of 2 to 7 labels found."""
    table = load(name)
    truth = ranking(table.flat, len(table.domain), 2, 7, "substring")
    for epsilon in ("0.1", "1.0"):
        for shortest, longest in ((2, 4), (2, 5), (3, 3)):
            ratio = np.zeros((runs, len(TOPS)))
            for seed in range(runs):
                for at, k in enumerate(TOPS):
                    mined = patterns_of(sv.experiment(table, sv.FrequentStrings(shortest, longest, top=k), epsilon, seed=seed))
                    ratio[seed, at] = len(set(truth[:k]) & set(mined)) / k
            row = " | ".join(f"{100 * x:.0f}" for x in ratio.mean(axis=0))
            print(f"| {name}, ε = {epsilon}, lengths {shortest} to {longest} | {row} |", flush=True)


def speed(name: str) -> None:
    """Seconds of a private run (secure noise), warm."""
    from seqveil.wall.budget import grains
    from seqveil.wall.noise import SecureNoise
    from seqveil.wall.run import perform

    table = load(name)
    for mechanism in (sv.TwoPhase(), sv.PrefixMiner(), sv.FrequentStrings()):
        for epsilon in ("0.1", "1.0"):
            perform(mechanism, table, sv.Record(), grains(epsilon), SecureNoise())
            begun = time.perf_counter()
            perform(mechanism, table, sv.Record(), grains(epsilon), SecureNoise())
            print(f"| {name} | {mechanism.name}, ε = {epsilon} | {time.perf_counter() - begun:.2f} s |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="F1 of mined patterns.")
    parser.add_argument("data", choices=["msnbc", "flights", "power"])
    parser.add_argument("--part", choices=["patterns", "sweeps", "ffs", "speed"], default="patterns")
    parser.add_argument("--epsilon", default="0.1")
    parser.add_argument("--only", default="", help="short, long or prefixes")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.part == "speed":
        speed(options.data)
    elif options.part == "ffs":
        frequent_strings(options.data, options.runs)
    elif options.part == "patterns":
        compare(options.data, options.epsilon, options.runs, options.only)
    else:
        sweeps(options.data, options.epsilon, options.runs)


if __name__ == "__main__":
    main()
