"""Frequent substrings without a bound on their length: `substrings` beside two-phase, n-gram and the record model.

    python benchmarks/substrings.py msnbc|bible|flights|power|dna|NAME [--part PART …] [--runs 5] [--epsilon 0.1 1.0 10.0]
        [--shortest 2 4] [--first-seed 100] [--l-max 100]

Parts: patterns (precision and count errors of the top K of at least 2, 4 and 8 labels), documents (the same for "records that
contain"), strategies (noise of counts by three ways to ask a trie), speed.

The truth is exact mining of whole records. A released pattern is right if it occurs at least as often as the K-th most frequent
one, so that patterns with equal counts are equally right; precision is right ones/K. The error of counts is the median, over the
K truly most frequent patterns, of |released − true|/true; what is not released has an error of 1. Power and DNA are SIMULATED
(simulate_power.py, simulate_dna.py). What is printed compares with raw data: it is INTERNAL.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqveil as sv
from seqveil.evaluate.bench.data import OBSERVED, read
from seqveil.evaluate.bench.data import find as find_or_refuse
from seqveil.tables.flat import Flat
from seqveil.tables.trie import Trie
from simulate_dna import LETTERS, simulate
from two_phase import load as load_other

K = 100
Pattern = tuple[int, ...]
Counts = dict[Pattern, float]

UNSEEN = ("nasa_aug95", "leviathan", "sign", "traffic_fines", "foursquare_nyc_daily")
"""Data that no constant was chosen on."""


@cache
def load(name: str) -> sv.SequenceTable:
    """A data set by name."""
    if name in UNSEEN:
        return read(find_or_refuse(f"{name}.seq.gz"), OBSERVED)
    if name != "dna":
        return load_other(name)
    rows = simulate()
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1]
    return sv.SequenceTable(sv.Domain.of(LETTERS), Flat(rows.reshape(-1), offsets))


def ranking(flat: Flat, labels: int, shortest: int, once: bool = False, k: int = K) -> list[tuple[Pattern, int]]:
    """The k most frequent patterns of at least so many labels with their counts, exactly, however long they are."""
    items, records = flat.items.astype(np.int64), len(flat)
    owner = np.repeat(np.arange(records), flat.lengths)
    left = np.repeat(flat.offsets[1:], flat.lengths) - np.arange(len(items))
    number, at, n, least = np.zeros(len(items), np.int64), np.arange(len(items)), 0, 1
    best: list[tuple[int, int, int]] = []
    while True:
        # Invariant: `at` holds every position where a pattern of n labels with at least `least` occurrences begins.
        n += 1
        at = at[left[at] >= n]
        if not len(at):
            return [(tuple(items[p : p + size].tolist()), -count) for count, size, p in best]
        _, one_of, which = np.unique(number[at] * labels + items[at + n - 1], return_index=True, return_inverse=True)
        which = number[at] = which.reshape(-1)
        counts = np.bincount(np.unique(which * records + owner[at]) // records if once else which, minlength=len(one_of))
        if n >= shortest:
            largest = np.argsort(-counts, kind="stable")[:k]
            best = sorted([*best, *((-int(counts[i]), n, int(at[one_of[i]])) for i in largest)])[:k]
            least = -best[-1][0] if len(best) == k else 1
        at = at[counts[which] >= least]


@cache
def truth_of(name: str, shortest: int, once: bool) -> list[tuple[Pattern, int]]:
    table = load(name)
    return ranking(table.flat, len(table.domain), shortest, once)


def counts_of(flat: Flat, patterns: list[Pattern], once: bool) -> dict[Pattern, int]:
    """The exact counts of some patterns."""
    items, left = flat.items, np.repeat(flat.offsets[1:], flat.lengths) - np.arange(len(flat.items))
    owner = np.repeat(np.arange(len(flat)), flat.lengths)
    places: dict[Pattern, NDArray[np.int64]] = {(): np.arange(len(items))}
    counts: dict[Pattern, int] = {}
    for pattern in sorted(patterns):
        for n in range(1, len(pattern) + 1):
            if pattern[:n] not in places:
                at = places[pattern[: n - 1]]
                at = at[left[at] >= n]
                places[pattern[:n]] = at[items[at + n - 1] == pattern[n - 1]]
        counts[pattern] = len(np.unique(owner[places[pattern]])) if once else len(places[pattern])
        places = {start: at for start, at in places.items() if start == pattern[: len(start)]}
    return counts


def measured(name: str, mined: Counts, shortest: int, once: bool) -> list[float]:
    """Precision for K = 20 and K = 100, and the median error of counts."""
    truth = truth_of(name, shortest, once)
    exact = counts_of(load(name).flat, list(mined), once)
    order = sorted(mined, key=lambda p: -mined[p])
    scores = []
    for k in (20, K):
        least = truth[min(k, len(truth)) - 1][1]
        scores.append(sum(exact[p] >= least for p in order[:k]) / k)
    return [*scores, float(np.median([min(1.0, abs(mined.get(p, 0.0) - c) / c) for p, c in truth]))]


Miner = Callable[[str, int, str, int, int], Counts]
"""From data, shortest length, ε, seed and the l_max of publishers to patterns with their counts."""


def mined_by(make: Callable[[int], Any]) -> Miner:
    """A miner: its patterns with their counts."""

    def mine(name: str, shortest: int, epsilon: str, seed: int, l_max: int) -> Counts:
        release = sv.experiment(load(name), make(shortest), epsilon, seed=seed)
        return {release.patterns.pattern(i): float(release.patterns.count[i]) for i in range(len(release))}

    return mine


@cache
def synthetic(name: str, method: str, epsilon: str, seed: int, l_max: int) -> Flat:
    mechanism = sv.NGram(l_max=l_max) if method == "ngram" else sv.RecordModel(l_max=l_max)
    records: Flat = sv.experiment(load(name), mechanism, epsilon, seed=seed).synthetic
    return records


def mined_from(method: str, once: bool = False) -> Miner:
    """A publisher: its synthetic records are mined."""

    def mine(name: str, shortest: int, epsilon: str, seed: int, l_max: int) -> Counts:
        labels = len(load(name).domain)
        return dict(ranking(synthetic(name, method, epsilon, seed, l_max), labels, shortest, once))

    return mine


def two_phase(shortest: int) -> Any:
    """Two-phase must be told the longest pattern, and divides ε over so many levels."""
    return sv.TwoPhase(top=K, shortest=shortest, longest=shortest + 5)


MINERS: dict[str, Miner] = {
    "substrings": mined_by(lambda shortest: sv.Substrings(top=K, shortest=shortest)),
    "two-phase": mined_by(two_phase),
    "ngram": mined_from("ngram"),
    "record-model": mined_from("record-model"),
}
DOCUMENTS: dict[str, Miner] = {
    "substrings": mined_by(lambda shortest: sv.Substrings(top=K, shortest=shortest, count="documents")),
    "ngram": mined_from("ngram", once=True),
    "record-model": mined_from("record-model", once=True),
}


def compare(name: str, options: argparse.Namespace, once: bool) -> None:
    print("| data, ε | method | " + " | ".join(f"≥ {s}: K = 20, {K}, error" for s in options.shortest) + " |")
    for epsilon in options.epsilon:
        for method, mine in (DOCUMENTS if once else MINERS).items():
            if options.only and method not in options.only:
                continue
            cells, begun = [], time.process_time()
            for shortest in options.shortest:
                runs = [
                    measured(name, mine(name, shortest, epsilon, options.first_seed + run, options.l_max), shortest, once)
                    for run in range(options.runs)
                ]
                twenty, hundred, error = np.mean(runs, axis=0)
                cells.append(f"{100 * twenty:.0f}, {100 * hundred:.0f}, {error:.2f}")
            spent = (time.process_time() - begun) / options.runs
            print(f"| {name}, {epsilon} | {method} | " + " | ".join(cells) + f" | {spent:.0f} s |", flush=True)


def deviations(patterns: list[Pattern], labels: int) -> dict[str, NDArray[np.float64]]:
    """The standard deviation of every count, for ε = 1 and one position, by three ways to ask the same trie of patterns."""
    trie = Trie.of(patterns, labels)
    below, along = trie.below(), trie.along()
    # A walk to q meets the heavy paths of all patterns it begins with; each has one first pattern.
    starts = np.array([trie.above[q] < 0 or trie.heavy[trie.above[q]] != q for q in range(len(trie))])
    met = int((below & starts[:, None]).sum(axis=0).max())
    left = along.sum(axis=1)  # patterns from here to the end of the heavy path
    levels = int(along[starts].sum(axis=1).max()).bit_length()
    blocks = np.array([int(n).bit_count() for n in left])
    return {
        "longest pattern at each position": np.sqrt(2 * below.sum(axis=1)),
        "last pattern on each heavy path": met * np.sqrt(2 * left),
        "heavy paths, binary mechanism, a count at each root": met * np.sqrt(2 * (4 + blocks * (2 * levels) ** 2)),
    }


def strategies(name: str, options: argparse.Namespace) -> None:
    """Noise of counts of the released patterns by three ways to ask; nothing but released patterns goes in."""
    for shortest in options.shortest:
        release = sv.experiment(load(name), sv.Substrings(top=K, shortest=shortest), options.epsilon[-1], seed=0)
        patterns = [release.patterns.pattern(i) for i in range(len(release))]
        if patterns:
            for way, deviation in deviations(patterns, len(load(name).domain)).items():
                print(f"| {name}, ≥ {shortest} | {way} | {np.median(deviation):.1f} | {deviation.max():.1f} |", flush=True)


def speed(name: str, options: argparse.Namespace) -> None:
    """Processor seconds of a private run (secure noise), warm."""
    from seqveil.wall.budget import grains
    from seqveil.wall.noise import SecureNoise
    from seqveil.wall.run import perform

    for count in ("occurrences", "documents"):
        for epsilon in options.epsilon:
            mechanism = sv.Substrings(top=K, count=count)
            perform(mechanism, load(name), sv.Record(), grains(epsilon), SecureNoise())
            begun = time.process_time()
            perform(mechanism, load(name), sv.Record(), grains(epsilon), SecureNoise())
            print(f"| {name} | {count}, ε = {epsilon} | {time.process_time() - begun:.1f} s |", flush=True)


def main() -> None:
    parts: dict[str, Callable[[argparse.Namespace], None]] = {
        "patterns": lambda o: compare(o.data, o, once=False),
        "documents": lambda o: compare(o.data, o, once=True),
        "strategies": lambda o: strategies(o.data, o),
        "speed": lambda o: speed(o.data, o),
    }
    parser = argparse.ArgumentParser(description="Frequent substrings of any length.")
    parser.add_argument("data")
    parser.add_argument("--part", choices=parts, nargs="+", default=["patterns"])
    parser.add_argument("--epsilon", nargs="+", default=["0.1", "1.0", "10.0"])
    parser.add_argument("--only", nargs="+", default=[], help="methods")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--shortest", nargs="+", type=int, default=[2, 4, 8])
    parser.add_argument("--l-max", type=int, default=20, help="labels that ngram and record-model look at")
    options = parser.parse_args()
    for part in options.part:
        print(f"\n{options.data}, {part}", flush=True)
        parts[part](options)


if __name__ == "__main__":
    main()
