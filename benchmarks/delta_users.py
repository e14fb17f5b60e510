"""The record model and n-grams for users with many sequences each, in pure ε and with δ.

    python benchmarks/delta_users.py [--sets tube,us_flights] [--sequences 30] [--epsilon 1] [--delta 1e-6] [--seeds 5]
        [--favourites 0] [--method record-model] [--with NAME=VALUE …]

Records of public sets are dealt out to made-up users: at random, or, with --favourites K, every user repeats K records of their
own until they have as many as stated. Prints one line per set with means over seeds of the errors of counts (T, uniform and
data-drawn queries) and of the top 100; docs/results/delta.md keeps them. What is printed compares with raw data: it is INTERNAL.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from seqveil.evaluate.bench.quality.run import N_MAX, chosen_sets, mechanism_for
from seqveil.evaluate.quality.yard import QualityYard
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import User
from seqveil.wall.vault import experiment

SHOWN = ("records", "lengths", "uniform.T.4", "drawn.T", "top.records.100")


def dealt(table: SequenceTable, sequences: int, favourites: int, seed: int = 7) -> SequenceTable:
    """The table with made-up owners of so many records each."""
    random = np.random.default_rng(seed)
    users = len(table) // sequences
    rows = random.permutation(len(table))[: users * sequences].reshape(users, sequences)
    if favourites:
        rows = np.take_along_axis(rows[:, :favourites], random.integers(0, favourites, rows.shape), axis=1)
    return SequenceTable(table.domain, table.flat.take(rows.ravel()), np.repeat(np.arange(users), sequences))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="tube,us_flights")
    parser.add_argument("--sequences", type=int, default=30)
    parser.add_argument("--favourites", type=int, default=0)
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-6")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--method", default="record-model")
    parser.add_argument("--with", dest="given", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    given: dict[str, Any] = dict(pair.split("=", 1) for pair in options.given)
    print(f"| set | δ | {' | '.join(SHOWN)} |\n|---|---|{'---|' * len(SHOWN)}")
    for one in chosen_sets(options.sets.split(",")):
        table = dealt(one.read(None), options.sequences, options.favourites)
        yard = QualityYard(table.flat, len(table.domain), one.l_max, N_MAX)
        for delta in (None, options.delta):
            mechanism = mechanism_for(options.method, given if delta else {}, one.l_max)
            runs = []
            for seed in range(1, options.seeds + 1):
                unit = User(options.sequences)
                release = experiment(table, mechanism, options.epsilon, seed=seed, delta=delta, unit=unit)
                runs.append(yard.measure(release.synthetic, release))
            means = [np.mean([run[name] for run in runs]) for name in SHOWN]
            print(f"| {one.name} | {delta or '–'} | {' | '.join(f'{value:.4f}' for value in means)} |", flush=True)


if __name__ == "__main__":
    main()
