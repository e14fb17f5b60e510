"""Classic against modern ways to publish a graph, at the same unit and ε. Prints Markdown.

python benchmarks/graphs.py table     degrees, cuts, clustering, triangles at ε = 1 (means of 5 runs)
python benchmarks/graphs.py sweep     graph-bter and graph-degrees at ε = 0.1, 0.5, 1, 10
python benchmarks/graphs.py queries   the fifteen queries of [Liu 2024] at ε = 1
python benchmarks/graphs.py groups    a public grouping: simulated departments
python benchmarks/graphs.py speed     processor time with secure noise

Cut A: S against all other vertices, |S| = 0.4·V; cut B: between two halves of S; 2,000 queries each, as for the peers.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import seqveil as sv
from der import line, load
from seqveil.evaluate.graph_queries import ORDER, Answers, errors
from seqveil.evaluate.graphs import Graph, degree_divergence
from seqveil.wall.noise import SecureNoise
from seqveil.wall.run import perform

RUNS = 5
QUERIES = 2_000
REAL = ("ca-GrQc", "ca-HepTh", "wiki-Vote", "email-Eu-core")
METHODS: dict[str, Any] = {
    "graph-bter": sv.GraphBTER(),
    "graph-degrees": sv.GraphDegrees(),
    "graph-degrees isotonic": sv.GraphDegrees(isotonic=True),
    "der": sv.DER(),
    "graph-random": sv.GraphRandom(),
}


def of_pairs(n: int, low: np.ndarray, high: np.ndarray) -> sv.GraphTable:
    return sv.GraphTable.of(sv.Domain.range(1, n), low, high)


def ring() -> sv.GraphTable:
    """3,000 vertices on a ring, joined to the next four, a tenth of the edges moved: much clustering, equal degrees."""
    n, random = 3_000, np.random.default_rng(1)
    low = np.repeat(np.arange(n), 4)
    high = (low + np.tile(np.arange(1, 5), n)) % n
    moved = random.random(len(high)) < 0.1
    high[moved] = random.integers(0, n, moved.sum())
    return of_pairs(n, low, high)


def grown() -> sv.GraphTable:
    """4,000 vertices that come one by one, each with four edges; after each, mostly to a neighbour of the last end: hubs."""
    random, ends, near = np.random.default_rng(2), [0, 1, 1, 2, 2, 0], {0: {1, 2}, 1: {0, 2}, 2: {0, 1}}
    for v in range(3, 4_000):
        near[v] = set()
        last = None
        while len(near[v]) < min(4, v):
            if last is not None and random.random() < 0.8 and near[last] - near[v] - {v}:
                w = int(random.choice(sorted(near[last] - near[v] - {v})))
            else:
                last = w = int(ends[random.integers(len(ends))])
            if w != v and w not in near[v]:
                near[v].add(w)
                near[w].add(v)
                ends += [v, w]
    pairs = np.array([(v, w) for v, others in near.items() for w in others if v < w])
    return of_pairs(4_000, pairs[:, 0], pairs[:, 1])


def departments() -> sv.GraphTable:
    """2,000 vertices in 40 groups of 50, joined inside with probability 0.3 and outside with 0.002."""
    low, high = np.triu_indices(2_000, 1)
    chosen = np.random.default_rng(7).random(len(low)) < np.where(low // 50 == high // 50, 0.3, 0.002)
    return of_pairs(2_000, low[chosen], high[chosen])


SIMULATED: dict[str, Callable[[], sv.GraphTable]] = {"ring": ring, "grown": grown, "departments": departments}


def graphs() -> dict[str, sv.GraphTable]:
    public = {name: load(name) for name in REAL}
    return {name: graph for name, graph in public.items() if graph is not None} | {n: make() for n, make in SIMULATED.items()}


def sides(n: int, queries: int = QUERIES) -> tuple[np.ndarray, np.ndarray]:
    """Of every query, a column that marks one half of S, and one that marks the other."""
    random = np.random.default_rng(4)
    halves = np.zeros((2, n, queries), np.float32)
    for query in range(queries):
        chosen = random.permutation(n)[: round(0.4 * n)]
        halves[0, chosen[: len(chosen) // 2], query] = 1
        halves[1, chosen[len(chosen) // 2 :], query] = 1
    return halves[0], halves[1]


def cuts(graph: Graph, sets: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Answers to cuts A and B."""
    one, other = sets
    matrix, both = graph.matrix.astype(np.float32), one + other
    leaving = graph.degrees @ both - (both * (matrix @ both)).sum(axis=0)
    return np.stack([leaving, (one * (matrix @ other)).sum(axis=0)])


def measured(graph: sv.GraphTable, mechanism: Any, epsilon: str, sets: Any, runs: int = RUNS, first_seed: int = 0) -> list[str]:
    """Means over runs: KL, cuts, clustering (global, mean), triangles with their mean relative error, edges."""
    real, rows = Graph.of(graph), []
    truth, real_cuts = Answers(real).numbers["triangles"], cuts(real, sets)
    for seed in range(first_seed, first_seed + runs):
        drawn = Graph.of(sv.experiment(graph, mechanism, epsilon, seed=seed, unit=sv.Edge()))
        numbers = Answers(drawn).numbers
        off = abs(numbers["triangles"] / max(truth, 1) - 1)
        kl = degree_divergence(real.degrees, drawn.degrees)
        rows.append(
            [
                kl,
                *(np.abs(cuts(drawn, sets) - real_cuts) / real_cuts).mean(axis=1),
                numbers["global clustering"],
                numbers["mean clustering"],
                off,
                len(drawn.low),
            ]
        )
    kl, a, b, whole, mean, off, edges = np.mean(rows, axis=0)
    return [f"{kl:.3f}", f"{a:.4f}", f"{b:.4f}", f"{whole:.3f}", f"{mean:.3f}", f"{100 * off:.1f} %", f"{edges:,.0f}"]


def head(*first: str) -> None:
    line(*first, "KL of degrees", "cut A", "cut B", "clustering, global", "mean", "triangles off by", "edges")
    line(*["---"] * (len(first) + 7))


def real_row(graph: sv.GraphTable) -> list[str]:
    numbers = Answers(Graph.of(graph)).numbers
    clustering = [f"{numbers[name]:.3f}" for name in ("global clustering", "mean clustering")]
    return ["", "", "", *clustering, f"{numbers['triangles']:,.0f} in all", f"{len(graph):,}"]


def table() -> None:
    for name, graph in graphs().items():
        sets = sides(len(graph.domain))
        print(f"\n### {name}: {len(graph.domain):,} vertices\n")
        head("method")
        line("real", *real_row(graph))
        for method, mechanism in METHODS.items():
            line(method, *measured(graph, mechanism, "1.0", sets))


def sweep() -> None:
    head("graph", "method", "ε")
    for name, graph in graphs().items():
        sets = sides(len(graph.domain), 100)
        line(name, "real", "", *real_row(graph))
        for method in ("graph-bter", "graph-degrees"):
            for epsilon in ("0.1", "0.5", "1.0", "10"):
                line(name, method, epsilon, *measured(graph, METHODS[method], epsilon, sets))


def queries() -> None:
    line("graph", "method", *(f"Q{k} {name}" for k, name in enumerate(ORDER, 1)))
    line(*["---"] * (2 + len(ORDER)))
    for name, graph in graphs().items():
        real = Answers(Graph.of(graph))
        for method in ("graph-bter", "graph-degrees", "der", "graph-random"):
            off = []
            for seed in range(3):
                drawn = Graph.of(sv.experiment(graph, METHODS[method], "1.0", seed=seed, unit=sv.Edge()))
                off.append(list(errors(real, Answers(drawn)).values()))
            line(name, method, *(f"{error:.3f}" for error in np.mean(off, axis=0)))


def groups() -> None:
    """How many edges lie inside the groups, and whether communities are found again, with and without the public grouping."""
    graph = departments()
    member, real = np.arange(2_000) // 50, Answers(Graph.of(graph))
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines(f"{v + 1}\t{group}\n" for v, group in enumerate(member.tolist()))
        file.flush()
        line("method", "ε", "edges inside groups", "1 - NMI of communities", "modularity", "clustering", "KL of degrees")
        line(*["---"] * 7)
        methods = {"real": None, "graph-bter": METHODS["graph-bter"], "graph-bter, groups": sv.GraphBTER(groups=file.name)}
        for method, mechanism in {**methods, "der (order by group)": METHODS["der"]}.items():
            for epsilon in ("0.5", "1.0") if mechanism else ("",):
                rows = []
                for seed in range(RUNS if mechanism else 1):
                    release = sv.experiment(graph, mechanism, epsilon, seed=seed, unit=sv.Edge()) if mechanism else graph
                    drawn = Answers(Graph.of(release))
                    inside = float((member[drawn.graph.low] == member[drawn.graph.high]).mean())
                    communities = errors(real, drawn)["communities"]
                    kl = degree_divergence(real.degrees, drawn.degrees)
                    rows.append([inside, communities, drawn.numbers["modularity"], drawn.numbers["global clustering"], kl])
                line(method, epsilon, *(f"{value:.3f}" for value in np.mean(rows, axis=0)))


def speed() -> None:
    """Warm: compiled code is on disk and was called once."""
    perform(sv.GraphBTER(), ring(), sv.Edge(), 10**12, SecureNoise())
    line("graph", "vertices", "edges", "seconds")
    line(*["---"] * 4)
    random = np.random.default_rng(1)
    cases = {name: load(name) for name in REAL}
    for n in (50_000, 200_000):
        ends = (random.random((10 * n, 2)) ** 2 * n).astype(np.int64)
        cases[f"simulated, {n:,}"] = of_pairs(n, ends[:, 0], ends[:, 1])
    for name, graph in cases.items():
        if graph is not None:
            start = time.process_time()
            perform(sv.GraphBTER(), graph, sv.Edge(), 10**12, SecureNoise())
            line(name, f"{len(graph.domain):,}", f"{len(graph):,}", f"{time.process_time() - start:.2f}")


if __name__ == "__main__":
    chosen = {"table": table, "sweep": sweep, "queries": queries, "groups": groups, "speed": speed}
    for word in sys.argv[1:] or list(chosen):
        chosen[word]()
