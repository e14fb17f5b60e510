"""DiffPart [Chen thesis, §4.4] against its baseline.

    python benchmarks/diffpart.py choose|utility|sweep|rows|fresh|usefulness|speed

Prints Markdown tables; docs/results/diffpart.md keeps them. Raw data is read on both sides: INTERNAL.
"""

from __future__ import annotations

import math
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import seqveil as sv
from data import find
from seqveil.errors import CallError
from seqveil.evaluate.sets import Weighted, Workload
from seqveil.tables.sets import SetTable
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record
from seqveil.wall.budget import grains
from seqveil.wall.noise import SecureNoise
from seqveil.wall.run import perform
from simulated_rows import adult, census, marginal_error, mushroom, survey, visits
from simulated_sets import BASKETS, PORTAL, STATIONS

EPSILONS = ("0.5", "0.75", "1.0", "1.25")
REAL = {
    "msnbc": ("msnbc.seq.gz", (1, 17)),
    "retail": ("retail.dat.gz", (0, 16_469)),
    "T10I4D100K": ("T10I4D100K.dat.gz", (0, 999)),
    "mushroom": ("mushroom.dat.gz", (1, 119)),
}


def row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells: str) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def real(name: str) -> SetTable | None:
    file, ends = REAL[name]
    path = find(file)
    return None if path is None else sv.read_sets(path, domain=sv.Domain.range(*ends))


def scores(table: SetTable, workload: Workload, mechanism: object, epsilon: str, runs: int) -> tuple[list, list, float]:
    """Mean relative errors per class, mean top-K utilities, mean share of records that the synthetic data has."""
    errors, utilities, sizes = [], [], []
    for seed in range(runs):
        release = sv.experiment(table, mechanism, epsilon, seed=seed)
        released = Weighted.released(release)
        errors.append(list(workload.errors(released).values()))
        utilities.append([workload.utility(released, k) for k in (20, 60, 100)])
        sizes.append(release.published / workload.raw.records)
    return np.mean(errors, 0).tolist(), np.mean(utilities, 0).tolist(), float(np.mean(sizes))


def workload_of(table: SetTable, queries: int) -> Workload:
    return Workload(Weighted.raw(table.flat), len(table.domain), queries)


def choose() -> None:
    """C1 and C2 by simulated data alone."""
    header("world", "c1", "c2", "error, mean of five classes", "utility K=20", "K=60", "K=100", "records kept")
    for world in (replace(STATIONS, records=600_000), PORTAL, BASKETS):
        table = world.table()
        workload = workload_of(table, 10_000)
        for c2 in (4.6, 5.0, 5.5, 6.75):
            for c1 in (1.5, 2.0, 2.75, 3.5, 5.0):
                errors, utility, kept = scores(table, workload, sv.DiffPart(c1=c1, c2=c2), "1.0", 2)
                row(world.name, c1, c2, f"{np.mean(errors):.4f}", *(f"{u:.3f}" for u in utility), f"{kept:.2f}")


def utility() -> None:
    """§4.4: counting queries in five classes, and top-K itemsets, per ε."""
    classes = [f"≤{p} %" for p in (20, 40, 60, 80, 100)]
    header("data", "method", "ε", *classes, "utility K=20", "K=60", "K=100", "records kept")
    worlds = {name: real(name) for name in REAL} | {"stations (simulated)": STATIONS.table()}
    for name, table in worlds.items():
        if table is None:
            continue
        workload = workload_of(table, 50_000)
        methods = [sv.DiffPart()] + ([sv.ItemsetNoise()] if len(table.domain) <= 20 else [])
        for mechanism in methods:
            for epsilon in EPSILONS:
                runs = 10 if name == "msnbc" else 5
                errors, top, kept = scores(table, workload, mechanism, epsilon, runs)
                row(name, mechanism.name, epsilon, *(f"{e:.4f}" for e in errors), *(f"{u:.3f}" for u in top), f"{kept:.3f}")
    table = worlds["msnbc"]
    if table is not None:
        print("\nCounts as `query` gives them (signed sums), MSNBC:\n")
        workload = workload_of(table, 50_000)
        header("method", "ε", *classes)
        for mechanism in (sv.DiffPart(), sv.ItemsetNoise()):
            for epsilon in EPSILONS:
                releases = (Weighted.answered(sv.experiment(table, mechanism, epsilon, seed=s)) for s in range(5))
                means = [list(workload.errors(answered).values()) for answered in releases]
                row(mechanism.name, epsilon, *(f"{e:.4f}" for e in np.mean(means, 0)))


def sweep() -> None:
    """Fan-out, universe and size, ε = 1."""
    header("sweep", "value", "error ≤20 %", "error ≤60 %", "utility K=100", "records kept", "seconds")
    msnbc, stations = real("msnbc"), STATIONS.table()
    workloads: dict[int, Workload] = {}
    cases: list[tuple[str, object, SetTable, sv.DiffPart]] = []
    for fan_out in (2, 4, 6, 8, 10, 12, 16):
        constants = {} if fan_out <= 10 else {"c1": 2.75 + (fan_out - 10) * 0.49, "c2": 5.0 + (fan_out - 10) * 0.49}
        mechanism = sv.DiffPart(fan_out=fan_out, **constants)
        cases += [("fan-out, MSNBC", fan_out, msnbc, mechanism)] if msnbc is not None else []
        cases.append(("fan-out, stations", fan_out, stations, mechanism))
    for used in (200, 400, 600, 800, 1_012):
        cases.append(("universe, 800,000 sets", used, replace(STATIONS, records=800_000, used=used).table(), sv.DiffPart()))
    for records in (200_000, 400_000, 800_000, 1_210_096):
        cases.append(("size, stations", records, replace(STATIONS, records=records).table(), sv.DiffPart()))
    for name, value, table, mechanism in cases:
        workload = workloads.setdefault(id(table), workloads.get(id(table)) or workload_of(table, 10_000))
        try:
            began = time.perf_counter()
            sv.experiment(table, mechanism, "1.0", seed=0)
            took = time.perf_counter() - began
            errors, top, kept = scores(table, workload, mechanism, "1.0", 3)
        except CallError as refused:
            row(name, value, f"refused: {refused}", "", "", "", "")
            continue
        row(name, f"{value:,}", f"{errors[0]:.4f}", f"{errors[2]:.4f}", f"{top[2]:.3f}", f"{kept:.3f}", f"{took:.2f}")


def usefulness() -> None:
    """Theorem 4.3: with probability 1 − β no query over k itemsets that exist or were published is off by more than δ."""
    header("labels", "fan-out", "ε", "φ", "γ", "k", "δ at β = 0.05")
    for labels, epsilon, k in ((17, 1.0, 1), (17, 1.0, 100), (119, 1.0, 1), (1_012, 1.0, 1), (1_012, 1.0, 100)):
        taxonomy = Taxonomy.balanced(labels, 10)
        cuts, height = int(taxonomy.internal[taxonomy.root]), int(taxonomy.height[taxonomy.root])
        phi = epsilon * 0.98 / (2 * cuts)
        gamma = math.sqrt(2) * 5.0 * height / phi
        delta = k * (gamma + math.log(k / 0.05) / phi)
        row(f"{labels:,}", 10, epsilon, f"{phi:.5f}", f"{gamma:,.0f}", k, f"{delta:,.0f}")


ROWS = {
    "diffpart (bags)": sv.DiffPart(),
    "rows": sv.DiffPartRows(),
    "rows, fixed order": sv.DiffPartRows(choosing=0.0),
    "rows, growth 1": sv.DiffPartRows(growth=1.0),
    "rows, growth 1.25": sv.DiffPartRows(growth=1.25),
    "rows, growth 2": sv.DiffPartRows(growth=2.0),
    "rows, c1 1": sv.DiffPartRows(c1=1.0),
    "rows, c1 c2 2": sv.DiffPartRows(c1=2.0, c2=2.0),
    "rows, c1 c2 3": sv.DiffPartRows(c1=3.0, c2=3.0),
}


def rows() -> None:
    """Rows of relational tables: as sets of attribute=value, and attribute by attribute with and without a private choice."""
    worlds = {f"adult-like, {n:,} × {a}": adult(n, a) for n, a in ((45_222, 4), (45_222, 8), (500_000, 8))}
    compare_rows(worlds | {f"mushroom, 8,124 × {a}": mushroom(a) for a in (4, 8, 23)})


def fresh() -> None:
    """The same on tables on which nothing was chosen."""
    worlds = {"census": census, "survey": survey, "visits": visits}
    compare_rows({f"{name}, {n:,}": make(n) for n in (20_000, 100_000) for name, make in worlds.items()})


def compare_rows(worlds: dict[str, SetTable | None]) -> None:
    header(
        "data",
        "method",
        "ε",
        "1-way error",
        "2-way",
        "3-way",
        "utility K=100",
        "records kept",
        "published rows",
        "nobody's",
        "CPU s",
    )
    for name, table in worlds.items():
        if table is None:
            continue
        workload = workload_of(table, 100)
        ways = (1, 2, 3) if len(table.flat.items) < 12 * len(table) else (1, 2)
        for method, mechanism in ROWS.items():
            measured = []
            for seed in range(2):
                began = time.process_time()
                release = sv.experiment(table, mechanism, "1.0", seed=seed)
                took = time.process_time() - began
                published = Weighted.released(release)
                errors = [marginal_error(published, workload.raw, table.domain, w) for w in ways] + [math.nan] * (3 - len(ways))
                kept = release.published / workload.raw.records
                measured.append(
                    [*errors, workload.utility(published, 100), kept, len(release), invented(published, workload.raw), took]
                )
            mean = np.mean(measured, 0)
            row(
                name,
                method,
                "1.0",
                *(f"{x:.3f}" for x in mean[:5]),
                f"{mean[5]:,.0f}",
                f"{mean[6]:.0%}",
                f"{min(m[7] for m in measured):.2f}",
            )


def invented(published: Weighted, raw: Weighted) -> float:
    """The share of published rows that no record has."""
    real = {tuple(row.tolist()) for row in raw.flat}
    return sum(tuple(row.tolist()) not in real for row in published.flat) / max(len(published.flat), 1)


def timed(table: SetTable) -> tuple[float, int]:
    """Seconds of one private run and its save, warm, and the sets it published."""
    best, sets = math.inf, 0
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            release = perform(sv.DiffPart(), table, Record(), grains("1.0"), SecureNoise())
            release.save(Path(folder) / "r")
            best, sets = min(best, time.perf_counter() - began), len(release)
    return best, sets


def speed() -> None:
    """The bars of the issue: exact noise, publish and save, warm; reading apart."""
    header("work", "read s", "publish + save s", "published sets", "peak memory GB")
    path = find(REAL["msnbc"][0])
    if path is not None:
        sv.read_sets(path, domain=sv.Domain.range(1, 17))
        began = time.perf_counter()
        table = sv.read_sets(path, domain=sv.Domain.range(1, 17))
        read = time.perf_counter() - began
        took, sets = timed(table)
        row("MSNBC, 989,818 × 17", f"{read:.2f}", f"{took:.2f}", f"{sets:,}", peak())
    for records in (302_524, 605_048, 1_210_096, 2_420_192):
        took, sets = timed(replace(STATIONS, records=records).table())
        row(f"stations, {records:,} × 1,012", "-", f"{took:.2f}", f"{sets:,}", peak())
    for labels in (1_012, 10_000, 100_000, 1_000_000):
        took, sets = timed(replace(STATIONS, records=605_048, labels=labels).table())
        row(f"stations, 605,048, domain of {labels:,}, 1,012 used", "-", f"{took:.2f}", f"{sets:,}", peak())


def peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}"


if __name__ == "__main__":
    parts = {
        "choose": choose,
        "utility": utility,
        "sweep": sweep,
        "rows": rows,
        "fresh": fresh,
        "usefulness": usefulness,
        "speed": speed,
    }
    for wanted in sys.argv[1:] or ["usefulness", "speed"]:
        print(f"\n{wanted}\n")
        parts[wanted]()
