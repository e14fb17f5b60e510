"""(K, C)_L-privacy by suppression: how long it takes, what it loses against K, C and K', and what nobody could lose less than.

    python benchmarks/suppression.py speed [WORLD] [--score mfs]   one run, timed, with its peak memory
    python benchmarks/suppression.py losses [WORLD]                strategies beside each other, and the lower bound
    python benchmarks/suppression.py weights [WORLD]               other constants in the score of a point
    python benchmarks/suppression.py figures [--plots FOLDER]      Figures 5.2 to 5.4 of [Chen thesis] as sweeps

Worlds: benchmarks/suppression_cities.py. Everything is reproducible from --seed.
"""

from __future__ import annotations

import argparse
import resource
import time
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from seqveil.extras import need
from seqveil.fenced.suppression import KCL, Suppressed, rounds, suppress
from seqveil.fenced.suppression.frequent import find_maximal_frequent
from seqveil.fenced.suppression.holders import find_holders
from seqveil.fenced.suppression.mining import find_violations
from seqveil.tables.trajectories import TrajectoryTable
from suppression_cities import City, Metro

WORLDS = {
    "small": (City(10_000, 9), 300),  # as many records per sequence of two points as City80K; K' in the same proportion
    "city80k": (City(80_000, 26), 800),
    "metro": (Metro(), 800),
    "million": (City(1_000_000, 167), 800),
    "million-8000": (City(1_000_000, 334), 800),
    "loose-million": (City(1_000_000, 167, usual=0.75, stray=0.02), 800),
}
STRATEGIES = ("local", "thesis", "global")


def run(table: TrajectoryTable, model: KCL, strategy: str, mfs_support: int | None = None) -> Suppressed:
    """Scored by instances, or by MFS where there is a K'."""
    return suppress(table, model, "instances" if mfs_support is None else "mfs", mfs_support, strategy)  # type: ignore[arg-type]


def printed_loss(table: TrajectoryTable, done: Suppressed, mfs_support: int) -> float:
    """(|U(T)| - |U(T')|) / |U(T)| [Chen thesis, §5.4]: shorter sequences that become maximal make up for lost ones."""
    assert done.frequent is not None
    return 1 - len(find_maximal_frequent(done.table, mfs_support).support) / max(done.frequent, 1)


def speed(table: TrajectoryTable, mfs_support: int | None, strategy: str) -> None:
    """One run of the whole method, from the table in memory to the checked result."""
    run(City(500, 5).table(), KCL.of(5, "0.6", 3), strategy, None if mfs_support is None else 20)  # compiles
    begun, before = time.perf_counter(), time.process_time()
    done = run(table, KCL.of(30, "0.6", 3), strategy, mfs_support)
    seconds, busy = time.perf_counter() - begun, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{len(table):,} records, {len(table.pairs):,} dimensions, {done.instances:,} points, {done.violations:,} MVS; "
          f"{strategy}: {done.local_suppressions:,} local and {done.global_suppressions:,} global suppressions, "
          f"{done.rounds} rounds, {done.repairs} repairs, {done.instance_loss:.2%} of points lost, MFS {done.frequent_lost} of "
          f"{done.frequent} lost; {seconds:.1f} s ({busy:.1f} s of CPU), peak {peak:.2f} GB")  # fmt: skip


def losses(table: TrajectoryTable, mfs_support: int) -> None:
    """Both scores by strategy at K = 10, 30 and 50, and the bound."""
    print("| K | score | " + " | ".join(STRATEGIES) + " | local against global | no less than |")
    for k in (10, 30, 50):
        model = KCL.of(k, "0.6", 3)
        by_points = [run(table, model, strategy).instance_loss for strategy in STRATEGIES]
        print(_row(k, "points", by_points, f"{least_loss(table, model):.1%}"), flush=True)
        runs = [run(table, model, strategy, mfs_support) for strategy in STRATEGIES]
        print(_row(k, "MFS", [done.frequent_loss or 0.0 for done in runs], ""), flush=True)
        print(_row(k, "MFS, as printed", [printed_loss(table, done, mfs_support) for done in runs], ""), flush=True)


def _row(k: int, score: str, shares: list[float], bound: str) -> str:
    better = 1 - shares[0] / shares[-1] if shares[-1] > 0 else 0.0
    return f"| {k} | {score} | " + " | ".join(f"{share:.1%}" for share in shares) + f" | {better:.0%} better | {bound} |"


def least_loss(table: TrajectoryTable, model: KCL) -> float:
    """What any suppression must lose.

    Supports only fall, so a sequence in fewer than K records must vanish from each of them: the sum of the smallest hitting sets
    of these sequences, record by record. New violations and confidences only add to it.
    """
    violations, tree = find_violations(table, model)
    owners: dict[int, set[int]] = {}
    for m, (sequence, records) in enumerate(zip(violations.sequences, find_holders(table, violations, tree), strict=True)):
        for r in records.tolist() if violations.support[m] < model.k else ():
            points = table.flat.items[table.flat.offsets[r] : table.flat.offsets[r + 1]]
            owners.setdefault(r, set()).add(sum(1 << int(at) for at in np.searchsorted(points, sequence)))
    return sum(_smallest_hitting_set(tuple(sorted(masks))) for masks in owners.values()) / len(table.flat.items)


@cache
def _smallest_hitting_set(masks: tuple[int, ...]) -> int:
    size = 0
    while not _hits(masks, size):
        size += 1
    return size


def _hits(masks: tuple[int, ...], budget: int) -> bool:
    """Whether so many bits are enough to hit every mask: one of them is in the smallest mask."""
    if not masks or not budget:
        return not masks
    smallest = min(masks, key=int.bit_count)
    bits = [1 << i for i in range(smallest.bit_length()) if smallest >> i & 1]
    return any(_hits(tuple(mask for mask in masks if not mask & bit), budget - 1) for bit in bits)


def weights(table: TrajectoryTable, mfs_support: int) -> None:
    """Losses at K = 10, 30 and 50 with other constants than those of `rounds.py`: points by instances, then MFS by MFS."""
    changes = [("NEAR", rounds.NEAR), ("NEAR", 0.0), ("NEAR", 3.0), ("NEAR_POWER", 1.0), ("MFS_NEAR", 1.0), ("MFS_NEAR", 100.0),
               ("MFS_POWER", 0.0), ("MFS_POWER", 1.0)]  # fmt: skip
    models = [KCL.of(k, "0.6", 3) for k in (10, 30, 50)]
    for name, value in changes:
        with patch.object(rounds, name, value):
            points = [f"{run(table, model, 'local').instance_loss:.1%}" for model in models]
            mfs = [f"{run(table, model, 'local', mfs_support).frequent_loss:.1%}" for model in models]
        print(f"| {name} = {value:g} | " + " | ".join(points + mfs) + " |", flush=True)


SERIES = {"KCL-Local": ("local", False), "KCL-Thesis": ("thesis", False), "KCL-Global": ("global", False),
          "Trad-Local": ("local", True), "Trad-Global": ("global", True)}  # fmt: skip


def figures(table: TrajectoryTable, folder: Path | None) -> None:
    """Utility loss against K, C and K'. Trad is k-anonymity (Figure 5.2), or L unbounded (Figures 5.3 and 5.4)."""

    @cache
    def at(model: KCL, strategy: str, mfs_support: int | None) -> float:
        done = run(table, model, strategy, mfs_support)
        return done.instance_loss if mfs_support is None else done.frequent_loss or 0.0

    def sweep(name: str, axis: str, places: list[Any], models: Any, mfs_supports: Any) -> None:
        rows = []
        for x in places:
            for score in ("points", "MFS"):
                least = mfs_supports(x) if score == "MFS" else None
                if score == "points" and axis == "K'":
                    continue
                line = {series: at(models(x, trad), strategy, least) for series, (strategy, trad) in SERIES.items()}
                rows += [{"at": float(x), "lost": lost, "series": series, "score": score} for series, lost in line.items()]
                print(f"| {x} | {score} | " + " | ".join(f"{lost:.1%}" for lost in line.values()) + " |", flush=True)
        if folder is not None:
            draw(rows, axis, folder / f"suppression-{name}.svg")

    print("| | score | " + " | ".join(SERIES) + " |")
    ks, cs, supports = [10, 20, 30, 40, 50], ["0.2", "0.25", "0.3", "0.4", "0.6", "0.8", "1"], [150, 225, 300, 375, 450]
    sweep("k", "K", ks, lambda k, trad: KCL.k_anonymity(k) if trad else KCL.of(k, "0.6", 3), lambda _: 300)
    sweep("c", "C", cs, lambda c, trad: KCL.of(30, c, None if trad else 3), lambda _: 300)
    sweep("support", "K'", supports, lambda _, trad: KCL.of(30, "0.6", None if trad else 3), lambda least: least)


def draw(rows: list[dict[str, Any]], axis: str, path: Path) -> None:
    """One line per series, points and MFS beside each other."""
    need("plots")
    import altair as alt
    import vl_convert

    ticks = sorted({row["at"] for row in rows})
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("at:Q", title=axis, scale=alt.Scale(zero=False), axis=alt.Axis(values=ticks, format="~r")),
            y=alt.Y("lost:Q", title="lost", axis=alt.Axis(format=".0%"), scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("series:N", title=None, sort=list(SERIES), legend=alt.Legend(orient="bottom")),
            column=alt.Column("score:N", title=None, sort=["points", "MFS"]),
        )
        .properties(width=300, height=220)
        .configure(background="white")
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_json()), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "losses", "weights", "figures"])
    parser.add_argument("world", nargs="?", choices=list(WORLDS), default="small")
    parser.add_argument("--score", choices=["instances", "mfs"], default="instances")
    parser.add_argument("--strategy", choices=STRATEGIES, default="local")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plots", type=Path)
    options = parser.parse_args()
    world, support = WORLDS[options.world]
    data = world.table(options.seed)
    if data is not None and options.what == "speed":
        speed(data, support if options.score == "mfs" else None, options.strategy)
    elif data is not None and options.what == "losses":
        losses(data, support)
    elif data is not None and options.what == "weights":
        weights(data, support)
    elif data is not None:
        figures(data, options.plots)
