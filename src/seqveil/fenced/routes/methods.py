"""Three ways to a shared route: exact, scaled within 1 − ε, greedy within 1/k. Each returns levels for all wanted categories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.fenced.routes.coverage import value_of
from seqveil.fenced.routes.greedy import greedy_route
from seqveil.fenced.routes.meeting import MeetingGraph
from seqveil.fenced.routes.query import Query
from seqveil.fenced.routes.search import Shared, best_route
from seqveil.fenced.routes.wanted import Wanted
from seqveil.surface import parameter

MOST_CATEGORIES = 11
"""The exact method's limit; every further category doubles its tables."""
_MOST_CELLS = 150_000_000
"""Numbers in the tables of the dynamic program: 1.2 GB."""


def exact(query: Query, meeting: MeetingGraph) -> Shared | None:
    """The best route. Time and memory grow as (levels + 1)^k."""
    if len(query.categories) > MOST_CATEGORIES:
        raise CallError(_refusal(query, meeting, len(query.categories)))
    columns = _available(meeting)
    return _solved(query, meeting, columns)


def scaled(query: Query, meeting: MeetingGraph) -> Shared | None:
    """A route with at least 1 − ε of the best profit [Bonomi thesis, Alg. 11].

    Profits are rounded down to multiples of ε·b/k, where b is the most that one category brings at some meeting point: the best
    route brings b or more and loses at most k roundings. Categories that round to nothing are left out. If the greedy route
    cannot be improved in these units, it is the answer.
    """
    theta, epsilon = query.terms.theta, query.terms.epsilon
    columns = _available(meeting)
    if not len(columns):
        return None
    best = float((meeting.quality.max(axis=0) / query.levels * query.profits).max())
    unit = epsilon * best / len(columns)
    worthy = columns[np.floor(meeting.quality.max(axis=0)[columns] / query.levels * query.profits[columns] / unit + 1e-9) > 0]
    if len(worthy) <= MOST_CATEGORIES:
        return _quick(query, meeting, worthy, unit) if theta == 1 else _solved(query, meeting, worthy, unit)
    groups = int(1 / (1 - epsilon) + 1e-9)
    if groups * MOST_CATEGORIES < len(columns):
        enough = np.ceil((1 - 1 / np.ceil(len(columns) / MOST_CATEGORIES)) * 100) / 100
        raise CallError(
            f"{len(columns)} categories are within reach, but {parameter('method', 'scaled')} handles at most "
            f"{groups * MOST_CATEGORIES} with {parameter('epsilon', f'{epsilon:g}')}: use for example "
            f"{parameter('epsilon', f'{enough:g}')}, or {parameter('method', 'greedy')}."
        )
    # A best route visits 1/g of its profit in one of g groups of categories, and 1/g ≥ 1 − ε.
    ranked = columns[np.argsort(-query.profits[columns], kind="stable")]
    routes = [_solved(query, meeting, np.sort(part)) for part in np.array_split(ranked, groups)]
    if theta == 1:
        routes.append(greedy(query, meeting))
    return max((route for route in routes if route), key=lambda route: float(route.visited[-1] @ query.profits))


def greedy(query: Query, meeting: MeetingGraph) -> Shared | None:
    """A route with at least 1/k of the best profit, in k runs of Dijkstra's algorithm."""
    return greedy_route(meeting, Wanted(query.profits, query.levels, query.before))


def _available(meeting: MeetingGraph) -> NDArray[np.int64]:
    return np.flatnonzero(meeting.quality.any(axis=0))


def _quick(query: Query, meeting: MeetingGraph, columns: NDArray[np.int64], unit: float) -> Shared | None:
    """The greedy route if it brings as many whole units as can be brought, else the best one in these units."""
    first = greedy(query, meeting)
    most = meeting.quality.max(axis=0)[columns]
    if first is not None:
        brought = _units(query, columns, first.visited[-1][columns], unit)
        if (brought == _units(query, columns, most, unit)).all():
            return first
    return _solved(query, meeting, columns, unit)


def _units(query: Query, columns: NDArray[np.int64], levels: NDArray[np.int64], unit: float) -> NDArray[np.float64]:
    return np.asarray(np.floor(levels * query.profits[columns] / query.levels / unit + 1e-9))


def _solved(query: Query, meeting: MeetingGraph, columns: NDArray[np.int64], unit: float | None = None) -> Shared | None:
    """The best route for these categories, with whatever else lies on it."""
    if not len(columns):
        return None
    want = Wanted(query.profits[columns], query.levels, query.before[np.ix_(columns, columns)])
    if want.count * len(meeting) * (len(query.users) + 1) > _MOST_CELLS or want.count > 2**MOST_CATEGORIES:
        raise CallError(_refusal(query, meeting, len(columns)))
    part = replace(meeting, quality=meeting.quality[:, columns])
    value = value_of(query, want, columns) if unit is None else want.scaled(unit)
    most = float(query.profits.sum()) / (unit or 1.0)
    route = best_route(part, want, value, query.terms.theta, most)
    if route is None:
        return None
    if not query.before.any():
        return Shared(route.nodes, np.maximum.accumulate(meeting.quality[route.nodes], axis=0))
    visited = np.zeros((len(route.nodes), len(query.categories)), np.int64)
    visited[:, columns] = route.visited
    return Shared(route.nodes, visited)


def _refusal(query: Query, meeting: MeetingGraph, k: int) -> str:
    """What the dynamic program would cost, and what to use instead."""
    states = (query.levels + 1) ** k
    cells = states * len(meeting) * (len(query.users) + 1)
    steps = f", quality in {query.levels} levels" if query.levels > 1 else ""
    return (
        f"{parameter('method', 'exact')} with {k} categories{steps} needs {states:,} states for each of {len(meeting):,} nodes "
        f"within reach and {len(query.users)} users: about {cells * 8 / 1e9:,.1f} GB and {cells * 2e-7:,.0f} seconds. "
        f"It is limited to {MOST_CATEGORIES} categories and {_MOST_CELLS * 8 / 1e9:.1f} GB. "
        f"Use {parameter('method', 'scaled')} (at least 1 − ε of the best profit), "
        f"{parameter('method', 'greedy')} (at least 1/{k} of it), "
        f"fewer categories{' or levels' if query.levels > 1 else ''}, or tighter limits."
    )
