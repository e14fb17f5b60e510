"""On small random graphs every method is held against trying everything, and every constraint is checked by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.fenced.routes import LocationGraph, User, plan

sys.path.insert(0, str(Path(__file__).parent))
from brute import network, optimum

CATEGORIES = "pqrs"


@st.composite
def queries(draw, with_quality=False):
    """A directed graph on a cycle with chords, so that everybody can get everywhere, and a group of 1 to 3."""
    n = draw(st.integers(3, 6))
    cost = st.integers(0, 9)
    edges = [(str(v), str((v + 1) % n), draw(cost)) for v in range(n)]
    chords = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), cost), max_size=2 * n))
    edges += [(str(u), str(v), c) for u, v, c in chords]
    offers = {str(v): draw(st.sets(st.sampled_from(CATEGORIES), max_size=2)) for v in range(n)}
    offers["0"] = offers["0"] | set(draw(st.sampled_from(CATEGORIES)))
    graph = LocationGraph.of(edges, offers)
    users = []
    for i in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, n - 1))
        end = (start + draw(st.integers(1, n - 1))) % n
        least = nx.dijkstra_path_length(network(graph), str(start), str(end), weight="cost")
        limit = least + draw(st.integers(0, 25)) + 0.5
        likes = {c: draw(st.integers(0, 5)) for c in graph.categories}
        users.append(User(f"u{i}", str(start), str(end), limit, likes, draw(st.sampled_from([0.5, 1.0, 3.0]))))
    users[0].preferences[graph.categories[0]] = 2
    quality = {str(v): draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0])) for v in range(n)} if with_quality else None
    return graph, users, quality


def check(graph, users, trip, order=()):
    """The trip is one that the graph, the limits and the order allow, and its numbers are its own."""
    net = network(graph)
    cost = lambda path: nx.path_weight(net, path, weight="cost") if len(path) > 1 else 0.0  # noqa: E731
    inside = "\t" + "\t".join(trip.itinerary) + "\t"
    for user, one in zip(users, trip.travellers, strict=True):
        assert (user.start, user.end) == (one.path[0], one.path[-1])
        assert inside in "\t" + "\t".join(one.path) + "\t"
        assert one.cost == pytest.approx(cost(one.path))
        assert one.cost <= user.limit * (1 + 1e-9)
        assert one.refined_cost == pytest.approx(cost(one.refined_path))
        assert one.refined_cost <= one.cost + 1e-9
        own = [stop.node for stop in trip.stops if any(user.preferences.get(c, 0) > 0 for c in stop.visits)]
        rest = iter(one.refined_path)
        assert all(node in rest or node == before for before, node in zip([None, *own], own, strict=False))
    rest = iter(trip.itinerary)
    assert all(stop.node in rest for stop in trip.stops)
    assert all(set(stop.visits) <= set(graph.offers(stop.node)) for stop in trip.stops)
    met = [category for stop in trip.stops for category in sorted(stop.visits, key=[*order, *CATEGORIES].index)]
    assert len(met) == len(set(met))
    ranked = [order.index(c) for c in met if c in order]
    assert ranked == sorted(ranked)
    worth = sum(u.weight * u.preferences.get(c, 0) * q for stop in trip.stops for c, q in stop.visits.items() for u in users)
    assert trip.profit == pytest.approx(worth)


@settings(max_examples=150)
@given(queries())
def test_exact_is_the_optimum_and_the_shortest_of_its_kind(query):
    """No shared route brings more, and none that brings as much costs the group less."""
    graph, users, _ = query
    best = optimum(graph, users)
    trip = plan(graph, users)

    assert (best is not None) == trip.found
    if best:
        check(graph, users, trip)
        assert best[1] == pytest.approx(trip.profit)
        assert best[2] == pytest.approx(sum(one.cost for one in trip.travellers))


@settings(max_examples=60)
@given(queries(), st.sampled_from([0.1, 0.5, 0.9]))
def test_scaled_and_greedy_keep_their_promises(query, epsilon):
    """Scaled brings at least 1 − ε of the optimum, greedy at least 1/k, and neither more."""
    graph, users, _ = query
    best = optimum(graph, users)
    close, quick = plan(graph, users, "scaled", epsilon=epsilon), plan(graph, users, "greedy")

    assert [best is not None] * 2 == [close.found, quick.found]
    if best:
        k = len(quick.covered) + len(quick.missed)
        for trip, share in ((close, 1 - epsilon), (quick, 1 / k)):
            check(graph, users, trip)
            assert best[1] * share - 1e-9 <= trip.profit <= best[1] + 1e-9


@settings(max_examples=60)
@given(queries(), st.permutations(CATEGORIES), st.integers(2, 4))
def test_order_is_kept_and_costs_nothing_more_than_it_must(query, shuffled, length):
    """With a chain of categories the exact trip is still the optimum, and every method keeps the chain."""
    graph, users, _ = query
    order = [c for c in shuffled if c in graph.categories][:length]
    best = optimum(graph, users, order)
    for method in ("exact", "scaled", "greedy"):
        trip = plan(graph, users, method, order=order)
        assert (best is not None) == trip.found
        if best:
            check(graph, users, trip, order)
            k = len(trip.covered) + len(trip.missed)
            share = {"exact": 1.0, "scaled": 0.5, "greedy": 1 / k}[method]
            assert best[1] * share - 1e-9 <= trip.profit <= best[1] + 1e-9


@settings(max_examples=60)
@given(queries(with_quality=True), st.integers(1, 3), st.booleans())
def test_quality_counts_in_levels(query, levels, ordered):
    """A better museum is worth a detour: the optimum over levels of quality is found, with an order and without."""
    graph, users, quality = query
    order = list(graph.categories[:2]) if ordered else []
    best = optimum(graph, users, order, quality, levels)
    for method in ("exact", "scaled", "greedy"):
        trip = plan(graph, users, method, order=order, quality=quality, levels=levels)
        assert (best is not None) == trip.found
        if best:
            check(graph, users, trip, order)
            k = len(trip.covered) + len(trip.missed)
            share = {"exact": 1.0, "scaled": 0.5, "greedy": 1 / k}[method]
            assert best[1] * share - 1e-9 <= trip.profit <= best[1] + 1e-9


@settings(max_examples=60)
@given(queries(), st.sampled_from([0.0, 0.25, 0.5, 0.9]))
def test_profit_is_weighed_against_distance(query, theta):
    """With θ below 1 no route has a better score (6.10)."""
    graph, users, _ = query
    best = optimum(graph, users, theta=theta)
    trip = plan(graph, users, theta=theta)

    assert (best is not None) == trip.found
    if best:
        check(graph, users, trip)
        assert best[0] == pytest.approx(trip.score)


def test_equal_profits_do_not_hide_each_other():
    """Kept by profit alone, as printed, the cheap way by the first A hides the dear one by B, which is the one to go on with."""
    edges = [("f", "x", 0.5), ("x", "j", 0.5), ("f", "y", 1), ("y", "j", 1), ("j", "z", 1)]
    graph = LocationGraph.of(edges, {"f": "D", "x": "A", "y": "B", "z": "A"})
    trip = plan(graph, [User("u", "f", "z", 3, {"A": 3, "B": 3, "D": 1})])

    assert (["f", "y", "j", "z"], 7.0) == (trip.itinerary, trip.profit)


def test_a_treasure_out_of_reach_does_not_round_the_rest_to_nothing():
    """Scaled by the largest λ of all, as printed, what is within reach would round to 0."""
    graph = LocationGraph.of([("a", "b", 1), ("b", "c", 1), ("c", "d", 50)], {"b": "A", "c": "B", "d": "T"}, directed=False)
    users = [User("u", "a", "c", 5, {"A": 3, "B": 2, "T": 1000})]

    assert [5.0, 5.0] == [plan(graph, users, method).profit for method in ("exact", "scaled")]


def test_greedy_goes_on_when_the_best_place_is_too_far():
    """As printed, the algorithm would try T for ever; here it takes what can still be reached."""
    edges = [("a", "b", 1), ("b", "c", 1), ("b", "t", 9), ("t", "c", 9)]
    graph = LocationGraph.of(edges, {"a": "S", "b": "A", "t": "T"})
    trip = plan(graph, [User("u", "a", "c", 18.5, {"S": 5, "A": 1, "T": 4})], "greedy")

    assert (["A", "S"], 6.0) == (trip.covered, trip.profit)
