"""Why a category is not on a trip, or why there is no trip at all: how far the limits are from allowing it."""

from __future__ import annotations

import numpy as np

from seqveil.fenced.routes.meeting import MeetingGraph
from seqveil.fenced.routes.query import Query
from seqveil.fenced.routes.trip import Trip


def why_nothing(query: Query, meeting: MeetingGraph) -> str:
    """The reason when no shared route exists."""
    if not meeting.reached:
        return f"No trip: no node can be reached by everybody within their limits. {_growth(query, None)}"
    if len(meeting.points) and query.terms.max_wait is not None:
        waits = query.waits(meeting.nodes[meeting.points]).max(axis=0)
        least = int(waits.argmin())
        node = query.graph.ids[meeting.nodes[meeting.points[least]]]
        return (
            f"No trip: wherever the group could meet, somebody would wait longer than {query.terms.max_wait:g}. "
            f"The shortest wait is {waits[least]:g}, at {node!r}."
        )
    reasons = " ".join(_category(query, c) for c in range(len(query.categories)))
    return f"No trip: everybody can reach {meeting.reached:,} nodes, but none of them offers what is wanted. {reasons}"


def why_poor(coverage: float, anyway: Trip) -> str:
    """The reason when no trip gives everybody the share of their preferences that was asked for."""
    shares = ", ".join(f"{one.name} {one.satisfied:.0%}" for one in anyway.travellers)
    best = f"The one with the highest profit gives {shares}."
    return f"No trip gives everybody {coverage:.0%} of their preferences. {best} {anyway.why}".strip()


def why_missed(query: Query, meeting: MeetingGraph, missed: list[str]) -> str:
    """For each category that was left out: out of reach, or given up for others."""
    at_hand = np.any(meeting.quality, axis=0)
    reasons = []
    for name in missed:
        c = query.categories.index(name)
        reason = f"{name} is within reach, but not together with the rest." if at_hand[c] else _category(query, c)
        reasons.append(f"Not visited: {reason}")
    return " ".join(reasons)


def _category(query: Query, c: int) -> str:
    return f"{query.categories[c]} is out of reach. {_growth(query, c)}"


def _growth(query: Query, c: int | None) -> str:
    """By what factor all limits would have to grow before some node (that offers category c) could be passed by everybody."""
    needed = (query.out + query.trees.home) / query.limits[:, None]
    if c is not None:
        needed = np.where(query.quality[None, :, c] > 0, needed, np.inf)
    node = int(needed.max(axis=0).argmin())
    factor = float(needed[:, node].max())
    if not np.isfinite(factor):
        return "Larger limits would not help: everyone must be able to reach such a node and get home from it, and there is none."
    worst = query.users[int(needed[:, node].argmax())].name
    return f"The nearest is {query.graph.ids[node]!r}, which would take limits of {factor:.3g} times what they are (for {worst})."
