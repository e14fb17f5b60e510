"""Methods for sets on data that no constant was chosen on: the figures "unseen data" of docs/results/itemsets.md.

    python benchmarks/unseen_sets.py mine|publish [--data NAME …] [--epsilon 1.0 …] [--runs 2] [--top 100]
    python benchmarks/unseen_sets.py few [--labels 16 18] [--epsilon 1.0 …] [--runs 3]

`few`: public sets over their commonest labels only; records without any of these are left out.

Sequences are taken as sets, over the labels that occur; `choices` and `classes` are simulated. Raw data is read on both sides:
INTERNAL.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import time
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import seqveil as sv
from data import find
from itemsets import agreement, sets, sizes_apart
from pfs2 import head, line
from seqveil.evaluate.bench.data import OBSERVED, read
from seqveil.evaluate.count_queries import relative_error
from seqveil.evaluate.sets import Weighted, Workload, containing
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable

FIRST_SEED = 100
FILES = ("helpdesk", "sepsis", "traffic_fines", "sign", "us_flights", "msnbc", "foursquare_nyc_daily", "nasa_aug95")
FIMI = ("retail", "T10I4D100K", "mushroom", "bms1")
"""Data on which constants were chosen: only if named."""
DRAWN = 2_000


def of_matrix(holds: NDArray[np.bool_]) -> SetTable:
    """Records as rows of a matrix with a column per label."""
    offsets = np.concatenate([[0], np.cumsum(holds.sum(axis=1))]).astype(np.int64)
    flat = Flat(np.nonzero(holds)[1].astype(np.int32), offsets)
    return SetTable.of(sv.SequenceTable(sv.Domain.range(1, holds.shape[1]), flat))


def choices() -> SetTable:
    """30,000 records over 12 labels, 2.2 on average: four kinds of people, each with its own favourites."""
    random = np.random.default_rng(100)
    tastes = random.dirichlet(np.full(12, 0.4), 4)
    kind = random.choice(4, 30_000, p=(0.4, 0.3, 0.2, 0.1))
    holds = random.random((30_000, 12)) < np.minimum(2.4 * tastes[kind], 0.95)
    holds[np.arange(30_000), tastes[kind].argmax(axis=1)] |= ~holds.any(axis=1)
    return of_matrix(holds)


def classes() -> SetTable:
    """20,000 rows of 10 attributes with 4 exclusive values each: 40 labels, always 10 of them; six kinds of rows."""
    random = np.random.default_rng(101)
    chances = random.dirichlet(np.full(4, 0.5), (6, 10)).cumsum(axis=2)
    kind = random.integers(0, 6, 20_000)
    value = (random.random((20_000, 10, 1)) > chances[kind]).sum(axis=2).clip(max=3)
    return of_matrix((value[:, :, None] == np.arange(4)).reshape(20_000, 40))


def journeys() -> SetTable | None:
    """Oyster rail journeys: a set of the two stations, or of one."""
    path = find("oyster_rail_journeys.csv.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        ends = np.array([(row["start_station"], row["end_station"]) for row in csv.DictReader(file)])
    labels, codes = np.unique(ends, return_inverse=True)
    flat = Flat(codes.reshape(-1).astype(np.int32), np.arange(len(ends) + 1, dtype=np.int64) * 2)
    return SetTable.of(sv.SequenceTable(sv.Domain.of(labels.tolist()), flat))


MADE = {"choices": choices, "classes": classes, "oyster": journeys}


@cache
def table_of(name: str) -> SetTable | None:
    if name in MADE:
        return MADE[name]()
    if name in FIMI:
        return sets(name)
    path = find(f"{name}.seq.gz")
    return None if path is None else SetTable.of(read(path, OBSERVED))


def mine(name: str, table: SetTable, epsilon: str, runs: int) -> None:
    """The share of the true top K that is listed, the median relative error of what is listed, and the share in its interval."""
    for k in (20, 50, 100):
        true = dict(WeightedSets(table.flat, np.ones(len(table), np.int64), len(table.domain)).frequent(k))
        cells = []
        for way in (sv.FrequentItemsets, sv.Basis):
            listed = [sv.experiment(table, way(top=k), epsilon, seed=FIRST_SEED + run) for run in range(runs)]
            cells += np.mean([agreement(table, one, true) for one in listed], axis=0).tolist()
        line(name, epsilon, k, *cells)


FEW = ("retail", "T10I4D100K", "mushroom", "bms1", "us_flights")
"""Data whose commonest labels are looked at alone, when constants were chosen."""

FEW_UNSEEN = ("nasa_aug95", "oyster", "foursquare_nyc_daily", "sign", "classes")
"""The same, of data that were not looked at then."""


def of_few(name: str, labels: int) -> SetTable | None:
    """The records that have any of the commonest labels, and no other label."""
    table = table_of(name)
    if table is None:
        return None
    flat = table.flat
    common = np.sort(np.argsort(-np.bincount(flat.items, minlength=len(table.domain)), kind="stable")[:labels])
    place = np.full(len(table.domain), -1)
    place[common] = np.arange(labels)
    holds, column = np.zeros((len(flat), labels), np.bool_), place[flat.items]
    holds[np.repeat(np.arange(len(flat)), flat.lengths)[column >= 0], column[column >= 0]] = True
    return of_matrix(holds[holds.any(axis=1)])


def drawn_queries(flat: Flat, size: int) -> Flat:
    """Itemsets of so many labels, each from a random record that has as many: what somebody may really ask."""
    random = np.random.default_rng([5, size])
    able = np.flatnonzero(flat.lengths >= size)
    chosen = random.choice(able, DRAWN) if len(able) else able
    return Flat.of(np.sort(random.choice(codes, size, replace=False)) for codes in flat.take(chosen))


def publish(name: str, table: SetTable, epsilon: str, runs: int, mechanisms: dict[str, Any]) -> None:
    """Utility of the top K, errors of random and of drawn itemset queries, sizes."""
    labels = len(table.domain)
    workload = Workload(Weighted.raw(table.flat), labels, queries=10_000)
    drawn = [drawn_queries(table.flat, size) for size in (1, 2, 3)]
    truths = [containing(workload.raw, asked, labels) for asked in drawn]
    for way, mechanism in mechanisms.items():
        rows, begun = [], time.process_time()
        for run in range(runs):
            published = sv.experiment(table, mechanism, epsilon, seed=FIRST_SEED + run)
            kept = Weighted.released(published)
            off = [
                float(relative_error(containing(kept, asked, labels), truth, len(table)).mean()) if len(asked) else np.nan
                for asked, truth in zip(drawn, truths, strict=True)
            ]
            utility = [workload.utility(kept, k) for k in (20, 100)]
            sizes = sizes_apart(table.flat, published.synthetic)
            rows.append([*utility, *off, workload.errors(kept)[60], kept.records / len(table), sizes])
        line(name, epsilon, way, *np.mean(rows, axis=0).tolist(), f"{(time.process_time() - begun) / runs:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("mine", "publish", "few"))
    parser.add_argument("--data", nargs="+", choices=(*MADE, *FILES, *FIMI), default=(*MADE, *FILES))
    parser.add_argument("--epsilon", nargs="+", default=["1.0"])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--top", type=int, default=100, help="itemsets that basis-sets is fitted to")
    parser.add_argument("--labels", type=int, nargs="+", default=[16, 18], help="for few: how many labels are kept")
    options = parser.parse_args()
    ways = {"diffpart": sv.DiffPart(), "basis-sets": sv.BasisSets(top=options.top)}
    if options.part == "mine":
        columns = ("K", *(f"{way} {measure}" for way in ("itemsets", "basis") for measure in ("found", "RE", "covered")))
    else:
        drawn = [f"drawn, of {size}" for size in (1, 2, 3)]
        columns = ("method", "utility K=20", "K=100", *drawn, "uniform ≤60 %", "records kept", "sizes", "seconds")
    head(f"{options.part}, {options.runs} runs from seed {FIRST_SEED} on", "data", "ε", *columns)
    if options.part == "few":
        for name, labels in product((*FEW, *FEW_UNSEEN), options.labels):
            if (table := of_few(name, labels)) is not None:
                for epsilon in options.epsilon:
                    publish(f"{name}, {labels}", table, epsilon, options.runs, ways | {"basis-sets --few 0": sv.BasisSets(few=0)})
        return
    for name in options.data:
        if (table := table_of(name)) is not None:
            for epsilon in options.epsilon:
                if options.part == "mine":
                    mine(name, table, epsilon, options.runs)
                else:
                    publish(name, table, epsilon, options.runs, ways)


if __name__ == "__main__":
    main()
