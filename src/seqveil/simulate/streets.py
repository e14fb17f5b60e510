"""Trips on made-up streets: people drive between popular places on cheapest paths, and are seen at every crossing, roughly.

Four towns: a grid of streets, one with few of its streets and some highways, rings with spokes, and a grid that is watched three
times as often. The map and its box are public; the trips are not. All of it follows from a seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree

from seqveil.tables.traces import Box, Traces

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

JITTER = 0.15
"""Deviation of a point from its crossing, where streets are 1 apart."""

MARGIN = 1.0
"""The declared box reaches this much farther than the streets: nobody knows the map to the metre."""

UNEVEN = 0.5
"""A street costs up to so much more than its length."""

NEAR = 12.0
"""How far people like to drive: a goal counts for less by e for every so many streets."""

LISTED = 1024
"""Goals that are drawn for every crossing; trips choose among them."""

EVERYWHERE = 0.15
"""Trips begin and end anywhere with this weight, and near a popular place with up to 1.5 more."""


@dataclass(frozen=True, eq=False)
class Town:
    """Crossings with coordinates, streets between them with what it costs to drive them, and how popular crossings are."""

    crossings: Floats
    streets: Ints
    cost: Floats
    origin: Floats
    goal: Floats

    @property
    def box(self) -> Box:
        """The declared box."""
        (west, south), (east, north) = self.crossings.min(axis=0) - MARGIN, self.crossings.max(axis=0) + MARGIN
        return Box(float(west), float(south), float(east), float(north))

    @classmethod
    def grid(cls, size: int = 30, seed: int = 0, popular: int = 6, width: float = 3.0) -> Town:
        """`size` × `size` streets.

        >>> Town.grid(size=4).box
        Box(west=-1.0, south=-1.0, east=4.0, north=4.0)
        """
        random = np.random.default_rng(seed)
        crossings, streets = _lattice(size)
        cost = 1 + UNEVEN * random.random(len(streets))
        return cls(crossings, streets, cost, *_popular(crossings, popular, width, random))

    @classmethod
    def highways(cls, size: int = 30, seed: int = 0, lines: int = 6, gone: float = 0.35) -> Town:
        """A grid without some of its streets, and with highways on some lines, where driving costs a third."""
        random = np.random.default_rng(seed)
        crossings, streets = _lattice(size)
        cost = 1 + UNEVEN * random.random(len(streets))
        fast = random.choice(size, lines, replace=False)
        a, b = crossings[streets[:, 0]], crossings[streets[:, 1]]
        highway = np.any((a == b) & np.isin(a, fast), axis=1)
        cost = np.where(highway, 0.35 * cost, cost)
        needed = minimum_spanning_tree(csr_matrix((cost, streets.T), shape=(size * size,) * 2)).tocoo()
        tree = np.isin(streets[:, 0] * size**2 + streets[:, 1], needed.row.astype(np.int64) * size**2 + needed.col)
        kept = highway | tree | (random.random(len(streets)) > gone)
        return cls(crossings, streets[kept], cost[kept], *_popular(crossings, 6, 3.0, random))

    @classmethod
    def radial(cls, rings: int = 12, spokes: int = 24, seed: int = 0) -> Town:
        """Rings around a centre, and spokes."""
        random = np.random.default_rng(seed)
        angle = 2 * np.pi * np.arange(spokes) / spokes
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        crossings = np.concatenate([np.zeros((1, 2)), *(radius * circle for radius in range(1, rings + 1))])
        number = 1 + np.arange(rings * spokes).reshape(rings, spokes)
        inner = np.concatenate([np.zeros((1, spokes), np.int64), number[:-1]])
        along = np.stack([number.ravel(), np.roll(number, -1, axis=1).ravel()], axis=1)
        streets = np.concatenate([np.stack([inner.ravel(), number.ravel()], axis=1), along])
        length = np.linalg.norm(crossings[streets[:, 0]] - crossings[streets[:, 1]], axis=1)
        cost = length * (1 + UNEVEN * random.random(len(streets)))
        return cls(crossings, streets, cost, *_popular(crossings, 5, 2.0, random))

    def trips(self, number: int = 20_000, seed: int = 0, often: int = 1) -> Traces:
        """So many trips; people are seen `often` times from one crossing to the next.

        >>> trips = Town.grid(size=5).trips(number=100)
        >>> len(trips), bool((trips.lengths >= 2).all())
        (100, True)
        """
        random = np.random.default_rng([seed, 1])
        origins = random.choice(len(self.origin), number, p=self.origin / self.origin.sum())
        goals = self._goals(random)[origins, random.integers(0, LISTED, number)]
        graph = csr_matrix((self.cost, self.streets.T), shape=(len(self.crossings),) * 2)
        before = dijkstra(graph, directed=False, return_predecessors=True)[1]
        paths = [self.crossings[_path(before[a], a, b)] for a, b in zip(origins.tolist(), goals.tolist(), strict=True)]
        seen = [path if often == 1 else _between(path, often) for path in paths]
        box = self.box
        points = np.concatenate(seen) + random.normal(0, JITTER / often, (sum(map(len, seen)), 2))
        low, high = np.array([box.west, box.south]), np.nextafter([box.east, box.north], -np.inf)
        return Traces(np.clip(points, low, high), np.concatenate([[0], np.cumsum([len(s) for s in seen])]).astype(np.int64))

    def _goals(self, random: np.random.Generator) -> NDArray[np.int64]:
        """From every crossing, goals drawn by how popular and how near they are."""
        away = np.linalg.norm(self.crossings[:, None] - self.crossings, axis=2)
        weight = self.goal * np.exp(-away / NEAR) * (away > 0)
        below = np.cumsum(weight, axis=1)
        sought = random.random((len(below), LISTED)) * below[:, -1:]
        return np.stack([np.searchsorted(row, lots, side="right") for row, lots in zip(below, sought, strict=True)])


def _lattice(size: int) -> tuple[Floats, Ints]:
    number = np.arange(size * size).reshape(size, size)
    row, column = np.divmod(number.ravel(), size)
    streets = [np.stack([a.ravel(), b.ravel()], axis=1) for a, b in ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:]))]
    return np.stack([column, row], axis=1).astype(np.float64), np.concatenate(streets)


def _popular(crossings: Floats, places: int, width: float, random: np.random.Generator) -> tuple[Floats, Floats]:
    """How popular crossings are as origins and as goals: so many places, and what is near them."""
    weights = []
    for _ in range(2):
        weight = np.full(len(crossings), EVERYWHERE)
        for place in crossings[random.integers(0, len(crossings), places)]:
            weight += random.uniform(0.5, 1.5) * np.exp(-((crossings - place) ** 2).sum(axis=1) / (2 * width**2))
        weights.append(weight)
    return weights[0], weights[1]


def _path(before: NDArray[np.integer], start: int, goal: int) -> list[int]:
    path = [goal]
    while path[-1] != start:
        path.append(int(before[path[-1]]))
    return path[::-1]


def _between(path: Floats, often: int) -> Floats:
    """The points of a path and those between them."""
    at = np.linspace(0, len(path) - 1, (len(path) - 1) * often + 1)
    return np.stack([np.interp(at, np.arange(len(path)), path[:, axis]) for axis in (0, 1)], axis=1)
