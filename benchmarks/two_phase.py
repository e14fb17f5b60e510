"""F1 of mined patterns [Bonomi thesis, §3.5]: two-phase, the prefix miner, frequent strings, n-gram and the record model.

    python benchmarks/two_phase.py msnbc|flights|power|NAME [--part PART …] [--runs 3]

Parts: patterns (F1 against K), lengths (Figure 3.8: patterns of one length, K = 20), epsilon (Figure 3.9: all miners, K = 60),
sweeps (shares, heights, l′), strategies (of the prefix miner), ffs, speed. NAME is a set of `seqveil bench quality`.

Patterns of 2 to 3 labels (short), 2 to 7 (long), and prefixes of 2 to 3; top K, ε = 0.1, otherwise defaults. The truth is
exact mining of the whole data. PT-S draws 10 % of the records as its public sample and takes them out of the protected table,
as it must; its truth is the protected rest. Power is SIMULATED (simulate_power.py). What is printed compares with raw data: it
is INTERNAL.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import seqveil as sv
from seqveil import registry
from seqveil.errors import CallError
from seqveil.evaluate.bench.quality.sets import SETS
from seqveil.tables.flat import Flat
from simulate_power import LEVELS, simulate

TOPS = (20, 40, 60, 80, 100)
EPSILONS = ("0.01", "0.05", "0.1", "0.5", "1.0")
KINDS = {"short [2,3]": (2, 3, "substring"), "long [2,7]": (2, 7, "substring"), "prefixes [2,3]": (2, 3, "prefix")}
LONG = KINDS["long [2,7]"]
Patterns = list[tuple[int, ...]]


@cache
def load(name: str) -> sv.SequenceTable:
    """A data set by name."""
    if name == "power":
        rows = simulate()
        offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
        return sv.SequenceTable(sv.Domain.range(1, LEVELS), Flat((rows - 1).reshape(-1).astype(np.int32), offsets))
    try:  # the labels of the file stand in for a public list of them
        return SETS["us_flights" if name == "flights" else name].read(None)
    except CallError as missing:
        print(f"skipped: {missing}")
        raise SystemExit(1) from None


def ranking(flat: Flat, labels: int, shortest: int, longest: int, kind: str, k: int = 100) -> Patterns:
    """The k most frequent patterns of a kind, exactly."""
    items = flat.items.astype(np.int64)
    left = np.repeat(flat.offsets[1:], flat.lengths) - np.arange(len(items))
    number = np.zeros(len(items), np.int64)  # of the last n − 1 labels from here, among all of that length
    mined: list[tuple[int, int, tuple[int, ...]]] = []
    for n in range(1, longest + 1):
        at = np.flatnonzero(left >= n)
        keys, one_of, which = np.unique(number[at] * labels + items[at + n - 1], return_index=True, return_inverse=True)
        number[at] = which.reshape(-1)
        if n < shortest:
            continue
        counted = number[at if kind == "substring" else flat.offsets[:-1][flat.lengths >= n]]
        counts = np.bincount(counted, minlength=len(keys))
        best = np.argsort(-counts, kind="stable")[:k].tolist()
        mined += [(-int(counts[i]), n, tuple(items[at[one_of[i]] :][:n].tolist())) for i in best]
    return [pattern for count, _, pattern in sorted(mined)[:k] if count]


@cache
def truth_of(name: str, kind: tuple[int, int, str]) -> Patterns:
    """What there is to find in a data set."""
    table = load(name)
    return ranking(table.flat, len(table.domain), *kind)


def f1(truth: list[tuple[int, ...]], mined: list[tuple[int, ...]], k: int) -> float:
    hits = len(set(truth[:k]) & set(mined[:k]))
    return 2 * hits / (min(k, len(truth)) + min(k, len(mined))) if mined else 0.0


def patterns_of(release: Any) -> list[tuple[int, ...]]:
    return [release.patterns.pattern(i) for i in range(len(release))]


Miner = Callable[[sv.SequenceTable, str, int], dict[int, Patterns]]


def by_top(make: Callable[[int], Any], tops: tuple[int, ...] = TOPS) -> Miner:
    """A miner that is run once for every K."""
    return lambda table, epsilon, seed: {k: patterns_of(sv.experiment(table, make(k), epsilon, seed=seed)) for k in tops}


def by_list(mechanism: Any, tops: tuple[int, ...] = TOPS) -> Miner:
    """A miner whose list for a smaller K is the beginning of that for a larger one."""

    def mine(table: sv.SequenceTable, epsilon: str, seed: int) -> dict[int, Patterns]:
        return dict.fromkeys(tops, patterns_of(sv.experiment(table, mechanism, epsilon, seed=seed)))

    return mine


@cache
def published(name: str, method: str, epsilon: str, seed: int) -> Any:
    """The release of a publisher, made once for all that is mined from it."""
    return sv.experiment(load(name), registry.make(method, {}), epsilon, seed=seed)


def by_records(name: str, method: str, kind: tuple[int, int, str]) -> Miner:
    """An n-gram publisher: its synthetic records are mined."""

    def mine(table: sv.SequenceTable, epsilon: str, seed: int) -> dict[int, Patterns]:
        synthetic = published(name, method, epsilon, seed).synthetic
        mined = ranking(synthetic, len(table.domain), *kind) if len(synthetic.items) > 10 else []
        return dict.fromkeys(TOPS, mined)

    return mine


def by_ranking(name: str, kind: tuple[int, int, str]) -> Miner:
    """The record model: its own ranked list; for prefixes, its synthetic records."""

    def mine(table: sv.SequenceTable, epsilon: str, seed: int) -> dict[int, Patterns]:
        release, (shortest, longest, which) = published(name, "record-model", epsilon, seed), kind
        if which == "prefix":
            return dict.fromkeys(TOPS, ranking(release.synthetic, len(table.domain), *kind))
        best = release.top(max(TOPS), shortest=shortest, longest=longest)
        mined = [tuple(int(table.domain.code(label)) for label in one["pattern"]) for one in best]
        return dict.fromkeys(TOPS, mined)

    return mine


def miners(name: str, kind: tuple[int, int, str], tops: tuple[int, ...] = TOPS) -> dict[str, Miner]:
    """All miners of a kind of patterns; lists of the plain prefix miner and of publishers do not depend on K."""
    shape: dict[str, Any] = dict(zip(("shortest", "longest", "patterns"), kind, strict=True))
    return {
        "PT-D* (two-phase)": by_top(lambda k: sv.TwoPhase(top=k, **shape), tops),
        "PT-B (prefix miner, linear)": by_list(sv.PrefixMiner(top=max(tops), **shape), tops),
        "PT-B (prefix miner, hybrid)": by_list(sv.PrefixMiner(top=max(tops), strategy="hybrid", **shape), tops),
        "n-gram": by_records(name, "ngram", kind),
        "n-gram as printed": by_records(name, "ngram-printed", kind),
        "record model": by_ranking(name, kind),
    }


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
        shape: dict[str, Any] = dict(zip(("shortest", "longest", "patterns"), kind, strict=True))
        truth = truth_of(name, kind)
        print(f"\n{name}, {title}, ε = {epsilon}: F1 in % for K = {', '.join(map(str, TOPS))} (mean of {runs} runs)")
        for method, mine in {**miners(name, kind), "PT-S* (two-phase, sample)": None}.items():
            scores = np.zeros((runs, len(TOPS)))
            for seed in range(runs):
                protected, exact, chosen = table, truth, mine
                if chosen is None:
                    sample, protected = split(table, seed)
                    exact = ranking(protected.flat, labels, *kind)
                    chosen = by_top(lambda k, shape=shape, sample=sample: sv.TwoPhase(top=k, sample=sample, **shape))
                mined = chosen(protected, epsilon, seed)
                scores[seed] = [f1(exact, mined[k], k) for k in TOPS]
            print(f"| {name}: {method} | " + " | ".join(f"{100 * x:.0f}" for x in scores.mean(axis=0)) + " |", flush=True)


def lengths(name: str, epsilon: str, runs: int) -> None:
    """Figure 3.8: patterns of exactly n labels, K = 20."""
    table = load(name)
    rows: dict[str, list[float]] = {}
    for n in range(2, 8):
        kind = (n, n, "substring")
        truth = truth_of(name, kind)
        for method, mine in miners(name, kind, tops=(20,)).items():
            rows.setdefault(method, []).append(float(np.mean([f1(truth, mine(table, epsilon, s)[20], 20) for s in range(runs)])))
    for method, row in rows.items():
        print(f"| {name}: {method} | " + " | ".join(f"{100 * x:.0f}" for x in row) + " |", flush=True)


def budgets(name: str, runs: int) -> None:
    """Figure 3.9: F1 of every miner against ε; long patterns, K = 60."""
    table = load(name)
    truth = truth_of(name, LONG)
    every = {**miners(name, LONG, tops=(60,)), "ffs": by_list(sv.FrequentStrings(2, 5, top=60), (60,))}
    for method, mine in every.items():
        row = [np.mean([f1(truth, mine(table, epsilon, s)[60], 60) for s in range(runs)]) for epsilon in EPSILONS]
        print(f"| {name}: {method} | " + " | ".join(f"{100 * float(x):.0f}" for x in row) + " |", flush=True)


def _row(name: str, title: str, mechanism: Any, epsilon: str, runs: int) -> None:
    table = load(name)
    truth = truth_of(name, LONG)
    scores = [f1(truth, patterns_of(sv.experiment(table, mechanism, epsilon, seed=s)), 60) for s in range(runs)]
    print(f"| {name} | {title} | {100 * float(np.mean(scores)):.0f} |", flush=True)


def sweeps(name: str, epsilon: str, runs: int) -> None:
    """The share of the first phase, the height of the tree, and l′; long patterns, K = 60."""
    for share in (0.5, 0.7, 0.85, 0.95):
        _row(name, f"ε1 = {share}ε", sv.TwoPhase(first=share), epsilon, runs)
    for h in (7, 8, 10, 12, 15):
        _row(name, f"h = {h}", sv.TwoPhase(h=h), epsilon, runs)
    for l_prime in (8, 12, 20, 30):
        _row(name, f"l′ = {l_prime}", sv.TwoPhase(l_prime=l_prime), epsilon, runs)
    for wider in (1.0, 3.0):
        _row(name, f"k′ = {wider}k", sv.TwoPhase(wider=wider), epsilon, runs)
    for alpha in (1.0, 1e5):
        _row(name, f"α = {alpha:g}", sv.TwoPhase(alpha=alpha), epsilon, runs)
    _row(name, "leaves not asked again", sv.TwoPhase(adaptive=False), epsilon, runs)


def strategies(name: str, epsilon: str, runs: int) -> None:
    """The strategies of the prefix miner, on trees of the default height and of the printed one; long patterns, K = 60."""
    for h in (7, 10):
        for strategy in ("linear", "exponential", "adaptive"):
            _row(name, f"h = {h}, {strategy}", sv.PrefixMiner(h=h, strategy=strategy), epsilon, runs)
        for q in (2, 3, 4, 5, 7):
            _row(name, f"h = {h}, hybrid, q = {q}", sv.PrefixMiner(h=h, strategy="hybrid", q=q), epsilon, runs)


def frequent_strings(name: str, runs: int) -> None:
    """FFS beside [Chen 2012, Tables 5 and 6]: the share of the K most frequent patterns of 2 to 7 labels found."""
    table = load(name)
    truth = truth_of(name, LONG)
    for epsilon in ("0.1", "1.0"):
        for shortest, longest in ((2, 4), (2, 5), (3, 3)):
            ratio = np.zeros((runs, len(TOPS)))
            for seed in range(runs):
                mined = patterns_of(sv.experiment(table, sv.FrequentStrings(shortest, longest, top=100), epsilon, seed=seed))
                ratio[seed] = [len(set(truth[:k]) & set(mined[:k])) / k for k in TOPS]
            row = " | ".join(f"{100 * x:.0f}" for x in ratio.mean(axis=0))
            print(f"| {name}, ε = {epsilon}, lengths {shortest} to {longest} | {row} |", flush=True)


def speed(name: str) -> None:
    """Processor seconds of a private run (secure noise), warm."""
    from seqveil.wall.budget import grains
    from seqveil.wall.noise import SecureNoise
    from seqveil.wall.run import perform

    table = load(name)
    for mechanism in (sv.TwoPhase(), sv.PrefixMiner(), sv.FrequentStrings()):
        for epsilon in ("0.1", "1.0"):
            perform(mechanism, table, sv.Record(), grains(epsilon), SecureNoise())
            begun = time.process_time()
            perform(mechanism, table, sv.Record(), grains(epsilon), SecureNoise())
            print(f"| {name} | {mechanism.name}, ε = {epsilon} | {time.process_time() - begun:.2f} s |", flush=True)


def main() -> None:
    parts: dict[str, Callable[[argparse.Namespace], None]] = {
        "patterns": lambda o: compare(o.data, o.epsilon, o.runs, o.only),
        "lengths": lambda o: lengths(o.data, o.epsilon, o.runs),
        "epsilon": lambda o: budgets(o.data, o.runs),
        "sweeps": lambda o: sweeps(o.data, o.epsilon, o.runs),
        "strategies": lambda o: strategies(o.data, o.epsilon, o.runs),
        "ffs": lambda o: frequent_strings(o.data, o.runs),
        "speed": lambda o: speed(o.data),
    }
    parser = argparse.ArgumentParser(description="F1 of mined patterns.")
    parser.add_argument("data", choices=["flights", "power", *SETS], metavar="DATA")
    parser.add_argument("--part", choices=parts, nargs="+", default=["patterns"])
    parser.add_argument("--epsilon", default="0.1")
    parser.add_argument("--only", default="", help="short, long or prefixes")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    for part in options.part:
        print(f"\n{options.data}, {part}", flush=True)
        parts[part](options)


if __name__ == "__main__":
    main()
