"""plan: one group, one graph, one trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqveil.errors import CallError
from seqveil.fenced.routes import methods
from seqveil.fenced.routes.graph import LocationGraph
from seqveil.fenced.routes.meeting import MeetingGraph, meeting_graph
from seqveil.fenced.routes.query import Query, query_of
from seqveil.fenced.routes.search import Shared
from seqveil.fenced.routes.travellers import travellers_of
from seqveil.fenced.routes.trip import Stop, Trip
from seqveil.fenced.routes.why import why_missed, why_nothing
from seqveil.surface import parameter


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
) -> Trip:
    """The trip that a group can share [Bonomi thesis, ch. 6]. Not about privacy.

    `order` is a chain of categories, or several: of those that are visited, earlier ones come first. `quality` maps nodes to
    [0, 1] (0 where absent) and is read in `levels` steps (2: popular or not). `theta` below 1 weighs profit against distance.

    >>> town = LocationGraph.of([("a", "b", 1), ("b", "c", 1), ("c", "d", 1)], {"b": "museum", "c": "café"}, directed=False)
    >>> both = [{"start": "a", "end": "d", "limit": 3, "preferences": {"museum": 2}},
    ...         {"start": "d", "end": "b", "limit": 4, "preferences": {"café": 1}}]
    >>> trip = plan(town, both)
    >>> trip.itinerary, trip.covered, [one.cost for one in trip.travellers]
    (['b', 'c'], ['café', 'museum'], [3.0, 4.0])
    """
    if method not in ("exact", "scaled", "greedy"):
        raise CallError(f"unknown method {method!r}: choose exact, scaled or greedy.")
    if not 0 <= theta <= 1:
        raise CallError(f"{parameter('theta', f'{theta:g}')}: give a number from 0 (distance only) to 1 (profit only).")
    if method == "greedy" and theta != 1:
        raise CallError(
            f"{parameter('method', 'greedy')} considers profit only: give {parameter('theta', '1')} or another method."
        )
    if not 0 < epsilon < 1:
        raise CallError(f"{parameter('epsilon', f'{epsilon:g}')}: give the share of profit that may be lost, between 0 and 1.")
    query = query_of(graph, users, order, quality, (levels or 2) if quality is not None else 1)
    meeting = meeting_graph(graph, query.trees, query.limits, query.quality)
    if method == "exact":
        route, promise = methods.exact(query, meeting, theta), "no shared route is better"
    elif method == "scaled":
        route, promise = methods.scaled(query, meeting, theta, epsilon), f"at least {1 - epsilon:g} of the best profit"
    else:
        route, promise = methods.greedy(query, meeting), f"at least 1/{len(query.categories)} of the best profit"
    if theta < 1:
        promise = "no shared route has a better score" if method == "exact" else "the best score for rounded profits"
    return _trip(query, meeting, route, method, promise, theta)


def _trip(query: Query, meeting: MeetingGraph, route: Shared | None, method: str, promise: str, theta: float) -> Trip:
    most = float(query.profits.sum())
    points = len(meeting.points)
    if route is None:
        why = why_nothing(query, meeting)
        return Trip(False, method, promise, [], [], 0.0, most, 0.0, [], query.categories, meeting.reached, points, why)
    nodes = meeting.nodes[route.nodes]
    last = route.visited[-1]
    # A category is visited where its final level is first reached.
    reach = np.argmax(route.visited == last[None, :], axis=0)
    at: dict[int, dict[str, float]] = {}
    for c in sorted(np.flatnonzero(last), key=lambda c: (reach[c], c)):
        at.setdefault(int(reach[c]), {})[query.categories[c]] = float(last[c] / query.levels)
    stops = [Stop(query.graph.ids[nodes[position]], visits) for position, visits in at.items()]
    profit = float(last / query.levels @ query.profits)
    travellers = travellers_of(query, nodes.tolist(), [int(nodes[position]) for position in at], stops)
    paid = sum(one.cost for one in travellers)
    missed = [name for name, level in zip(query.categories, last, strict=True) if not level]
    used = {*(query.graph.ids[node] for node in nodes), *(name for one in travellers for name in one.path + one.refined_path)}
    return Trip(
        True, method, promise, [query.graph.ids[node] for node in nodes], stops, profit, most,
        theta * profit / most - (1 - theta) * paid / float(query.limits.sum()), travellers, missed, meeting.reached, points,
        why_missed(query, meeting, missed), query.graph.where(used),
    )  # fmt: skip
