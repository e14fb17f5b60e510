"""(K, C)_L-privacy by suppression on made-up cities: how long it takes, and what is lost against K, C, K' and k-anonymity.

    python benchmarks/suppression.py speed [CITY]    one run, timed, with its peak memory
    python benchmarks/suppression.py losses          the tables of docs/results/suppression.md

The city imitates City80K of [Chen thesis, ch. 5]: pedestrians who roam through 26 blocks for 24 hours, one sensitive value in
five. Simulated and reproducible.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from seqveil.fenced.suppression import KCL, Suppressed, suppress
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable

HOURS = 24


@dataclass(frozen=True)
class City:
    """Pedestrians start by popularity, mostly follow the usual way out of a block, and rarely go anywhere else."""

    records: int
    blocks: int
    usual: float = 0.9
    stray: float = 0.005

    def table(self, seed: int = 0) -> TrajectoryTable:
        """The trajectories; pairs are hour-major, so that codes ascend with time."""
        rng = np.random.default_rng([seed, self.records, self.blocks])
        n, size = self.records, self.blocks
        popularity = np.cumsum(rng.permutation((np.arange(size) + 3.0) ** -1.0))
        usual, other = rng.permuted(np.tile(np.arange(size), (2, 1)), axis=1)
        start = np.clip(rng.normal(np.where(rng.random(n) < 0.6, 8, 15), 2.0), 0, HOURS - 3).astype(np.int64)
        stop = np.minimum(start + 3 + rng.poisson(4.0, n), HOURS)
        block = np.searchsorted(popularity, rng.random(n) * popularity[-1])
        here = np.full((n, HOURS), -1, np.int32)
        for hour in range(HOURS):
            out = (start <= hour) & (hour < stop)
            here[out, hour] = hour * size + block[out]
            draw = rng.random(n)
            onward = np.where(draw < self.usual, usual[block], other[block])
            onward = np.where(draw > 1 - self.stray, rng.integers(0, size, n), onward)
            block = np.where(out, onward, block)
        there = here >= 0
        offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
        disease = rng.integers(0, 5, n)
        pairs = [(f"block {b + 1}", str(hour)) for hour in range(HOURS) for b in range(size)]
        return TrajectoryTable(pairs, Flat(here[there], offsets), np.where(disease == 0, 0, -1)[:, None], (("disease 0",),))


CITIES = {
    "city80k": City(80_000, 26),
    "million": City(1_000_000, 167),
    "loose": City(80_000, 26, usual=0.75, stray=0.02),
    "loose-million": City(1_000_000, 167, usual=0.75, stray=0.02),
}


def run(table: TrajectoryTable, model: KCL, mfs_support: int | None = None, strategy: str = "local") -> tuple[Suppressed, float]:
    """The result and its seconds."""
    begun = time.perf_counter()
    done = suppress(table, model, "instances" if mfs_support is None else "mfs", mfs_support, strategy)
    return done, time.perf_counter() - begun


def speed(name: str, mfs_support: int | None) -> None:
    """One run of the whole method, from the table in memory to the checked result."""
    run(City(500, 5).table(), KCL.of(5, "0.6", 3), None if mfs_support is None else 20)  # compiles
    table = CITIES[name].table()
    before = time.process_time()
    done, seconds = run(table, KCL.of(30, "0.6", 3), mfs_support)
    busy = time.process_time() - before  # what it would take on a machine of its own, nearly: one thread
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{name}: {len(table):,} records, {len(table.pairs):,} dimensions, {done.instances:,} points, {done.violations:,} MVS; "
          f"{done.local_suppressions:,} local and {done.global_suppressions:,} global suppressions, {done.repairs} repairs, "
          f"loss {done.instance_loss:.2%}, MFS {done.frequent_lost} of {done.frequent} lost; "
          f"{seconds:.1f} s ({busy:.1f} s of CPU), peak {peak:.2f} GB")  # fmt: skip


def losses() -> None:
    """Tables like Figures 5.2 to 5.4, on an eighth of City80K with as many records per sequence of two points."""
    table = City(10_000, 9).table()

    @cache
    def at(model: KCL, mfs_support: int | None, global_only: bool) -> Suppressed:
        return run(table, model, mfs_support, strategy)[0]

    def row(label: str, bounded: KCL, unbounded: KCL) -> None:
        runs = [at(model, None, everywhere) for model in (bounded, unbounded) for everywhere in (False, True)]
        tuned = [at(bounded, 300, everywhere) for everywhere in (False, True)]
        cells = [f"{r.instance_loss:.1%}" for r in runs] + [f"{r.frequent_loss:.1%}" for r in tuned]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)

    print("K (L=3, C=.6, K'=300): KCL-Local KCL-Global Trad-Local Trad-Global | MFS: KCL-Local KCL-Global")
    for k in (10, 30, 50):
        row(str(k), KCL.of(k, "0.6", 3), KCL.k_anonymity(k))
    print("C (L=3, K=30, K'=300), Trad = confidence bounding with K=30")
    for c in ("0.2", "0.25", "0.3", "0.6", "1"):
        row(c, KCL.of(30, c, 3), KCL.of(30, c, None))
    print("K' (L=3, K=30, C=.6): MFS, KCL-Local KCL-Global")
    for least in (150, 300, 450):
        tuned = [at(KCL.of(30, "0.6", 3), least, everywhere) for everywhere in (False, True)]
        print(f"| {least} | {tuned[0].frequent} | " + " | ".join(f"{r.frequent_loss:.1%}" for r in tuned) + " |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "losses"])
    parser.add_argument("city", nargs="?", choices=list(CITIES), default="city80k")
    parser.add_argument("--mfs-support", type=int)
    options = parser.parse_args()
    losses() if options.what == "losses" else speed(options.city, options.mfs_support)
