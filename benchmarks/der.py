"""DER and its rivals on ca-GrQc, ca-HepTh and wiki-Vote, with [Chen thesis, Table 7.2] beside it. Prints Markdown.

python benchmarks/der.py table      errors of cuts (any vertices, and along the order) and degrees at ε = 1 and 2, in three orders
python benchmarks/der.py readings   what a cut query and a vertex order may have been in the thesis, and what each gives
python benchmarks/der.py sweep      ε from 0.2 to 1 and k from 1 to 25 (figures 7.4 to 7.7)
python benchmarks/der.py structure  clustering, distances, components, spectral gap
python benchmarks/der.py blocks     a simulated graph whose public order follows its communities, and the same shuffled
python benchmarks/der.py speed      seconds and memory with secure noise, up to 200,000 vertices
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

import seqveil as sv
from data import find
from seqveil.evaluate.graphs import LARGE, SMALL, Graph, cut_counts, degree_divergence, relative_error, structure

NAMES = ("ca-GrQc", "ca-HepTh", "wiki-Vote")
PRINTED = {
    "ca-GrQc": (0.040, 0.033, 0.036, 0.050, 0.047),
    "ca-HepTh": (0.035, 0.037, 0.036, 0.045, 0.042),
    "wiki-Vote": (0.041, 0.046, 0.045, 0.042, 0.047),
}
"""Table 7.2 at ε = 1; its ca-HepTh is a subset of 5,000 vertices, and the printed method spends 2ε."""

METHODS = {
    "der": sv.DER(),
    "der, cut in the middle": sv.DER(splitting=0.0),
    "der, leaves rounded as printed": sv.DER(consistent=False),
    "graph-bter": sv.GraphBTER(),
    "graph-degrees": sv.GraphDegrees(),
    "graph-degrees isotonic": sv.GraphDegrees(isotonic=True),
    "graph-random": sv.GraphRandom(),
    "graph-laplace": sv.GraphLaplace(),
}
RUNS = 3
QUERIES = 5_000
"""Per class; the thesis asks 20,000. The standard error of a mean over 5,000 is below 0.003 where errors are below 0.2."""
FEW = 1_000


ORDERS = ("given", "random", "first seen")


def load(name: str, order: str = "given") -> sv.GraphTable | None:
    """A graph with its vertices in ascending order of their numbers, in a random public order, or as a list of edges names them.

    The last one is what a program gets that numbers vertices as it reads a file of edges. It follows the edges, so it is
    not public; it is here because the thesis may have used it.
    """
    path = find(f"{name}.edges.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        ends = np.loadtxt(file, dtype=np.int64)
    labels, seen = np.unique(ends, return_index=True)
    if order == "random":
        labels = np.random.default_rng(2014).permutation(labels)
    elif order == "first seen":
        labels = labels[np.argsort(seen)]
    place = np.empty(labels.max() + 1, np.int64)
    place[labels] = np.arange(len(labels))
    return sv.GraphTable.of(sv.Domain.of(map(str, labels)), place[ends[:, 0]], place[ends[:, 1]])


@dataclass
class Measured:
    """Means over runs."""

    cuts: dict[int, float]
    runs: dict[int, float]
    divergence: float
    seconds: float


@cache
def truth(graph: sv.GraphTable, size: int, number: int, runs: bool) -> np.ndarray:
    """The real answers to a class of queries, once for all methods."""
    return cut_counts(Graph.of(graph), size, number, runs=runs)


def measure(
    graph: sv.GraphTable, mechanism: Any, epsilon: str, sizes: list[int], along: list[int], number: int, k: int = 1
) -> Measured:
    """Cuts of any vertices up to each of `sizes`, and of runs of the order up to each of `along`."""
    cuts: dict[int, list[float]] = {size: [] for size in sizes}
    runs: dict[int, list[float]] = {size: [] for size in along}
    divergence, seconds = [], []
    for seed in range(RUNS):
        start = time.perf_counter()
        release = sv.experiment(graph, mechanism, epsilon, seed=seed, unit=sv.Edge(k))
        seconds.append(time.perf_counter() - start)
        drawn = Graph.of(release)
        for by_size, together in ((cuts, False), (runs, True)):
            for size, errors in by_size.items():
                answer = cut_counts(drawn, size, number, runs=together)
                errors.append(relative_error(truth(graph, size, number, together), answer, len(graph)))
        divergence.append(degree_divergence(graph.degrees, drawn.degrees))
    means = [{size: float(np.mean(errors)) for size, errors in by_size.items()} for by_size in (cuts, runs)]
    return Measured(*means, float(np.mean(divergence)), float(np.median(seconds)))


def line(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def shown(values: Any) -> list[str]:
    return [f"{value:.3f}" for value in values]


def table() -> None:
    """All methods in the given order, and those that divide or ignore it in the other orders too."""
    for name in NAMES:
        orders = {order: load(name, order) for order in ORDERS}
        graph = orders["given"]
        if graph is None:
            continue
        n = len(graph.domain)
        sizes = [round(share * n) for share in LARGE]
        rows: list[tuple[str, str, str, Measured]] = []
        for epsilon in ("1.0", "2.0"):
            for method, mechanism in METHODS.items():
                for order, ordered in orders.items():
                    if order == "given" or method in ("der", "graph-random"):
                        rows.append((method, epsilon, order, measure(ordered, mechanism, epsilon, sizes, sizes, QUERIES)))
        rows.append(("exact degrees, no privacy", "-", "given", measure(graph, sv.GraphDegrees(), "1000", sizes, sizes, QUERIES)))
        shares = [f"{share:g}·V" for share in LARGE]
        thesis = ("thesis, table 7.2 (really spends 2ε)", "1.0", "unknown", *shown(PRINTED[name]))
        print(f"\n### {name}: {n:,} vertices, {len(graph):,} edges\n\nCuts along the order:\n")
        line("method", "ε", "order", *shares)
        line(*["---"] * 8)
        line(*thesis)
        for method, epsilon, order, m in rows:
            line(method, epsilon, order, *shown(m.runs.values()))
        print("\nCuts of any vertices, and degrees:\n")
        line("method", "ε", "order", *shares, "KL of degrees", "seconds")
        line(*["---"] * 10)
        line(*thesis, "", "")
        for method, epsilon, order, m in rows:
            line(method, epsilon, order, *shown(m.cuts.values()), f"{m.divergence:.2f}", f"{m.seconds:.2f}")
        print("\nSmall queries (figure 7.3), ε = 1, any vertices / along the order:\n")
        line("method", *SMALL)
        line(*["---"] * (1 + len(SMALL)))
        for method in ("der", "graph-degrees", "graph-random", "graph-laplace"):
            m = measure(graph, METHODS[method], "1.0", list(SMALL), list(SMALL), QUERIES)
            line(method, *(f"{m.cuts[size]:.3f} / {m.runs[size]:.3f}" for size in SMALL))


@lru_cache(maxsize=len(LARGE))
def subsets(n: int, largest: int) -> np.ndarray:
    """Columns that mark uniformly random vertices, their number uniform in 1..largest."""
    random = np.random.default_rng(largest)
    lots = random.random((n, FEW), np.float32)
    size = random.integers(1, largest + 1, FEW)
    return (lots <= np.sort(lots, axis=0)[size - 1, np.arange(FEW)]).astype(np.float32)


@lru_cache(maxsize=len(LARGE))
def stretches(n: int, largest: int) -> np.ndarray:
    """Columns that mark one run of the order each, its length uniform in 1..largest."""
    random = np.random.default_rng(largest)
    length = random.integers(1, largest + 1, FEW)
    start = random.integers(0, n - length + 1)
    place = np.arange(n)[:, None]
    return ((start <= place) & (place < start + length)).astype(np.float32)


def leaving(graph: Graph, chosen: np.ndarray) -> np.ndarray:
    """Edges between S and all other vertices."""
    return (chosen * (graph.matrix @ (1 - chosen))).sum(axis=0)


def inside(graph: Graph, chosen: np.ndarray) -> np.ndarray:
    """Edges inside S = T."""
    return (chosen * (graph.matrix @ chosen)).sum(axis=0) / 2


READINGS = {
    "two runs of the order": lambda graph, largest: cut_counts(graph, largest, FEW, runs=True),
    "S and T any vertices": lambda graph, largest: cut_counts(graph, largest, FEW),
    "S a run of the order, T the rest": lambda graph, largest: leaving(graph, stretches(graph.n, largest)),
    "S any vertices, T the rest": lambda graph, largest: leaving(graph, subsets(graph.n, largest)),
    "S = T any vertices": lambda graph, largest: inside(graph, subsets(graph.n, largest)),
}


def readings() -> None:
    """Readings of a cut query in three vertex orders: der at ε = 2 (what the printed method spends at ε = 1) and random."""
    line("graph", "cut query", "order", *(f"der, {share:g}·V" for share in LARGE), *(f"random, {share:g}·V" for share in LARGE))
    line(*["---"] * 13)
    for name in NAMES:
        line(name, "table 7.2", "unknown", *shown(PRINTED[name]), *[""] * 5)
        for order in ORDERS:
            raw = load(name, order)
            if raw is None:
                continue
            read(name, order, raw)
            if (name, order) == ("ca-HepTh", "first seen"):
                read(f"{name}, {SUBSET:,} vertices", order, beginning(raw, SUBSET))
    subset()


def read(name: str, order: str, raw: sv.GraphTable) -> None:
    """One row for each reading of a cut query."""
    real = Graph.of(raw)
    methods = (METHODS["der"], METHODS["graph-random"])
    releases = [Graph.of(sv.experiment(raw, method, "2.0", seed=0, unit=sv.Edge())) for method in methods]
    for words, ask in READINGS.items():
        errors: list[list[float]] = [[], []]
        for share in LARGE:
            answer = ask(real, round(share * real.n))
            for release, by_share in zip(releases, errors, strict=True):
                by_share.append(relative_error(answer, ask(release, round(share * real.n)), len(raw)))
        line(name, words, order, *shown(errors[0]), *shown(errors[1]))


SUBSET = 5_000
"""Table 7.1 has 17,138 edges among so many vertices of ca-HepTh."""


def beginning(graph: sv.GraphTable, size: int) -> sv.GraphTable:
    """The first vertices of the order, and the edges among them."""
    kept = np.maximum(graph.low, graph.high) < size
    return sv.GraphTable.of(sv.Domain.of(graph.domain.labels(range(size))), graph.low[kept], graph.high[kept])


def subset() -> None:
    """How many edges there are among which 5,000 vertices of ca-HepTh."""
    edges = {}
    for order in ORDERS:
        graph = load("ca-HepTh", order)
        if graph is None:
            return
        edges[f"first {SUBSET:,} in the order {order}"] = len(beginning(graph, SUBSET))
    kept = np.zeros(len(graph.domain), bool)
    kept[np.argsort(-graph.degrees, kind="stable")[:SUBSET]] = True
    edges[f"the {SUBSET:,} of highest degree"] = int((kept[graph.low] & kept[graph.high]).sum())
    print(f"\nEdges of ca-HepTh among {SUBSET:,} vertices (17,138 in table 7.1): {edges}")


def sweep() -> None:
    for name in NAMES:
        graph = load(name)
        if graph is None:
            continue
        sizes = [round(0.4 * len(graph.domain))]
        print(f"\n### {name}: cut error at 0.4·V / along the order / KL\n")
        line("method", *(f"ε {e}" for e in ("0.2", "0.4", "0.6", "0.8", "1.0")), *(f"k {k}" for k in (2, 5, 10, 25)))
        line(*["---"] * 10)
        for method in ("der", "graph-degrees", "graph-random"):
            cells = []
            settings = [*((e, 1) for e in ("0.2", "0.4", "0.6", "0.8", "1.0")), *(("1.0", k) for k in (2, 5, 10, 25))]
            for epsilon, k in settings:
                m = measure(graph, METHODS[method], epsilon, sizes, sizes, 3_000, k)
                cells.append(f"{m.cuts[sizes[0]]:.3f} / {m.runs[sizes[0]]:.2f} / {m.divergence:.2f}")
            line(method, *cells)


def compare_structure() -> None:
    line("graph", "method", "edges", "clustering", "mean distance", "largest component", "spectral gap")
    line(*["---"] * 7)
    for name in NAMES:
        graph = load(name)
        if graph is None:
            continue
        drawn = {"real": Graph.of(graph)}
        for method in ("der", "graph-degrees", "graph-degrees isotonic", "graph-random"):
            drawn[method] = Graph.of(sv.experiment(graph, METHODS[method], "1.0", seed=1, unit=sv.Edge()))
        for method, one in drawn.items():
            line(name, method, f"{len(one.low):,}", *shown(structure(one).values()))


def blocks() -> None:
    """30 public groups of 100, joined inside with probability 0.3 and outside with 0.002: what a meaningful order is worth."""
    n, size, random = 3_000, 100, np.random.default_rng(7)
    low, high = np.triu_indices(n, 1)
    edge = random.random(len(low)) < np.where(low // size == high // size, 0.3, 0.002)
    mixed = random.permutation(n)
    domain = sv.Domain.range(0, n - 1)
    orders = {
        "by group": sv.GraphTable.of(domain, low[edge], high[edge]),
        "random": sv.GraphTable.of(domain, mixed[low[edge]], mixed[high[edge]]),
    }
    sizes = [200, 600, 1_200]
    line("order", "method", "ε", *(f"runs of {s // 2}" for s in sizes), *(f"any {s}" for s in sizes), "KL of degrees")
    line(*["---"] * 10)
    for order, ordered in orders.items():
        for method in ("der", "der, cut in the middle", "graph-degrees", "graph-random"):
            for epsilon in ("0.2", "1.0"):
                m = measure(ordered, METHODS[method], epsilon, sizes, sizes, 5_000)
                line(order, method, epsilon, *shown(m.runs.values()), *shown(m.cuts.values()), f"{m.divergence:.2f}")


SPEED = """
import resource, sys, time
sys.path.insert(0, {here!r})
import numpy as np, seqveil as sv
from seqveil.wall.run import perform
from seqveil.wall.noise import SecureNoise
from der import load
if {name!r} == "simulated":
    random = np.random.default_rng(1)
    ends = (random.random(({edges}, 2)) ** 2 * {vertices}).astype(np.int64)
    table = sv.GraphTable.of(sv.Domain.range(0, {vertices} - 1), ends[:, 0], ends[:, 1])
else:
    table = load({name!r})
small = sv.GraphTable.of(sv.Domain.range(0, 99), np.arange(99), np.arange(1, 100))
perform(sv.DER(height=2), small, sv.Edge(), 10**12, SecureNoise())
start = time.perf_counter()
release = perform({mechanism}, table, sv.Edge(), 10**12, SecureNoise())
seconds = time.perf_counter() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
regions = len(release.regions) if release.regions is not None else 0
print(f"{{len(table.domain):,}} | {{len(table):,}} | {{seconds:.1f}} | {{memory:.2f}} | {{regions:,}}")
"""


def speed() -> None:
    """Every measurement in a process of its own, warm: compiled code is on disk and was called once."""
    line("graph", "method", "vertices", "edges", "seconds", "GB", "regions")
    line(*["---"] * 7)
    cases = [("wiki-Vote", "sv.DER()", 0, 0), ("wiki-Vote", "sv.DER(step=1)", 0, 0), ("wiki-Vote", "sv.DER(step=10)", 0, 0)]
    cases += [("wiki-Vote", "sv.GraphDegrees()", 0, 0)]
    cases += [("simulated", "sv.DER()", n, 10 * n) for n in (12_500, 25_000, 50_000, 100_000, 200_000)]
    cases += [("simulated", "sv.DER(step=4)", n, 10 * n) for n in (5_000, 10_000, QUERIES)]
    for name, mechanism, vertices, edges in cases:
        here = __file__.rpartition("/")[0]
        code = SPEED.format(here=here, name=name, mechanism=mechanism, vertices=vertices, edges=edges)
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        line(name, mechanism.removeprefix("sv."), ran.stdout.strip() or ran.stderr.strip().splitlines()[-1])


if __name__ == "__main__":
    chosen = {
        "table": table,
        "readings": readings,
        "sweep": sweep,
        "structure": compare_structure,
        "blocks": blocks,
        "speed": speed,
    }
    for word in sys.argv[1:] or list(chosen):
        chosen[word]()
