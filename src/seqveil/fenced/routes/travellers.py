"""What each user does on a trip: along with the group, or past those stops only that they care for [Bonomi thesis, §6.3]."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from seqveil.fenced.routes.meeting import SLACK
from seqveil.fenced.routes.query import Query
from seqveil.fenced.routes.trip import Stop, Traveller


def travellers_of(query: Query, nodes: list[int], places: list[int], stops: list[Stop]) -> list[Traveller]:
    """Each user's way with the shared route in it, what it costs them and brings them, and their refined way."""
    graph, trees = query.graph, query.trees
    shared = graph.cost(nodes)
    # Two stops are no further apart than the shared route is long, so nobody has to look beyond that.
    _, via = graph.shortest(places, limit=shared * (1 + SLACK))
    got = {name: worth for stop in stops for name, worth in stop.visits.items()}
    waits = query.waits(np.array(nodes[:1]))[:, 0]
    travellers = []
    for i, user in enumerate(query.users):
        path = [*trees.path_out(i, nodes[0]), *nodes[1:], *trees.path_home(i, nodes[-1])[1:]]
        cost = float(query.out[i, nodes[0]] + shared + trees.home[i, nodes[-1]])
        waited = float(waits[i]) if query.terms.synchronised else None
        own = [j for j, stop in enumerate(stops) if any(user.preferences.get(name, 0) > 0 for name in stop.visits)]
        refined = _refined(query, i, places, own, via)
        hoped = sum(user.preferences.values())
        met = sum(liking * got.get(name, 0.0) for name, liking in user.preferences.items()) / hoped if hoped else 1.0
        ways = [graph.ids[v] for v in path], [graph.ids[v] for v in refined]
        limit, alone = float(query.limits[i]), float(query.shortest[i])
        travellers.append(Traveller(user.name, ways[0], cost, limit, alone, met, ways[1], graph.cost(refined), waited))
    return travellers


def _refined(query: Query, i: int, places: list[int], own: list[int], via: NDArray[np.int32]) -> list[int]:
    """Shortest ways between user i's own stops, in the order of the trip; without any, straight home."""
    if not own:
        return query.trees.path_out(i, int(query.trees.ends[i]))
    path = query.trees.path_out(i, places[own[0]])
    for here, there in pairwise(own):
        way = [places[there]]
        while way[-1] != places[here]:
            way.append(int(via[here, way[-1]]))
        path += way[-2::-1]
    return path + query.trees.path_home(i, path[-1])[1:]
