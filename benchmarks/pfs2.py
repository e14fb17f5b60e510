"""PFS² beside [Xu 2015]: Figures 2–7, Table II, and speed. Seeded runs on public data: not differentially private.

    python benchmarks/pfs2.py fig2 publishers fig3 fig4 fig5 fig6 fig7 table2 top speed [--runs 10]

"clip" is our default, "pfs2" the method of the paper; benchmarks/pfs2_more.py has other data sets and the reasons.

F-score against exact mining of the raw data; relative error (RE) is the median of |support − truth|/truth over the released
patterns that are frequent, as in [Li 2012]. House power is SIMULATED (benchmarks/simulate_power.py).
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

import seqveil as sv
from data import find
from seqveil import registry
from seqveil.engines.local.ranking import rank
from seqveil.errors import SeqveilError
from seqveil.tables.flat import Flat

MOST = 300_000
"""Exact mining of a published database stops here; more patterns than this are noise."""

GRID = {
    "msnbc": (0.005, 0.01, 0.015, 0.02, 0.025),
    "bible": (0.1, 0.12, 0.14, 0.16, 0.18),
    "house": (0.3, 0.32, 0.34, 0.36, 0.38),
}
L_MOST = {"msnbc": 50, "bible": 50, "house": 30}
"""The public upper bound l₁; 30 for house power is what the paper's Table II implies."""

PRINTED = {
    "msnbc": (8, "8 8 8 8 7"),
    "bible": (32, "5 5 4 4 4"),
    "house": (30, "10 9 9 8 7"),
}
"""Table II of the paper: l_max, and L_f for the thresholds of GRID."""

VARIANTS = ["clip", "pfs2"]
"""What figures 2, 3, 5 and 6 compare; --variants takes fewer. --top is measured with the default, clip."""

Patterns = dict[tuple[int, ...], float]


@cache
def load(name: str) -> Any:
    """A table, or None when its file is missing."""
    if name == "house":
        from simulate_power import simulate

        levels = (simulate(0) - 1).astype(np.int32)
        offsets = np.arange(len(levels) + 1, dtype=np.int64) * levels.shape[1]
        return sv.SequenceTable(sv.Domain.range(1, 21), Flat(levels.reshape(-1), offsets))
    path = find(f"{name}.seq.gz")
    if path is None:
        return None
    if name == "msnbc":
        return sv.read_sequences(path, domain=sv.Domain.range(1, 17))
    return sv.read_sequences(path, domain=sv.Domain.range(1, 20_000))


def mined(flat: Flat, labels: int, least: int) -> Patterns:
    """Exact mining."""
    patterns = rank(flat, labels, least=least, longest=100, most=MOST)
    return dict(zip(patterns.patterns(), patterns.support.tolist(), strict=True))


@cache
def truth(name: str, theta: float) -> Patterns:
    table = load(name)
    return mined(table.flat, len(table.domain), int(np.ceil(theta * len(table))))


def released(release: Any) -> Patterns:
    """The patterns of a release with their supports."""
    return {release.patterns.pattern(k): float(release.patterns.count[k]) for k in range(len(release))}


def score(patterns: Patterns, true: Patterns) -> dict[str, float]:
    """Precision, recall, F-score, and the median and mean relative error of what was found rightly."""
    right = [p for p in patterns if p in true]
    precision, recall = len(right) / max(len(patterns), 1), len(right) / max(len(true), 1)
    errors = [abs(patterns[p] - true[p]) / true[p] for p in right]
    return {
        "P": precision,
        "R": recall,
        "F": 2 * precision * recall / max(precision + recall, 1e-12),
        "RE": float(np.median(errors)) if errors else float("nan"),
        "mean RE": float(np.mean(errors)) if errors else float("nan"),
    }


def printed_noise(true: Patterns, l_max: int, epsilon: float = 1.0) -> float:
    """The median relative error of all frequent patterns up to l_max under the paper's noise, were pruning perfect.

    That noise has scale |F_k|·L_f/(.45 ε). Who counts fewer patterns, as we do where it gets large, can be below it.
    """
    lengths = np.array([len(p) for p in true if len(p) <= l_max])
    support = np.array([n for p, n in true.items() if len(p) <= l_max])
    scale = np.bincount(lengths)[lengths] * lengths.max() / (0.45 * epsilon)
    noise = np.abs(np.random.default_rng(0).laplace(0, scale, (200, len(lengths))))
    return float(np.median(noise / support))


def pfs2(name: str, theta: float, seed: int, epsilon: float = 1.0, variant: Any = "pfs2", **options: Any) -> Patterns:
    l_most = 50 if variant == "clip" else L_MOST[name]
    mechanism = sv.PFS2(support=theta, l_most=l_most, variant=variant, **options)
    return released(sv.experiment(load(name), mechanism, epsilon, seed=seed))


def best_of(name: str, k: int, seed: int) -> Patterns:
    return released(sv.experiment(load(name), sv.PFS2(top=k), 1.0, seed=seed))


def then_mine(mechanism: Any) -> Callable[..., Patterns]:
    """A publisher, then exact mining of its records; the threshold is relative to the original data, as in the paper."""

    @cache
    def published(name: str, seed: int, epsilon: float) -> Flat | None:
        try:
            return sv.experiment(load(name), mechanism, epsilon, seed=seed).synthetic
        except SeqveilError:
            return None  # refused: the tree would be mostly noise

    def run(name: str, theta: float, seed: int, epsilon: float = 1.0) -> Patterns:
        table = load(name)
        flat = published(name, seed, epsilon)
        return {} if flat is None else mined(flat, len(table.domain), int(np.ceil(theta * len(table))))

    return run


NGRAM = then_mine(sv.NGram(l_max=20, n_max=5))
AS_PRINTED = then_mine(registry.make("ngram-printed", {"l_max": 20, "n_max": 5}))
PREFIX = then_mine(sv.PrefixPublication(h=12))


def mean(true: Patterns, runs: int, run: Callable[..., Patterns], *arguments: Any, **options: Any) -> dict[str, float]:
    """The mean of every score over seeded runs."""
    scores = [score(run(*arguments, seed=seed, **options), true) for seed in range(1, runs + 1)]
    return {
        key: float(np.nanmean([s[key] for s in scores])) if any(s[key] == s[key] for s in scores) else np.nan for key in scores[0]
    }


def line(*cells: object) -> None:
    print("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |", flush=True)


def head(title: str, *columns: str) -> None:
    print(f"\n### {title}\n", flush=True)
    line(*columns)
    line(*["---"] * len(columns))


def fig2(runs: int) -> None:
    columns = [cell for v in VARIANTS for cell in (f"{v} P", "R", "F", "RE", "mean RE")]
    title = f"Figure 2: F-score and relative error, ε = 1, {runs} runs"
    head(title, "data", "θ", "true", *columns, "RE of printed noise")
    for name, thetas in GRID.items():
        if load(name) is None:
            continue
        for theta in thetas:
            true = truth(name, theta)
            scores = [mean(true, runs, pfs2, name, theta, variant=variant) for variant in VARIANTS]
            shown = [s[k] for s in scores for k in ("P", "R", "F", "RE", "mean RE")]
            line(name, str(theta), len(true), *shown, printed_noise(true, PRINTED[name][0]))


def publishers(runs: int) -> None:
    title = f"Figure 2: publishers, ε = 1, {min(runs, 3)} runs"
    head(title, "data", "θ", "n-gram F", "RE", "as printed F", "RE", "prefix F", "RE")
    for name, thetas in GRID.items():
        if load(name) is None:
            continue
        for theta in thetas:
            true = truth(name, theta)
            gram = mean(true, min(runs, 3), NGRAM, name, theta)
            printed = mean(true, min(runs, 3), AS_PRINTED, name, theta)
            prefix = mean(true, min(runs, 3), PREFIX, name, theta) if name != "bible" else {"F": "–", "RE": "–"}
            line(name, str(theta), *(means[measure] for means in (gram, printed, prefix) for measure in ("F", "RE")))


def fig3(runs: int) -> None:
    head(f"Figure 3: privacy budget, {runs} runs", "data", "θ", "ε", *(f"{v} {m}" for v in VARIANTS for m in ("F", "RE")))
    for name, theta in (("msnbc", 0.015), ("house", 0.34)):
        if name not in GRID or load(name) is None:
            continue
        for epsilon in (0.5, 0.75, 1.0, 1.25, 1.5):
            true = truth(name, theta)
            scores = [mean(true, runs, pfs2, name, theta, epsilon=epsilon, variant=v) for v in VARIANTS]
            line(name, str(theta), str(epsilon), *(s[m] for s in scores for m in ("F", "RE")))


def variants(title: str, names: Iterable[str], which: tuple[str, ...], runs: int) -> None:
    head(title, "data", "θ", *(f"{v} {m}" for v in which for m in ("F", "RE")))
    for name in names:
        if load(name) is None:
            continue
        for theta in GRID[name]:
            true = truth(name, theta)
            scores = [mean(true, runs, pfs2, name, theta, variant=v) for v in which]
            line(name, str(theta), *(x[m] for x in scores for m in ("F", "RE")))


def fig4(runs: int) -> None:
    variants(f"Figure 4: shrinking and relaxation, {runs} runs", ("bible", "house"), ("rr", "sr", "pfs2"), runs)


def fig5(runs: int) -> None:
    columns = [f"{v} {m}" for v in VARIANTS for m in ("P", "R", "F")]
    head(f"Figure 5: by length, house power (simulated), θ = 0.36, {runs} runs", "length", "true", *columns)
    true = truth("house", 0.36)
    patterns = {v: [pfs2("house", 0.36, seed, variant=v) for seed in range(1, runs + 1)] for v in VARIANTS}
    for k in range(1, min(max(map(len, true)), 16) + 1):
        mine = {p: n for p, n in true.items() if len(p) == k}
        cells = []
        for releases in patterns.values():
            scores = [score({p: n for p, n in f.items() if len(p) == k}, mine) for f in releases]
            cells += [float(np.mean([s[m] for s in scores])) for m in ("P", "R", "F")]
        line(k, len(mine), *cells)


def fig6(runs: int) -> None:
    zetas = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    columns = (f"ζ={z} {m}" for z in zetas for m in ("F", "RE"))
    head(f"Figure 6: relaxation ζ, {runs} runs", "data", "θ", "variant", *columns)
    for name, theta in (("msnbc", 0.05), ("bible", 0.1), ("house", 0.3)):
        if name in GRID and load(name) is not None:
            for variant in VARIANTS:
                scores = [mean(truth(name, theta), runs, pfs2, name, theta, zeta=z, variant=variant) for z in zetas]
                line(name, str(theta), variant, *(x[m] for x in scores for m in ("F", "RE")))


def fig7(runs: int) -> None:
    variants(f"Figure 7: with samples and without (PL), {runs} runs", GRID, ("pl", "pfs2"), runs)


def table2(runs: int) -> None:
    from seqveil.mine.pfs2.miner import Shares
    from seqveil.tables.units import Record
    from seqveil.wall.noise import SeededNoise
    from seqveil.wall.wall import Wall

    head("Table II: l_max and L_f (one seeded run each), paper in brackets", "data", "l_max", "L_f for the five θ", "exact L_f")
    for name, thetas in GRID.items():
        if load(name) is None:
            continue
        patterns = []
        for theta in thetas:
            wall = Wall(load(name), Record(), 10**12, SeededNoise(1))
            miner = sv.PFS2(support=theta, l_most=L_MOST[name], variant="pfs2")._miner()
            patterns.append(miner.premine(wall, Shares.of(10**12, False)))
        exact = " ".join(str(max(map(len, truth(name, theta)))) for theta in thetas)
        lengths = " ".join(str(f.longest) for f in patterns)
        line(name, f"{patterns[0].l_max} ({PRINTED[name][0]})", f"{lengths} ({PRINTED[name][1]})", exact)


def top_k(names: Iterable[str], best: Callable[[str, int], Patterns], mine: Callable[..., Patterns], runs: int) -> None:
    """The table of --top K: `best` knows the true top K, `mine` makes a seeded release."""
    columns = [cell for k in (20, 50, 100) for cell in (f"K={k}", "RE")]
    head(f"--top K, ε = 1, {runs} runs: recall of the true top K, and RE", "data", *columns)
    for name in names:
        cells: list[float] = []
        for k in (20, 50, 100):
            average = mean(best(name, k), runs, mine, name, k)
            cells += [average["R"], average["RE"]]
        line(name, *cells)


def top(runs: int) -> None:
    def best(name: str, k: int) -> Patterns:
        table = load(name)
        ranked = rank(table.flat, len(table.domain), least=1, longest=100, most=k)
        return dict(zip(ranked.patterns(), ranked.support.tolist(), strict=True))

    top_k([name for name in GRID if load(name) is not None], best, best_of, runs)


def speed(runs: int) -> None:
    head("Speed, warm, exact noise (SecureNoise), seconds of processor time", "work", "seconds", "peak MB so far", "bar")
    from seqveil.tables.units import Record
    from seqveil.wall.noise import SecureNoise
    from seqveil.wall.run import perform

    for name, theta, bar in (("msnbc", 0.015, "60 s, 2 GB"), ("bible", 0.1, "120 s"), ("house", 0.3, "–")):
        if load(name) is None:
            continue
        taken = []
        for _ in range(4):
            start = time.process_time()
            perform(sv.PFS2(support=theta), load(name), Record(), 10**12, SecureNoise())
            taken.append(time.process_time() - start)
        line(f"{name} θ = {theta}", float(np.median(taken[1:])), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, bar)


PARTS = {f.__name__: f for f in (fig2, publishers, fig3, fig4, fig5, fig6, fig7, table2, top, speed)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--variants", nargs="*", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--data", nargs="*", choices=list(GRID), default=list(GRID))
    options = parser.parse_args()
    VARIANTS[:] = options.variants
    for name in set(GRID) - set(options.data):
        del GRID[name]
    print(f"python benchmarks/{' '.join([sys.argv[0].rsplit('/', 1)[-1], *sys.argv[1:]])}")
    for part in options.parts:
        PARTS[part](options.runs)


if __name__ == "__main__":
    main()
