"""Group routes on California and Rome: [Bonomi thesis, Fig. 6.4–6.17] in a compact form. Prints Markdown.

python benchmarks/routes.py california    ε, k, mobility, users, scale, category frequency, order, θ
python benchmarks/routes.py weights       figure 6.11: when a user's weight changes the trip, one thing varied at a time
python benchmarks/routes.py terms         category trees, waiting for each other, the degree of coverage
python benchmarks/routes.py size          connected parts of California with 1,000 nodes up to all of it
python benchmarks/routes.py rome          simulated categories on rome99: distribution and density
python benchmarks/routes.py bars          the slowest of many default queries on both

A second word is the number of queries per row; 50, as in the thesis, if left out.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from data import find
from seqveil.errors import SeqveilError
from seqveil.fenced.routes import LocationGraph, Trip, User, plan, read_california
from seqveil.fenced.routes.query import query_of

RUNS = int(sys.argv[2]) if len(sys.argv) > 2 else 50
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
    wishes: str = "shared"
    """shared: the group has one λ; own: everybody has numbers of their own for the same k categories; apart: for others."""
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


@cache
def queries(graph: LocationGraph, setting: Setting, runs: int, seed: int = 2015) -> list[tuple[list[User], list[str]]]:
    """Random queries whose meeting points offer two categories or more, as in the thesis (others are trivial)."""
    rng = np.random.default_rng(seed)
    offered = np.bincount(graph.offer, minlength=len(graph.categories))
    ranked = np.argsort(-offered)[: int((offered > 0).sum())]
    third = len(ranked) // 3
    pool = {"random": ranked, "frequent": ranked[:third], "infrequent": ranked[2 * third :]}[setting.frequency]
    roads = [node for node, name in enumerate(graph.ids) if not name.startswith("poi-")]
    accepted: list[tuple[list[User], list[str]]] = []
    while len(accepted) < runs:
        chosen = [graph.categories[c] for c in rng.choice(pool, setting.k, replace=False)]
        liking = rng.integers(setting.low, setting.high + 1, setting.k)
        users = []
        for i in range(setting.users):
            start, end = (graph.ids[v] for v in rng.choice(roads, 2, replace=False))
            own = rng.integers(setting.low, setting.high + 1, setting.k)
            value = liking / setting.users if setting.wishes == "shared" else own
            if setting.wishes == "apart":
                value = np.where(np.arange(setting.k) % setting.users == i, own, 0)
            likes = {name: float(v) for name, v in zip(chosen, value, strict=True) if v}
            users.append(User(f"u{i + 1}", start, end, f"{setting.beta}x", likes))
        try:
            meeting = query_of(graph, users).meeting()
        except SeqveilError:
            continue  # no way between start and end
        if meeting.quality.any(axis=0).sum() > 1:
            accepted.append((users, chosen))
    return accepted


def asked(graph: LocationGraph, setting: Setting, runs: int) -> list[tuple[list[User], list[str]]]:
    """The queries of a setting; those that differ only in what does not shape a query are the same."""
    plain = Setting()
    shape = replace(setting, epsilon=plain.epsilon, ratio=1.0, ordered=False, theta=1.0)
    return [
        ([replace(user, weight=setting.ratio if i == 0 else 1.0) for i, user in enumerate(users)], chosen)
        for users, chosen in queries(graph, shape, runs)
    ]


def measure(
    graph: LocationGraph, setting: Setting, runs: int = RUNS, clock: Callable[[], float] = time.process_time
) -> dict[str, list[tuple[float, Trip]]]:
    """Seconds and trips of each method on the same queries; seconds of CPU, which other work on the machine disturbs less."""
    trips: dict[str, list[tuple[float, Trip]]] = {method: [] for method in METHODS}
    for method in METHODS if setting.theta == 1 else METHODS[:1]:
        # Only `scaled` looks at ε, so the others are not run again for another one.
        trips[method] = runs_of(graph, setting if method == "scaled" else replace(setting, epsilon=0.5), method, runs, clock)
    return trips


@cache
def runs_of(
    graph: LocationGraph, setting: Setting, method: str, runs: int, clock: Callable[[], float]
) -> list[tuple[float, Trip]]:
    """One method on the queries of a setting."""
    trips = []
    for users, chosen in asked(graph, setting, runs):
        begun = clock()
        order = chosen if setting.ordered else None
        trip = plan(graph, users, method, epsilon=setting.epsilon, order=order, theta=setting.theta)
        trips.append((clock() - begun, trip))
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
    print("\n| θ (fig. 6.17b) | profit / most | paid / limits | s |\n|---|---|---|---|")
    for theta in (0.0, 0.25, 0.5, 0.75, 1.0):
        trips = measure(graph, Setting(theta=theta))["exact"]
        paid = [sum(one.cost for one in t.travellers) / sum(one.limit for one in t.travellers) for _, t in trips]
        profit = np.mean([t.profit / t.most for _, t in trips])
        print(f"| {theta} | {profit:.3f} | {np.mean(paid):.3f} | {np.mean([s for s, _ in trips]):.2f} |", flush=True)


def bench_weights() -> None:
    """One thing varied at a time: whose wishes, how many, how far. Weights only matter where wishes exclude each other."""
    graph = california()
    if graph is None:
        return
    plan(graph, *asked(graph, Setting(), 1)[0][:1])
    print(
        "\n| wishes | k | β | something within reach left out | w1/w2 | profit | met, user 1 | user 2 | other visits than at 1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    own = Setting(wishes="own")
    apart = Setting(wishes="apart")
    for setting in (own, replace(own, k=6), replace(own, beta=1.1), apart, replace(apart, beta=1.1)):
        before: list[list[str]] = []
        for ratio in (1.0, 2.0, 4.0, 8.0):
            trips = [plan(graph, users) for users, _ in asked(graph, replace(setting, ratio=ratio), RUNS)]
            before = before or [trip.covered for trip in trips]
            torn = sum("not together with the rest" in trip.why for trip in trips)
            met = [np.mean([trip.travellers[i].satisfied for trip in trips]) for i in (0, 1)]
            other = sum(trip.covered != first for trip, first in zip(trips, before, strict=True))
            cells = f"{ratio:g} | {np.mean([t.profit for t in trips]):.0f} | {met[0]:.1%} | {met[1]:.1%} | {other}"
            print(f"| {setting.wishes} | {setting.k} | {setting.beta} | {torn} of {RUNS} | {cells} |", flush=True)


def legend(graph: LocationGraph, groups: int) -> dict[str, str]:
    """A tree over the categories of a graph: by rank of frequency, every `groups`-th in the same group."""
    ranked = np.argsort(-np.bincount(graph.offer, minlength=len(graph.categories)), kind="stable")
    return {graph.categories[c]: f"g{rank % groups}/{graph.categories[c]}" for rank, c in enumerate(ranked)}


def bench_terms() -> None:
    """What each extension costs and brings, on the same queries; all exact."""
    graph = california()
    if graph is None:
        return
    paths = legend(graph, 8)
    tree = graph.named(paths)
    apart = asked(graph, Setting(wishes="apart", k=6, beta=1.3), RUNS)
    plain: dict[str, Any] = {}
    rows: list[tuple[str, LocationGraph, Callable[[User], User], dict[str, Any]]] = [
        ("as in the thesis", graph, lambda user: user, plain),
        ("waiting counts half", graph, lambda user: user, {"waiting": 0.5}),
        ("waiting counts", graph, lambda user: user, {"waiting": 1.0}),
        ("nobody waits more than 0.5", graph, lambda user: user, {"max_wait": 0.5}),
        ("coverage 0.3", graph, lambda user: user, {"coverage": 0.3}),
        ("coverage 0.6", graph, lambda user: user, {"coverage": 0.6}),
        ("coverage 1", graph, lambda user: user, {"coverage": 1.0}),
        ("curve 0.5", graph, lambda user: user, {"curve": 0.5}),
        ("curve 0.1", graph, lambda user: user, {"curve": 0.1}),
        ("tree, narrow wishes", tree, lambda user: renamed(user, paths, wide=False), plain),
        ("tree, wide wishes", tree, lambda user: renamed(user, paths, wide=True), plain),
    ]
    plan(graph, apart[0][0], waiting=1.0)
    print("\n| terms | trips | met, mean | least met | the most anyone waits | paid / limits | CPU s: mean (worst) |")
    print("|---|---|---|---|---|---|---|")
    for label, roads, change, more in rows:
        spent, trips = [], []
        for users, _ in apart:
            begun = time.process_time()
            trip = plan(roads, [change(user) for user in users], **more)
            spent.append(time.process_time() - begun)
            if trip.found:
                trips.append(trip)
        shares = [[one.satisfied for one in trip.travellers] for trip in trips]
        paid = [sum(one.cost for one in trip.travellers) / sum(one.limit for one in trip.travellers) for trip in trips]
        waits = np.mean([wait_of(roads, trip) for trip in trips])
        cells = f"{np.mean(shares):.1%} | {np.mean([min(some) for some in shares]):.1%} | {waits:.2f} | {np.mean(paid):.3f}"
        print(f"| {label} | {len(trips)} of {RUNS} | {cells} | {np.mean(spent):.2f} ({max(spent):.2f}) |", flush=True)


def renamed(user: User, paths: dict[str, str], wide: bool) -> User:
    """The same wishes as paths, or as the groups above them."""
    likes: dict[str, float] = {}
    for name, liking in user.preferences.items():
        path = paths[name].partition("/")[0] if wide else paths[name]
        likes[path] = likes.get(path, 0.0) + liking
    return replace(user, preferences=likes)


def wait_of(graph: LocationGraph, trip: Trip) -> float:
    """How long the first one waits for the last at the first stop, whether or not it counted."""
    there = [
        graph.cost([graph.codes[node] for node in one.path[: one.path.index(trip.itinerary[0]) + 1]]) for one in trip.travellers
    ]
    return max(there) - min(there)


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
    kinds = {
        "california": bench_california, "weights": bench_weights, "terms": bench_terms, "size": bench_size,
        "rome": bench_rome, "bars": bench_bars,
    }  # fmt: skip
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    kinds[sys.argv[1]]()
