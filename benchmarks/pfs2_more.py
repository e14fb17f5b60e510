"""PFS² on more data, and why parts of it help or do not: samples, relaxation, and the order in which records are clipped.

    python benchmarks/pfs2_more.py sets samples relaxation order [--runs 3]

Seeded runs on public data: not differentially private. Measures as in benchmarks/pfs2.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

import pfs2 as figures
import seqveil as sv
from pfs2 import Patterns, head, line, mined, released, score
from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.evaluate.bench.quality import sets as quality
from seqveil.mine.pfs2 import exploring, miner, mining
from seqveil.mine.pfs2.candidates import every_label

SETS = {
    "bms1": (0.01, 0.02),
    "nasa_aug95": (0.01, 0.03),
    "us_flights": (0.005, 0.01),
    "helpdesk": (0.1, 0.2),
    "foursquare_nyc_daily": (0.003, 0.005),
    "leviathan": (0.15, 0.2),
    "sign": (0.6, 0.7),
    "tube": (0.02, 0.04),
    "clicks": (0.01, 0.02),
    "bike_days": (0.01, 0.02),
}
"""Thresholds at which between a few and a few hundred patterns are frequent."""


@cache
def load(name: str) -> Any:
    return figures.load(name) if name in figures.GRID else quality.SETS[name].read(None)


@cache
def truth(name: str, theta: float) -> Patterns:
    table = load(name)
    return mined(table.flat, len(table.domain), int(np.ceil(theta * len(table))))


def scores(name: str, theta: float, runs: int, **options: Any) -> dict[str, float]:
    """Mean scores of seeded runs, and how many of the 95 % bars hold the true support (clipping makes it fewer)."""
    true, rows, covered = truth(name, theta), [], []
    for seed in range(1, runs + 1):
        release = sv.experiment(load(name), sv.PFS2(support=theta, **options), 1.0, seed=seed)
        rows.append(score(released(release), true))
        for row, answer in enumerate(release.answers(range(len(release)))):
            pattern = release.patterns.pattern(row)
            if pattern in true:
                covered.append(answer.low <= true[pattern] <= answer.high)
    means = {key: float(np.nanmean([r[key] for r in rows])) if any(r[key] == r[key] for r in rows) else np.nan for key in rows[0]}
    return means | {"covered": float(np.mean(covered)) if covered else np.nan}


def sets(runs: int) -> None:
    head(
        f"Other data, ε = 1, {runs} runs",
        *("data", "records", "labels", "θ", "true", "longest"),
        *("clip P", "R", "F", "RE", "bars that cover", "pfs2 P", "R", "F", "RE"),
    )
    for name, thetas in SETS.items():
        for theta in thetas:
            table, true = load(name), truth(name, theta)
            clip, paper = scores(name, theta, runs), scores(name, theta, runs, variant="pfs2")
            shown = [clip[k] for k in ("P", "R", "F", "RE", "covered")] + [paper[k] for k in ("P", "R", "F", "RE")]
            line(name, len(table), len(table.domain), str(theta), len(true), max(map(len, true), default=0), *shown)


def on_all_records(wall: Any, language: Any, premined: Any, pruning: int, counting: int, zeta: float | None) -> list[Any]:
    """The paper's levels without secret samples: candidates are pruned on all records, each level with ε₄/L_f."""
    levels, candidates = [], every_label(len(wall.domain))
    prune, share = pruning // premined.longest, counting // premined.longest
    most, whole = mining.affordable(premined.threshold, share, wall.unit.sequences), replace(premined, longest=1)
    for _ in range(premined.longest):
        if not len(candidates) or not most:
            break
        left = mining.prune(wall, language, candidates, whole, prune, most, zeta)
        if not len(left):
            break
        levels.append(mining.discover(wall, left, premined.threshold, share))
        candidates = language.longer(levels[-1].patterns, levels[-1].noisy)
    return levels


_cut = miner.mine_cut
WITHOUT_SAMPLES: dict[str, tuple[str, Callable[[], AbstractContextManager[Any]]]] = {
    "secret samples": ("samples", nullcontext),
    "pruned on all records": ("samples", lambda: patch.object(miner, "mine_by_samples", on_all_records)),
    "cut records, ε₄ + ε₅": ("cut", nullcontext),
    "cut records, ε₅": ("cut", lambda: patch.object(miner, "mine_cut", lambda w, g, p, e: _cut(w, g, p, e // 2))),
}
"""Ways to count, as (how, what is changed); the second has the noise of the first and no sampling error."""


def samples(runs: int) -> None:
    head(f"Samples or not, ε = 1, {runs} runs", "data", "θ", *(f"{w} {m}" for w in WITHOUT_SAMPLES for m in ("F", "RE")))
    for name, theta in (("house", 0.3), ("house", 0.38), ("bible", 0.1), ("bible", 0.14), ("msnbc", 0.01), ("bms1", 0.01)):
        cells = []
        for how, change in WITHOUT_SAMPLES.values():
            with change():
                mean = scores(name, theta, runs, variant={"samples": "pfs2", "cut": "pl"}[how])
            cells += [mean["F"], mean["RE"]]
        line(name, str(theta), *cells)


def relaxation(runs: int) -> None:
    """Does relaxing lose at low thresholds because more candidates compete for our bound on how many are counted at once?"""
    times = (1, 2, 4)
    columns = [f"{t}× bound, {v} {m}" for t in times for v in ("sr", "pfs2") for m in ("F", "RE")]
    head(f"Relaxed thresholds and the bound on the patterns counted at once, {runs} runs", "data", "θ", *columns)
    for name, theta in (("bible", 0.1), ("bible", 0.12), ("bible", 0.16), ("house", 0.3), ("house", 0.36)):
        cells = []
        for larger in times:
            with patch.object(mining, "MOST_NOISE", larger * mining.MOST_NOISE):
                for variant in ("sr", "pfs2"):
                    mean = scores(name, theta, runs, variant=variant)
                    cells += [mean["F"], mean["RE"]]
        line(name, str(theta), *cells)


def order(runs: int) -> None:
    """What clipping alone takes from the frequent patterns, in two orders, at a B that 1 % of the records exceed. No noise."""
    columns = [f"{o}: {m}" for o in ("rare first", "common first") for m in ("median loss", "largest", "fall below θ")]
    head("Order of clipping, without noise", "data", "θ", "true", "B", *columns)
    for name, theta in (("msnbc", 0.005), *((name, thetas[0]) for name, thetas in SETS.items())):
        table, true = load(name), truth(name, theta)
        rare = sorted(true, key=lambda p: (true[p], p))
        bounds, least = np.arange(len(rare)), int(np.ceil(theta * len(table)))
        numbers = LOCAL.contained(table, exploring.padded(rare), bounds).dense(len(rare) + 1)
        most = max(1, int(np.searchsorted(np.cumsum(numbers), 0.99 * len(table))))
        cells: list[object] = []
        for patterns in (rare, rare[::-1]):
            count = LOCAL.clipped_supports(table, exploring.padded(patterns), most=most, fair=False).dense(len(rare))
            support = np.array([true[p] for p in patterns])
            loss = 1 - count / support
            cells += [float(np.median(loss)), float(loss.max()), float(np.mean(count < least))]
        line(name, str(theta), len(true), most, *cells)


PARTS = {f.__name__: f for f in (sets, samples, relaxation, order)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", nargs="*", choices=list(SETS), default=list(SETS))
    options = parser.parse_args()
    for name in set(SETS) - set(options.data):
        del SETS[name]
    print(f"python benchmarks/{' '.join([sys.argv[0].rsplit('/', 1)[-1], *sys.argv[1:]])}")
    for part in options.parts:
        PARTS[part](options.runs)


if __name__ == "__main__":
    main()
