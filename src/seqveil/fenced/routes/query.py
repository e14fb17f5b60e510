"""A group's query, checked against its graph: who goes, what is wanted, in which order, and how good each place is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes.categories import accepts
from seqveil.fenced.routes.graph import LocationGraph
from seqveil.fenced.routes.meeting import SLACK, MeetingGraph, Trees, meeting_graph
from seqveil.fenced.routes.terms import Terms
from seqveil.fenced.routes.users import User, user_of
from seqveil.surface import parameter


@dataclass(frozen=True, eq=False)
class Query:
    """All that a method needs to know."""

    graph: LocationGraph
    users: list[User]
    trees: Trees
    limits: NDArray[np.float64]
    shortest: NDArray[np.float64]
    categories: list[str]
    """The wanted ones: those with λ > 0."""
    preferences: NDArray[np.float64]
    """preferences[i, c]: what user i gives the wanted category c."""
    profits: NDArray[np.float64]
    """λ: weights times preferences, summed over the users."""
    before: NDArray[np.bool_]
    quality: NDArray[np.int64]
    """quality[v, c]: level 1 to `levels` at which node v offers category c, else 0."""
    levels: int
    terms: Terms

    def waits(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """How long each user waits for the others at these nodes."""
        return self.trees.waits(np.array([user.departs for user in self.users]), nodes)

    @cached_property
    def out(self) -> NDArray[np.float64]:
        """out[i, v]: what user i has paid when the group leaves v, if it meets there."""
        return self.trees.out + self.terms.waiting * self._everywhere if self.terms.waiting else self.trees.out

    @cached_property
    def _everywhere(self) -> NDArray[np.float64]:
        return self.waits(np.arange(len(self.graph)))

    def meeting(self) -> MeetingGraph:
        """Where everybody can go within their limits."""
        bound = self.terms.max_wait
        open_ = np.ones(len(self.graph), bool)
        if bound is not None:
            open_ = np.all(self._everywhere <= bound * (1 + SLACK), axis=0)
        return meeting_graph(self.graph, self.out, self.trees.home, self.limits, self.quality, open_)


def query_of(
    graph: LocationGraph,
    users: Sequence[Any],
    order: Any = None,
    quality: Mapping[Any, float] | None = None,
    levels: int = 1,
    terms: Terms = Terms(),  # noqa: B008 (frozen)
) -> Query:
    """Check everything, and run the shortest paths from and to the users' end points."""
    group = [user_of(user, number) for number, user in enumerate(users, 1)]
    if not group:
        raise CallError("there are no users: give at least one, with start, end, limit and preferences.")
    problems = [problem for user in group for problem in user.problems(graph)]
    if problems:
        raise InputProblems("users", problems)
    liking = {name: sum(user.weight * user.preferences.get(name, 0.0) for user in group) for name in graph.wantable}
    wanted = [name for name, profit in liking.items() if profit > 0]
    if not wanted:
        raise CallError("all preferences or all weights are 0: give at least one user a preference above 0.")
    trees = Trees.of(graph, [graph.codes[user.start] for user in group], [graph.codes[user.end] for user in group])
    shortest = trees.out[np.arange(len(group)), trees.ends]
    bounds = [user.bound(float(cost)) if np.isfinite(cost) else 0.0 for user, cost in zip(group, shortest, strict=True)]
    limits = np.array(bounds)
    _reachable(group, shortest, limits)
    likes = np.array([[user.preferences.get(name, 0.0) for name in wanted] for user in group])
    return Query(
        graph, group, trees, limits, shortest, wanted, likes, np.array([liking[name] for name in wanted]),
        _before(wanted, graph, order), _levels(graph, wanted, quality, levels), levels, terms,
    )  # fmt: skip


def _reachable(group: list[User], shortest: NDArray[np.float64], limits: NDArray[np.float64]) -> None:
    problems = []
    for user, cost, limit in zip(group, shortest, limits, strict=True):
        if not np.isfinite(cost):
            problems.append(f"{user.name}: there is no path from {user.start!r} to {user.end!r}")
        elif cost > limit * (1 + SLACK):
            problems.append(f"{user.name}: limit {limit:g} is below the cost of the shortest path: give {cost:g} or more")
    if problems:
        raise InputProblems("users", problems)


def _before(wanted: list[str], graph: LocationGraph, order: Any) -> NDArray[np.bool_]:
    """The order as a matrix, closed under transitivity. A chain of names, or several chains."""
    chains = [] if not order else [list(order)] if all(isinstance(name, str) for name in order) else [list(c) for c in order]
    names = sorted({name for chain in chains for name in chain})
    unknown = [name for name in names if name not in graph.wantable]
    if unknown:
        offered = ", ".join(graph.wantable[:10])
        raise InputProblems("order", [f"no node offers {name!r}: the categories are {offered}" for name in unknown])
    rank = {name: at for at, name in enumerate(names)}
    closed = np.zeros((len(names), len(names)), bool)
    for chain in chains:
        for first, then in pairwise(chain):
            closed[rank[first], rank[then]] = True
    for middle in range(len(names)):
        closed |= closed[:, [middle]] & closed[[middle], :]
    circular = [name for name in names if closed[rank[name], rank[name]]]
    if circular:
        raise CallError(f"the order is circular through {', '.join(circular)}: remove one of its steps.")
    before = np.zeros((len(wanted), len(wanted)), bool)
    for c, first in enumerate(wanted):
        for d, then in enumerate(wanted):
            if first in rank and then in rank:
                before[c, d] = closed[rank[first], rank[then]]
    return before


def _levels(graph: LocationGraph, wanted: list[str], quality: Mapping[Any, float] | None, levels: int) -> NDArray[np.int64]:
    """Which level each node offers each wanted category at: quality q in [0, 1] is read up to the next of `levels` steps."""
    if not 1 <= levels <= 10:
        raise CallError(f"{parameter('levels', str(levels))}: give a number from 1 to 10; 2 means popular and unpopular.")
    step = np.full(len(graph), levels, np.int64)
    if quality is not None:
        values = {str(node): float(value) for node, value in quality.items()}
        unknown = [node for node in values if node not in graph.codes]
        wrong = [node for node, value in values.items() if not 0 <= value <= 1]
        if unknown or wrong:
            problems = [f"{node!r} is not a node of the graph" for node in unknown[:3]]
            problems += [f"{node!r} has quality {values[node]:g}: give a number from 0 to 1" for node in wrong[:3]]
            raise InputProblems("quality", problems)
        worth = np.zeros(len(graph))
        worth[[graph.codes[node] for node in values]] = list(values.values())
        step = np.maximum(1, np.ceil(worth * levels - SLACK)).astype(np.int64)
    table = np.zeros((len(graph), len(wanted)), np.int64)
    for c, name in enumerate(wanted):
        will_do = np.array([accepts(name, offered) for offered in graph.categories])
        places = graph.place[will_do[graph.offer]]
        table[places, c] = step[places]
    return table
