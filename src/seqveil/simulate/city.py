"""A city with 68 stations on four lines, and the trips of its passengers on one day.

Two lines run west to east and two north to south; they cross at four stations. Passengers live and work where stations are
popular, travel through the crossings, and some stop somewhere on the way home. The map is public; the trips are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

LINES = ("Amber", "Birch", "Cobalt", "Dune")
PER_LINE = 18
CROSSINGS = {("Amber", 5): ("Cobalt", 5), ("Amber", 12): ("Dune", 5), ("Birch", 5): ("Cobalt", 12), ("Birch", 12): ("Dune", 12)}


@dataclass(frozen=True, slots=True)
class Map:
    """The public map: stations by name, with coordinates, and the stations of each line in order."""

    names: list[str]
    x: list[float]
    y: list[float]
    lines: dict[str, list[int]]

    @classmethod
    def of_the_city(cls) -> Map:
        """Four lines of 18 stations that share four crossings.

        >>> city = Map.of_the_city()
        >>> len(city.names), [len(stops) for stops in city.lines.values()]
        (68, [18, 18, 18, 18])
        """
        shared = {there: here for here, there in CROSSINGS.items()}
        number: dict[tuple[str, int], int] = {}
        names: list[str] = []
        x: list[float] = []
        y: list[float] = []
        for row, line in enumerate(LINES):
            for stop in range(PER_LINE):
                if (line, stop) in shared:
                    number[line, stop] = number[shared[line, stop]]
                    continue
                number[line, stop] = len(names)
                crossing = CROSSINGS.get((line, stop))
                names.append(f"{line} {stop + 1}" if crossing is None else f"{line}-{crossing[0]}")
                across = row < 2
                x.append(float(stop) if across else 5.0 if line == "Cobalt" else 12.0)
                y.append((5.0 if line == "Amber" else 12.0) if across else float(stop))
        return cls(names, x, y, {line: [number[line, stop] for stop in range(PER_LINE)] for line in LINES})

    def route(self, start: int, goal: int) -> list[int]:
        """Where a passenger changes trains between two stations: nowhere on one line, else at crossings.

        >>> city = Map.of_the_city()
        >>> [city.names[s] for s in city.route(city.names.index("Amber 1"), city.names.index("Cobalt 1"))]
        ['Amber-Cobalt']
        """
        homes = [line for line, stops in self.lines.items() if start in stops]
        goals = [line for line, stops in self.lines.items() if goal in stops]
        if set(homes) & set(goals):
            return []
        meeting = [s for a in homes for b in goals for s in self.lines[a] if s in self.lines[b]]
        if meeting:
            return [min(meeting, key=lambda s: self._far(start, s) + self._far(s, goal))]
        first, last = self.lines[homes[0]], self.lines[goals[0]]
        ways = [[s, t] for stops in self.lines.values() for s in stops if s in first for t in stops if t in last and s != t]
        return min(ways, key=lambda w: self._far(start, w[0]) + self._far(w[0], w[1]) + self._far(w[1], goal))

    def _far(self, a: int, b: int) -> float:
        return abs(self.x[a] - self.x[b]) + abs(self.y[a] - self.y[b])

    @property
    def domain(self) -> Domain:
        """The stations as a public domain."""
        return Domain.of(self.names, public_because="the network map is published")


def trips(passengers: int = 200_000, seed: int = 2026) -> SequenceTable:
    """One day of taps: home, crossings, work, sometimes a stop, and home again.

    >>> day = trips(passengers=1000)
    >>> len(day.domain), len(day)
    (68, 1000)
    """
    city = Map.of_the_city()
    random = np.random.default_rng(seed)
    n = len(city.names)
    middle = np.array([city._far(s, city.names.index("Amber-Dune")) for s in range(n)])
    lives = np.exp(-((middle - 9) ** 2) / 40) + 0.05 * random.random(n)
    works = np.exp(-middle / 3) + 0.02
    shops = np.exp(-((middle - 4) ** 2) / 6) * random.random(n) + 0.01
    home, work, shop = (random.choice(n, passengers, p=w / w.sum()) for w in (lives, works, shops))
    habit = random.random(passengers)
    route = [[city.route(a, b) for b in range(n)] for a in range(n)]
    days = []
    for a, b, c, mood in zip(home.tolist(), work.tolist(), shop.tolist(), habit.tolist(), strict=True):
        day = [a, *route[a][b], b]
        if mood < 0.55:
            day += [*route[b][a], a]
        elif mood < 0.8:
            day += [*route[b][c], c, *route[c][a], a]
        days.append(day)
    return SequenceTable(city.domain, Flat.of(days))
