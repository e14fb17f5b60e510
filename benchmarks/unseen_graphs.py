"""`graph-bter` and `graph-degrees` on graphs that no constant was chosen on: "unseen data" of docs/results/graphs.md.

    python benchmarks/unseen_graphs.py [--runs 3] [--epsilon 1.0 …]

Measures as in benchmarks/graphs.py. Raw data is read on both sides: INTERNAL.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Callable

import numpy as np

import seqveil as sv
from data import find
from der import line
from graphs import METHODS, head, measured, of_pairs, real_row, sides

FIRST_SEED = 100
FILES: dict[str, tuple[str, str, slice]] = {
    "CollegeMsg": ("CollegeMsg.temporal.gz", "", slice(0, 2)),
    "tube": ("tube_edges.tsv.gz", "", slice(0, 2)),
    "rome99": ("rome99.gr.gz", "a ", slice(1, 3)),
}
"""Name → file, how its lines of edges begin, and where the two ends stand."""


def read_edges(name: str) -> sv.GraphTable | None:
    """The distinct undirected edges of a file."""
    file, begins, ends = FILES[name]
    path = find(file)
    if path is None:
        return None
    with gzip.open(path, "rt") as lines:
        split = "\t" if file.endswith(".tsv.gz") else None
        pairs = [text.strip().split(split)[ends] for text in lines if text.startswith(begins) and text.strip()]
    labels, codes = np.unique(np.array(pairs), return_inverse=True)
    codes = codes.reshape(-1, 2)
    return distinct(len(labels), *codes.T)


def small_world() -> sv.GraphTable:
    """1,500 vertices on a torus of 30 × 50, joined to the eight around them, a fifth of the edges moved."""
    random, at = np.random.default_rng(100), np.arange(1_500)
    row, column = at // 50, at % 50
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    low = np.tile(at, len(steps))
    high = np.concatenate([(row + down) % 30 * 50 + (column + right) % 50 for down, right in steps])
    moved = random.random(len(high)) < 0.2
    high[moved] = random.integers(0, 1_500, moved.sum())
    return distinct(1_500, low, high)


def triads() -> sv.GraphTable:
    """2,500 vertices that come one by one: each joins an end of one to five old edges, and with chance one half its other end."""
    random, edges = np.random.default_rng(101), [(0, 1), (1, 2), (0, 2)]
    for v in range(3, 2_500):
        met: set[int] = set()
        for at in random.integers(0, len(edges), random.integers(1, 6)).tolist():
            one, other = edges[at] if random.random() < 0.5 else edges[at][::-1]
            met |= {one, other} if random.random() < 0.5 else {one}
        edges += [(w, v) for w in sorted(met)]
    low, high = np.array(edges).T
    return distinct(2_500, low, high)


def distinct(n: int, low: np.ndarray, high: np.ndarray) -> sv.GraphTable:
    """Loops and repeated edges count for nothing."""
    pairs = np.sort(np.stack([low, high], axis=1)[low != high], axis=1)
    return of_pairs(n, *np.unique(pairs, axis=0).T)


SIMULATED: dict[str, Callable[[], sv.GraphTable]] = {"small world": small_world, "triads": triads}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epsilon", nargs="+", default=["1.0"])
    options = parser.parse_args()
    graphs = {name: read_edges(name) for name in FILES} | {name: make() for name, make in SIMULATED.items()}
    head("graph, vertices", "ε", "method")
    for name, graph in graphs.items():
        if graph is None:
            continue
        sets = sides(len(graph.domain))
        line(f"{name}, {len(graph.domain):,}", "", "real", *real_row(graph))
        for epsilon in options.epsilon:
            for method in ("graph-bter", "graph-degrees"):
                line(name, epsilon, method, *measured(graph, METHODS[method], epsilon, sets, options.runs, FIRST_SEED))


if __name__ == "__main__":
    main()
