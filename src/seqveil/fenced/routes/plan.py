"""plan: one group, one graph, one trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.routes import methods
from seqveil.fenced.routes.categories import accepts
from seqveil.fenced.routes.coverage import utility
from seqveil.fenced.routes.graph import LocationGraph
from seqveil.fenced.routes.meeting import MeetingGraph
from seqveil.fenced.routes.query import Query, query_of
from seqveil.fenced.routes.search import Shared
from seqveil.fenced.routes.terms import Terms
from seqveil.fenced.routes.travellers import travellers_of
from seqveil.fenced.routes.trip import Stop, Trip
from seqveil.fenced.routes.why import why_missed, why_nothing, why_poor


def plan(
    graph: LocationGraph,
    users: Sequence[Any],
    method: str = "exact",
    *,
    order: Any = None,
    quality: Mapping[Any, float] | None = None,
    levels: int | None = None,
    theta: float = 1.0,
    epsilon: float = 0.5,
    waiting: float = 0.0,
    max_wait: float | None = None,
    coverage: float = 0.0,
    curve: float = 1.0,
) -> Trip:
    """The trip that a group can share [Bonomi thesis, ch. 6]. Not about privacy.

    `order` is a chain of categories, or several: of those that are visited, earlier ones come first. `quality` maps nodes to
    [0, 1] (0 where absent) and is read in `levels` steps (2: popular or not). `theta` below 1 weighs profit against distance.
    A unit of waiting for the others at the first stop counts as `waiting` units of travel, and nobody waits longer than
    `max_wait`. Everybody gets at least the share `coverage` of their preferences; a `curve` below 1 favours those who
    would get little.

    >>> town = LocationGraph.of([("a", "b", 1), ("b", "c", 1), ("c", "d", 1)], {"b": "museum", "c": "café"}, directed=False)
    >>> both = [{"start": "a", "end": "d", "limit": 3, "preferences": {"museum": 2}},
    ...         {"start": "d", "end": "b", "limit": 4, "preferences": {"café": 1}}]
    >>> trip = plan(town, both)
    >>> trip.itinerary, trip.covered, [one.cost for one in trip.travellers]
    (['b', 'c'], ['café', 'museum'], [3.0, 4.0])
    """
    terms = Terms(theta, epsilon, waiting, max_wait, coverage, curve)
    terms.require(method)
    query = query_of(graph, users, order, quality, (levels or 2) if quality is not None else 1, terms)
    meeting = query.meeting()
    solve = {"exact": methods.exact, "scaled": methods.scaled, "greedy": methods.greedy}[method]
    trip = _trip(query, meeting, solve(query, meeting), method)
    if not trip.found and coverage and len(meeting.starts):
        anyway = plan(graph, users, order=order, quality=quality, levels=levels, waiting=waiting, max_wait=max_wait)
        return replace(trip, why=why_poor(coverage, anyway))
    return trip


def _promise(query: Query, method: str) -> str:
    """What the method guarantees."""
    if method == "exact":
        return "no shared route is better" if query.terms.theta == 1 else "no shared route has a better score"
    if query.terms.theta < 1:
        return "the best score for rounded profits"
    if method == "scaled":
        return f"at least {1 - query.terms.epsilon:g} of the best profit"
    return f"at least 1/{len(query.categories)} of the best profit"


def _stops(query: Query, nodes: NDArray[np.int64], visited: NDArray[np.int64]) -> tuple[list[int], list[Stop]]:
    """Positions of the stops on the route, and what each is for: a category is visited where its final level is first reached."""
    last = visited[-1]
    reach = np.argmax(visited == last[None, :], axis=0)
    at: dict[int, dict[str, float]] = {}
    for c in sorted(np.flatnonzero(last), key=lambda c: (reach[c], c)):
        at.setdefault(int(reach[c]), {})[query.categories[c]] = float(last[c] / query.levels)
    stops = []
    for position, visits in at.items():
        node = query.graph.ids[nodes[position]]
        offered = query.graph.offers(node)
        narrower = {name: next(one for one in offered if accepts(name, one)) for name in visits if name not in offered}
        stops.append(Stop(node, visits, narrower))
    return list(at), stops


def _trip(query: Query, meeting: MeetingGraph, route: Shared | None, method: str) -> Trip:
    most, points, promise = float(query.profits.sum()), len(meeting.points), _promise(query, method)
    if route is None:
        why = why_nothing(query, meeting)
        return Trip(False, method, promise, [], [], 0.0, most, 0.0, 0.0, [], query.categories, meeting.reached, points, why)
    nodes, last = meeting.nodes[route.nodes], route.visited[-1]
    positions, stops = _stops(query, nodes, route.visited)
    profit = float(last / query.levels @ query.profits)
    worth = float(utility(query, last[None, :], np.arange(len(last)))[0]) if query.terms.curve != 1 else profit
    travellers = travellers_of(query, nodes.tolist(), [int(nodes[position]) for position in positions], stops)
    paid = sum(one.cost for one in travellers)
    score = query.terms.theta * worth / most - (1 - query.terms.theta) * paid / float(query.limits.sum())
    missed = [name for name, level in zip(query.categories, last, strict=True) if not level]
    used = {*(query.graph.ids[node] for node in nodes), *(name for one in travellers for name in one.path + one.refined_path)}
    return Trip(
        True, method, promise, [query.graph.ids[node] for node in nodes], stops, profit, most, worth, score, travellers,
        missed, meeting.reached, points, why_missed(query, meeting, missed), query.graph.where(used),
    )  # fmt: skip
