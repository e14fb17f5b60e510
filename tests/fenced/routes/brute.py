"""Every shared route of a small graph, tried one by one: the referee of the tests."""

from __future__ import annotations

import math
from itertools import pairwise, permutations, product

import networkx as nx

from seqveil.fenced.routes import LocationGraph, User
from seqveil.fenced.routes.terms import Terms


def network(graph: LocationGraph) -> nx.DiGraph:
    roads = nx.DiGraph()
    roads.add_nodes_from(graph.ids)
    for u in range(len(graph)):
        for e in range(graph.indptr[u], graph.indptr[u + 1]):
            roads.add_edge(graph.ids[u], graph.ids[graph.indices[e]], cost=float(graph.costs[e]))
    return roads


def optimum(graph, users, order=(), quality=None, levels=1, theta=1.0, terms=None):
    """(score, profit, paid) of the best route, or None. A route is a list of (category, node) visits in some order."""
    terms = terms or Terms(theta=theta)
    far = dict(nx.all_pairs_dijkstra_path_length(network(graph), weight="cost"))
    at = lambda u, v: far[u].get(v, math.inf)  # noqa: E731
    limits = [user.bound(at(user.start, user.end)) for user in users]
    worth = {c: sum(user.weight * user.preferences.get(c, 0) for user in users) for c in _named(graph)}
    wanted = [c for c in _named(graph) if worth[c] > 0]
    most = sum(worth[c] for c in wanted)
    level = lambda v: 1.0 if quality is None else max(1, math.ceil(quality.get(v, 0) * levels - 1e-9)) / levels  # noqa: E731
    places = {c: [v for v in graph.ids if any(f"{one}/".startswith(f"{c}/") for one in graph.offers(v))] for c in wanted}
    best = None
    for size in range(1, len(wanted) + 1):
        for chosen in permutations(wanted, size):
            for nodes in product(*(places[c] for c in chosen)):
                if not _in_order(chosen, nodes, order):
                    continue
                length = sum(at(u, v) for u, v in pairwise(nodes))
                there = [u.departs + at(u.start, nodes[0]) for u in users]
                waits = [max(there) - one for one in there]
                if terms.max_wait is not None and max(waits) > terms.max_wait * (1 + 1e-9):
                    continue
                paid = [at(u.start, nodes[0]) + length + at(nodes[-1], u.end) for u in users]
                paid = [cost + terms.waiting * wait for cost, wait in zip(paid, waits, strict=True)]
                if any(cost > limit * (1 + 1e-9) for cost, limit in zip(paid, limits, strict=True)):
                    continue
                profit = sum(worth[c] * level(v) for c, v in zip(chosen, nodes, strict=True))
                got = {c: level(v) for c, v in zip(chosen, nodes, strict=True)}
                shares = [_share(user, got) for user in users]
                if any(share < terms.coverage - 1e-9 for share in shares):
                    continue
                useful = sum(u.weight * sum(u.preferences.values()) * s**terms.curve for u, s in zip(users, shares, strict=True))
                score = terms.theta * useful / most - (1 - terms.theta) * sum(paid) / sum(limits)
                if best is None or (round(score, 9), -sum(paid)) > (round(best[0], 9), -best[2]):
                    best = score, profit, sum(paid)
    return best


def _named(graph):
    """Every category and everything above it."""
    parts = [category.split("/") for category in graph.categories]
    return sorted({"/".join(part[:cut]) for part in parts for cut in range(1, len(part) + 1)})


def _share(user, got):
    """The degree of coverage: the share of a user's own preferences that is met."""
    hoped = sum(user.preferences.values())
    return sum(liking * got.get(c, 0) for c, liking in user.preferences.items()) / hoped if hoped else 1.0


def _in_order(chosen, nodes, chain):
    """Of two visits at different nodes, the one earlier in the chain comes first."""
    rank = {c: at for at, c in enumerate(chain)}
    kept = [(rank[c], v) for c, v in zip(chosen, nodes, strict=True) if c in rank]
    return all(kept[i][0] < kept[j][0] for i in range(len(kept)) for j in range(i + 1, len(kept)))


def users_of(*rows) -> list[User]:
    return [User(f"u{i}", *row) for i, row in enumerate(rows)]
