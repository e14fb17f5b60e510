"""Passengers of a city's transit, simulated from the London tube's public tables: nobody's, reproducible.

What is real: the network (tube_edges) and how many people go from each station to each other one (tube_od, TfL RODS, 4.3 million
trips on a day). What is made up: that trips belong to passengers. A passenger has a home and a work place, a pair drawn from the
table, and a number of trips in a week. A trip goes, with the chance `habit`, on to the usual place (home to work, from
anywhere else home), otherwise to a place drawn from the row of the table of where the passenger is. A record is what a
smart card records: the stations where the passenger went in, in order.

Three cities are made of it, with the sizes that [Chen thesis, Tables 4.2 and 6.5] prints for Montréal's:
METRO     the 68 busiest stations, 847,668 passengers, 4.21 taps on average.
BUS       944 stops, three or four around every tube station, 778,724 passengers, 5.67 taps. A passenger has one stop at home,
          one at work, and uses any stop of other places.
STM       both together, 1,210,096 passengers, sets of 4.82 labels on average: where a trip begins at a place without a metro
          station, a stop is tapped there, and then the first metro station on the way, if there is one.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import squareform

import seqveil as sv
from data import find
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

BUSIEST = 68
"""Stations of Montréal's metro [Chen thesis, Table 6.5]."""
STOPS = 944
"""Bus stations of Table 6.5; 68 + 944 are the 1,012 labels of Table 4.2."""
LONGEST = 121


@dataclass(frozen=True, eq=False)
class Network:
    """Stations in a public order that puts neighbours on the network side by side, and where people go from each."""

    names: list[str]
    trips: np.ndarray  # people from row to column
    edges: np.ndarray  # pairs of stations that are next to each other
    distance: np.ndarray  # stops between two stations
    before: np.ndarray  # before[a, b]: the last station before b on a shortest way from a

    def busiest(self, n: int) -> np.ndarray:
        """The n stations that most people go in or out of, in the order of the network."""
        return np.sort(np.argsort(-(self.trips.sum(0) + self.trips.sum(1)), kind="stable")[:n])


def _rows(name: str) -> list[list[str]] | None:
    path = find(name)
    if path is None:
        return None
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def neighbourhoods(distance: np.ndarray) -> np.ndarray:
    """An order in which neighbours stand together: the leaves of a tree of clusters (average linkage, public distances)."""
    return leaves_list(linkage(squareform(distance, checks=False), "average", optimal_ordering=True))


@cache
def tube() -> Network | None:
    """The tube; None, with a message, where its tables are not at hand. Stations without counts only carry ways."""
    od, edges = _rows("tube_od.tsv.gz"), _rows("tube_edges.tsv.gz")
    if od is None or edges is None:
        return None
    names = sorted({name for row in edges for name in row})
    number = {name: i for i, name in enumerate(names)}
    ends = np.array([[number[a], number[b]] for a, b in edges])
    near = csr_array((np.ones(2 * len(ends)), (ends.T.reshape(-1), ends[:, ::-1].T.reshape(-1))), (len(names),) * 2)
    far, before = dijkstra(near, directed=False, unweighted=True, return_predecessors=True)
    trips = np.zeros((len(names),) * 2)
    for a, b, people in od:
        trips[number[a], number[b]] = float(people)
    order = neighbourhoods(np.where(np.isfinite(far), far, far[np.isfinite(far)].max() + 1))
    place = np.argsort(order)
    return Network(
        [names[i] for i in order], trips[np.ix_(order, order)], place[ends], far[np.ix_(order, order)],
        np.where(before < 0, -1, place[np.maximum(before, 0)])[np.ix_(order, order)],
    )  # fmt: skip


def _drawn(rng: np.random.Generator, rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """A column per row `at` of a table of weights, by these weights."""
    edges = np.cumsum(rows, axis=1)
    level = rng.random(len(at)) * edges[at, -1]
    drawn = np.empty(len(at), np.int64)
    for row in np.unique(at):
        here = np.flatnonzero(at == row)
        drawn[here] = np.searchsorted(edges[row], level[here], side="right")
    return np.minimum(drawn, rows.shape[1] - 1)


def journeys(trips: np.ndarray, passengers: int, mean: float, habit: float, seed: int) -> tuple[np.ndarray, ...]:
    """Whose trip, from where, to where; and the passengers' homes and work places. Trips stand by passenger, in order."""
    rng = np.random.default_rng([seed, passengers, len(trips)])
    pair = np.searchsorted(np.cumsum(trips), rng.random(passengers) * trips.sum(), side="right")
    home, work = np.divmod(np.minimum(pair, trips.size - 1), len(trips))
    number = np.minimum(rng.geometric(1 / mean, passengers), LONGEST)
    at = home.copy()
    who, origin, goal = [], [], []
    for step in range(int(number.max())):
        going = np.flatnonzero(number > step)
        here = at[going]
        usual = np.where(here == home[going], work[going], home[going])
        stray = rng.random(len(going)) >= habit
        to = usual.copy()
        to[stray] = _drawn(rng, trips, here[stray])
        who.append(going)
        origin.append(here)
        goal.append(to)
        at[going] = to
    order = np.argsort(np.concatenate(who), kind="stable")
    return *(np.concatenate(part)[order] for part in (who, origin, goal)), home, work


def _records(who: np.ndarray, label: np.ndarray, passengers: int) -> Flat:
    return Flat(label.astype(np.int32), np.concatenate([[0], np.cumsum(np.bincount(who, minlength=passengers))]).astype(np.int64))


def _stops(network: Network) -> tuple[np.ndarray, np.ndarray]:
    """The first stop of every station with counts, and how many it has: 944 in all, more where more people are."""
    people = network.trips.sum(0) + network.trips.sum(1)
    has = np.where(people > 0, 3, 0)
    extra = STOPS - int(has.sum())
    has[np.argsort(-people, kind="stable")[:extra]] += 1
    return np.cumsum(has) - has, has


def metro(passengers: int = 847_668, mean: float = 4.21, habit: float = 0.4, seed: int = 0) -> SequenceTable | None:
    """Taps at the 68 busiest stations."""
    network = tube()
    if network is None:
        return None
    kept = network.busiest(BUSIEST)
    who, origin, *_ = journeys(network.trips[np.ix_(kept, kept)], passengers, mean, habit, seed)
    return SequenceTable(sv.Domain.of([network.names[i] for i in kept]), _records(who, origin, passengers))


def _stop_of(network: Network, who: np.ndarray, place: np.ndarray, home: np.ndarray, work: np.ndarray, seed: int) -> np.ndarray:
    """The stop that a passenger uses at a place: one of their own at home and at work, any elsewhere."""
    first, has = _stops(network)
    rng = np.random.default_rng([seed, 944])
    own = rng.random((2, len(home)))
    lot = np.where(place == home[who], own[0][who], np.where(place == work[who], own[1][who], rng.random(len(who))))
    return first[place] + (lot * has[place]).astype(np.int64)


def _stop_names(network: Network) -> list[str]:
    _, has = _stops(network)
    return [f"{name} {'ABCDE'[i]}" for name, n in zip(network.names, has, strict=True) for i in range(n)]


def bus(passengers: int = 778_724, mean: float = 5.67, habit: float = 0.4, seed: int = 0) -> SequenceTable | None:
    """Taps at 944 stops around the stations."""
    network = tube()
    if network is None:
        return None
    who, origin, _, home, work = journeys(network.trips, passengers, mean, habit, seed)
    stops = _stop_of(network, who, origin, home, work, seed)
    return SequenceTable(sv.Domain.of(_stop_names(network)), _records(who, stops, passengers))


def stm(passengers: int = 1_210_096, mean: float = 5.17, habit: float = 0.4, seed: int = 0) -> SequenceTable | None:
    """Taps at stops and metro stations, 1,012 labels in the order of the network: a station stands before its stops."""
    network = tube()
    if network is None:
        return None
    is_metro = np.zeros(len(network.names), np.bool_)
    is_metro[network.busiest(BUSIEST)] = True
    who, origin, goal, home, work = journeys(network.trips, passengers, mean, habit, seed)
    stop = _stop_of(network, who, origin, home, work, seed)
    _, has = _stops(network)
    labels_of = np.cumsum(has + is_metro) - (has + is_metro)  # where a place's labels begin: its station, then its stops
    stop_label = stop - (np.cumsum(has) - has)[origin] + labels_of[origin] + is_metro[origin]
    change = _first_metro(network, is_metro)[origin, goal]
    taps_metro = np.where(is_metro[origin], origin, change)
    label = np.concatenate([stop_label[~is_metro[origin]], labels_of[taps_metro[taps_metro >= 0]]])
    owner = np.concatenate([who[~is_metro[origin]], who[taps_metro >= 0]])
    order = np.argsort(owner, kind="stable")
    flat = _records(owner[order], label[order], passengers)
    names = []
    for i, name in enumerate(network.names):
        names += ([name] if is_metro[i] else []) + [f"{name} {'ABCDE'[k]}" for k in range(has[i])]
    return SequenceTable(sv.Domain.of(names), flat)


def _first_metro(network: Network, is_metro: np.ndarray) -> np.ndarray:
    """For every way: the first metro station on it after its origin, where people change from the bus; -1 where there is none."""
    n = len(network.names)
    first = np.full((n, n), -1)
    # A shortest way to b goes through before[a, b]: its first metro station is that of the way there, or b itself.
    for distance in range(1, int(network.distance[np.isfinite(network.distance)].max()) + 1):
        a, b = np.nonzero(network.distance == distance)
        earlier = first[a, network.before[a, b]]
        first[a, b] = np.where(earlier >= 0, earlier, np.where(is_metro[b], b, -1))
    return first


def connected(least: int) -> tuple[Network, np.ndarray] | None:
    """Pairs of stations between which more than `least` people go, both ways together [Chen thesis, §7.5]."""
    network = tube()
    if network is None:
        return None
    both = network.trips + network.trips.T
    return network, np.argwhere(np.triu(both, 1) > least)


def neighbour_groups(labels: int, size: int) -> np.ndarray:
    """A public taxonomy of the order of the network: groups of `size` neighbours."""
    return np.arange(labels) * -(-labels // size) // labels
