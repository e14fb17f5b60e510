"""Every shared route of a small graph, tried one by one: the referee of the tests."""

from __future__ import annotations

import math
from itertools import pairwise, permutations, product

import networkx as nx

from seqveil.fenced.routes import LocationGraph, User


def network(graph: LocationGraph) -> nx.DiGraph:
    roads = nx.DiGraph()
    roads.add_nodes_from(graph.ids)
    for u in range(len(graph)):
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            roads.add_edge(graph.ids[u], graph.ids[graph.indices[e]], cost=float(graph.costs[e]))
    return roads


def optimum(graph, users, order=(), quality=None, levels=1, theta=1.0):
    """(score, profit, distance) of the best route, or None. A route is a list of (category, node) visits in some order."""
    far = dict(nx.all_pairs_dijkstra_path_length(network(graph), weight="cost"))
    at = lambda u, v: far[u].get(v, math.inf)  # noqa: E731
    limits = [user.bound(at(user.start, user.end)) for user in users]
    worth = {c: sum(user.weight * user.preferences.get(c, 0) for user in users) for c in graph.categories}
    wanted = [c for c in graph.categories if worth[c] > 0]
    most = sum(worth[c] for c in wanted)
    level = lambda v: 1.0 if quality is None else max(1, math.ceil(quality.get(v, 0) * levels - 1e-9)) / levels  # noqa: E731
    places = {c: [v for v in graph.ids if c in graph.offers(v)] for c in wanted}
    best = None
    for size in range(1, len(wanted) + 1):
        for chosen in permutations(wanted, size):
            for nodes in product(*(places[c] for c in chosen)):
                if not _in_order(chosen, nodes, order):
                    continue
                length = sum(at(u, v) for u, v in pairwise(nodes))
                paid = [at(u.start, nodes[0]) + length + at(nodes[-1], u.end) for u in users]
                if any(cost > limit * (1 + 1e-9) for cost, limit in zip(paid, limits, strict=True)):
                    continue
                profit = sum(worth[c] * level(v) for c, v in zip(chosen, nodes, strict=True))
                score = theta * profit / most - (1 - theta) * sum(paid) / sum(limits)
                if best is None or (round(score, 9), -sum(paid)) > (round(best[0], 9), -best[2]):
                    best = score, profit, sum(paid)
    return best


def _in_order(chosen, nodes, chain):
    """Of two visits at different nodes, the one earlier in the chain comes first."""
    rank = {c: at for at, c in enumerate(chain)}
    kept = [(rank[c], v) for c, v in zip(chosen, nodes, strict=True) if c in rank]
    return all(kept[i][0] < kept[j][0] for i in range(len(kept)) for j in range(i + 1, len(kept)))


def users_of(*rows) -> list[User]:
    return [User(f"u{i}", *row) for i, row in enumerate(rows)]
