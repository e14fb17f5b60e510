"""Group routes on California and Rome: [Bonomi thesis, Fig. 6.4–6.17] in a compact form. Prints Markdown.

python benchmarks/routes.py california    ε, k, mobility, users, scale, weights, category frequency, order, θ
python benchmarks/routes.py size          connected parts of California with 1,000 nodes up to all of it
python benchmarks/routes.py rome          simulated categories on rome99: distribution and density
python benchmarks/routes.py bars          the slowest of many default queries on both
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from data import find
from seqveil.errors import SeqveilError
from seqveil.fenced.routes import LocationGraph, Trip, User, plan, read_california

RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
METHODS = ("exact", "scaled", "greedy")


@dataclass(frozen=True)
class Setting:
    """Table 6.2: the default query."""

    users: int = 2
    beta: float = 1.5
    k: int = 4
    low: int = 40
    high: int = 400
    epsilon: float = 0.5
    frequency: str = "random"
    ratio: float = 1.0
    ordered: bool = False
    theta: float = 1.0


def california() -> LocationGraph | None:
    """Roads both ways, every place a node of its own, as in the thesis."""
    paths = [find(name) for name in ("cal.cnode.gz", "cal.cedge.gz", "caldata.poi.gz")]
    return None if None in paths else read_california(*paths, attach=True)  # type: ignore[arg-type]


def rome(alpha: float, density: float, seed: int = 6) -> LocationGraph | None:
    """rome99 with 60 simulated categories: category ranks by a power law of exponent alpha, 0 to 5 categories per node.

    The thesis does not give its generator. Here a share `density` of the nodes are places, and such a node offers j
    categories with probability ∝ j^-1.5, j = 1 to 5.
    """
    path = find("rome99.gr.gz")
    if path is None:
        return None
    with gzip.open(path, "rt") as file:
        arcs = np.array([line.split()[1:] for line in file if line.startswith("a ")], float)
    rng = np.random.default_rng(seed)
    n = int(arcs[:, :2].max())
    many = np.arange(1, 6) ** -1.5
    number = np.where(rng.random(n) < density, rng.choice(np.arange(1, 6), n, p=many / many.sum()), 0)
    rank = np.arange(1, 61) ** -alpha
    place = np.repeat(np.arange(n), number)
    offer = rng.choice(60, len(place), p=rank / rank.sum())
    ends = arcs[:, 0].astype(np.int64) - 1, arcs[:, 1].astype(np.int64) - 1, arcs[:, 2]
    return LocationGraph([str(v + 1) for v in range(n)], ends, (place, offer), [f"c{c}" for c in range(60)])


def queries(graph: LocationGraph, setting: Setting, runs: int, seed: int = 2015) -> Iterator[tuple[list[User], list[str]]]:
    """Random queries whose meeting points offer two categories or more, as in the thesis (others are trivial)."""
    rng = np.random.default_rng(seed)
    offered = np.bincount(graph.offer, minlength=len(graph.categories))
    ranked = np.argsort(-offered)[: int((offered > 0).sum())]
    third = len(ranked) // 3
    pool = {"random": ranked, "frequent": ranked[:third], "infrequent": ranked[2 * third :]}[setting.frequency]
    roads = [node for node, name in enumerate(graph.ids) if not name.startswith("poi-")]
    weights = [setting.ratio, *[1.0] * (setting.users - 1)]
    accepted = 0
    while accepted < runs:
        chosen = [graph.categories[c] for c in rng.choice(pool, setting.k, replace=False)]
        liking = rng.integers(setting.low, setting.high + 1, setting.k)
        users = []
        for i in range(setting.users):
            start, end = (graph.ids[v] for v in rng.choice(roads, 2, replace=False))
            # With equal weights the users share λ; otherwise each has likings of their own.
            own = liking / setting.users if setting.ratio == 1 else rng.integers(setting.low, setting.high + 1, setting.k)
            likes = {name: float(value) for name, value in zip(chosen, own, strict=True)}
            users.append(User(f"u{i + 1}", start, end, f"{setting.beta}x", likes, weights[i]))
        try:
            trip = plan(graph, users, "greedy")
        except SeqveilError:
            continue  # no way between start and end
        apart = [name for name in trip.missed if "out of reach" not in _reason(trip, name)]
        if trip.found and len(trip.covered) + len(apart) > 1:
            accepted += 1
            yield users, chosen


def _reason(trip: Trip, name: str) -> str:
    return trip.why.partition(f"Not visited: {name} ")[2].partition("Not visited:")[0]


def measure(
    graph: LocationGraph, setting: Setting, runs: int = RUNS, clock: Callable[[], float] = time.process_time
) -> dict[str, list[tuple[float, Trip]]]:
    """Seconds and trips of each method on the same queries; seconds of CPU, which other work on the machine disturbs less."""
    trips: dict[str, list[tuple[float, Trip]]] = {method: [] for method in METHODS}
    for users, chosen in queries(graph, setting, runs):
        for method in METHODS if setting.theta == 1 else METHODS[:1]:
            begun = clock()
            order = chosen if setting.ordered else None
            trip = plan(graph, users, method, epsilon=setting.epsilon, order=order, theta=setting.theta)
            trips[method].append((clock() - begun, trip))
    return trips


def row(label: str, trips: dict[str, list[tuple[float, Trip]]], graph: LocationGraph) -> str:
    """Profit relative to exact, mean and worst seconds, reach and meeting points relative to the graph."""
    best = np.array([trip.profit for _, trip in trips["exact"]])
    cells = [label, f"{best.mean():.0f}"]
    cells += [f"{np.mean([trip.profit for _, trip in trips[method]] / best):.3f}" for method in METHODS[1:]]
    for method in METHODS:
        spent = [seconds for seconds, _ in trips[method]]
        cells.append(f"{np.mean(spent):.2f} ({max(spent):.2f})")
    cells.append(f"{np.mean([t.reached for _, t in trips['exact']]) / len(graph):.1%}")
    cells.append(f"{np.mean([t.points for _, t in trips['exact']]) / len(graph):.2%}")
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| {} | profit, exact | scaled/exact | greedy/exact | exact CPU s: mean (worst) | scaled s | greedy s | reached | points |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def sweep(name: str, graph: LocationGraph, settings: dict[str, Setting], runs: int = RUNS) -> None:
    print("\n" + HEAD.format(name))
    for label, setting in settings.items():
        print(row(label, measure(graph, setting, runs), graph), flush=True)


def bench_california() -> None:
    graph = california()
    if graph is None:
        return
    print(graph)
    measure(graph, Setting(), 1)  # compile and load what is compiled before anything is timed
    sweep("ε (fig. 6.4)", graph, {str(e): Setting(epsilon=e) for e in (0.1, 0.3, 0.5, 0.7, 0.9)})
    sweep("k (fig. 6.5)", graph, {str(k): Setting(k=k) for k in (2, 4, 6, 8)})
    sweep("β (fig. 6.6, 6.7)", graph, {str(b): Setting(beta=b) for b in (1.1, 1.3, 1.5, 1.7, 2.0)})
    sweep("users (fig. 6.8)", graph, {str(m): Setting(users=m) for m in (2, 4, 6)})
    sweep("λ up to (fig. 6.9)", graph, {str(h): Setting(low=h // 10, high=h) for h in (400, 4000, 40000)})
    sweep("frequency (fig. 6.12)", graph, {f: Setting(frequency=f) for f in ("infrequent", "random", "frequent")})
    sweep("order, k (fig. 6.17a)", graph, {f"total, {k}": Setting(k=k, ordered=True) for k in (2, 4, 6)})
    print("\n| w1/w2 (fig. 6.10, 6.11) | profit | wishes met, user 1 | user 2 |\n|---|---|---|---|")
    for ratio in (1.001, 2, 4, 8):
        trips = [trip for _, trip in measure(graph, Setting(ratio=ratio))["exact"]]
        met = [np.mean([trip.travellers[i].satisfied for trip in trips]) for i in (0, 1)]
        print(f"| {ratio:.0f} | {np.mean([t.profit for t in trips]):.0f} | {met[0]:.1%} | {met[1]:.1%} |", flush=True)
    print("\n| θ (fig. 6.17b) | profit / most | paid / limits | s |\n|---|---|---|---|")
    for theta in (0.0, 0.25, 0.5, 0.75, 1.0):
        trips = measure(graph, Setting(theta=theta))["exact"]
        paid = [sum(one.cost for one in t.travellers) / sum(one.limit for one in t.travellers) for _, t in trips]
        profit = np.mean([t.profit / t.most for _, t in trips])
        print(f"| {theta} | {profit:.3f} | {np.mean(paid):.3f} | {np.mean([s for s, _ in trips]):.2f} |", flush=True)


def part(graph: LocationGraph, size: int) -> LocationGraph:
    """The `size` nodes nearest to a fixed road node, with the edges between them: connected, since ways stay inside."""
    far, _ = graph.shortest([10_000])
    kept = np.zeros(len(graph), bool)
    kept[np.argsort(far[0], kind="stable")[:size]] = True
    number = np.cumsum(kept) - 1
    tails = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    inside = kept[tails] & kept[graph.indices]
    edges = number[tails[inside]], number[graph.indices[inside]], graph.costs[inside]
    places = kept[graph.place]
    ids = [name for name, keep in zip(graph.ids, kept, strict=True) if keep]
    return LocationGraph(ids, edges, (number[graph.place[places]], graph.offer[places]), graph.categories)


def bench_size() -> None:
    graph = california()
    if graph is None:
        return
    measure(part(graph, 1000), Setting(), 1)
    print("\n" + HEAD.format("nodes (fig. 6.13)"))
    for size in (1_000, 2_000, 5_000, 10_000, 50_000, len(graph)):
        smaller = part(graph, size)
        print(row(f"{len(smaller):,}", measure(smaller, Setting()), smaller), flush=True)


def bench_rome() -> None:
    graphs: dict[str, Callable[[], LocationGraph | None]] = {
        **{f"α = {a}": lambda a=a: rome(a, 0.5) for a in (0.5, 1.0, 2.0)},  # type: ignore[misc]
        **{f"density {d}": lambda d=d: rome(1.0, d) for d in (0.1, 0.3, 0.7)},  # type: ignore[misc]
    }
    print("\n" + HEAD.format("rome99 (fig. 6.15, 6.16)"))
    for label, make in graphs.items():
        graph = make()
        if graph is None:
            return
        measure(graph, Setting(), 1)
        print(row(label, measure(graph, Setting()), graph), flush=True)


def bench_bars() -> None:
    print(
        "\n| graph | clock | queries | exact s: median, worst (bar 15) | scaled s: median, worst (bar 1) |\n|---|---|---|---|---|"
    )
    for name, graph in (("California", california()), ("rome99", rome(1.0, 0.5))):
        if graph is None:
            continue
        measure(graph, Setting(), 1)
        for word, clock in (("wall", time.perf_counter), ("CPU", time.process_time)):
            trips = measure(graph, Setting(), clock=clock)
            spent = {method: [seconds for seconds, _ in trips[method]] for method in METHODS}
            cells = [f"{np.median(spent[method]):.2f}, {max(spent[method]):.2f}" for method in METHODS[:2]]
            print(f"| {name} | {word} | {RUNS} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    kinds = {"california": bench_california, "size": bench_size, "rome": bench_rome, "bars": bench_bars}
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kinds[sys.argv[1]]()
