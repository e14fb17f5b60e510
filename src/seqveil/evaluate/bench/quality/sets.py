"""The sets of `seqveil bench quality`, with the l_max of each fixed once for everybody: files in $SEQVEIL_DATA, and simulations.

20 is the l_max of [Chen 2012] and stands where nothing speaks against it. Oyster journeys have two stations by definition; loan
cases are long, and whoever publishes those would not cut most of them in half.
"""

from __future__ import annotations

import gzip
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from seqveil.evaluate.bench.data import OBSERVED, find, read
from seqveil.simulate import logs
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

BENCH_ONLY = "benchmark only: the labels of a public file; an experiment has no guarantee"


@dataclass(frozen=True, slots=True)
class QualitySet:
    """A set by name; `read` takes the folder of the data (None: $SEQVEIL_DATA) and refuses with what is missing."""

    name: str
    l_max: int
    about: str
    read: Callable[[Path | None], SequenceTable]


def _lines(name: str, about: str, domain: str = OBSERVED, l_max: int = 20) -> QualitySet:
    """A file of lines."""
    return QualitySet(name, l_max, about, lambda folder: read(find(f"{name}.seq.gz", folder), domain))


def _simulated(name: str, about: str, make: Callable[[], SequenceTable], l_max: int = 20) -> QualitySet:
    return QualitySet(name, l_max, about, lambda folder: make())


def oyster(folder: Path | None) -> SequenceTable:
    """Journeys as records of two stations. The file has no card ids: a record is a journey, not a person's day."""
    path = find("oyster_rail_journeys.csv.gz", folder)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        next(file)
        ends = np.array([line.split(",")[2:4] for line in file], np.int32)
    labels = Domain.range(0, int(ends.max()), public_because=BENCH_ONLY)
    return SequenceTable(labels, Flat(ends.ravel(), np.arange(0, ends.size + 1, 2, dtype=np.int64)))


def tube(folder: Path | None, passengers: int = 300_000, seed: int = 1) -> SequenceTable:
    """Simulated passengers: drawn by the counts of origin and destination, each along a shortest path (fewest stations).

    Of several shortest paths the one that goes to the alphabetically first neighbours is taken. Pairs that the network does not
    join are left out.
    """
    counts = [line.split("\t") for line in _text(find("tube_od.tsv.gz", folder))]
    edges = [line.split("\t") for line in _text(find("tube_edges.tsv.gz", folder))]
    names = sorted({name for a, b, *_ in edges + counts for name in (a, b)})
    code = {name: k for k, name in enumerate(names)}
    beside: list[list[int]] = [[] for _ in names]
    for a, b in edges:
        beside[code[a]].append(code[b])
        beside[code[b]].append(code[a])
    towards = {goal: _next_steps(beside, goal) for goal in {code[b] for _, b, _ in counts}}
    joined = [(code[a], code[b], int(n)) for a, b, n in counts if a != b and towards[code[b]][code[a]] >= 0]
    weights = np.array([n for _, _, n in joined], np.float64)
    drawn = np.random.default_rng(seed).multinomial(passengers, weights / weights.sum())
    routes = [_route(towards[goal], start, goal) for start, goal, _ in joined]
    distinct = Flat.of(routes)
    return SequenceTable(Domain.of(names, public_because=BENCH_ONLY), distinct.take(np.repeat(np.arange(len(routes)), drawn)))


def _text(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def _next_steps(beside: list[list[int]], goal: int) -> list[int]:
    """From every station the next one on a shortest path to the goal; -1 where there is none."""
    step = [-1] * len(beside)
    step[goal] = goal
    queue = deque([goal])
    while queue:
        here = queue.popleft()
        for there in sorted(beside[here]):
            if step[there] < 0:
                step[there] = here
                queue.append(there)
    return step


def _route(step: list[int], start: int, goal: int) -> list[int]:
    route = [start]
    while route[-1] != goal:
        route.append(step[route[-1]])
    return route


SETS = {
    one.name: one
    for one in (
        _lines("msnbc", "page categories per visitor", "1..17"),
        _lines("us_flights", "airports of an itinerary"),
        _lines("nasa_aug95", "pages of a web server per host"),
        _lines("bms1", "pages of a web shop"),
        _lines("bible", "words of a sentence"),
        _lines("leviathan", "words of a sentence"),
        _lines("sign", "signs of an utterance"),
        _lines("sepsis", "hospital cases"),
        _lines("helpdesk", "tickets"),
        _lines("traffic_fines", "fines"),
        _lines("foursquare_nyc_daily", "check-ins of a user and day"),
        QualitySet("oyster", 2, "rail journeys, each a record of two stations (the file has no card ids)", oyster),
        QualitySet("tube", 20, "simulated passengers by real origin–destination counts, along shortest paths", tube),
        _simulated("bike_days", "simulated: out-and-back trips of a rider and day", logs.bike_days),
        _simulated("loan_cases", "simulated: long records with loops", logs.loan_cases, l_max=40),
        _simulated("clicks", "simulated: short sessions, Zipf labels", logs.clicks),
        _simulated("web_sessions", "simulated: long sessions, Zipf labels", logs.web_sessions),
    )
}
"""Every set by name, in the order of the tables."""
