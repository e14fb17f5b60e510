"""Four logs that are nobody's: days of bike trips, loan applications, short click sessions, long web sessions.

Each imitates a shape that real logs have and public files rarely do: trips that go out and come back, long records with loops
over few activities, thousands of labels with Zipf popularity. They repeat with their seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable

_Codes = NDArray[np.int64]


def bike_days(riders: int = 60_000, seed: int = 1) -> SequenceTable:
    """One day of each rider of 57 stations: where bikes were taken and returned. Trips go out and mostly come back.

    >>> day = bike_days(riders=500)
    >>> len(day.domain), bool((day.flat.lengths % 2 == 0).all())
    (57, True)
    """
    random = np.random.default_rng([seed, 57])
    popular = _Popularity(random.permutation(57), 0.9)
    beside = (np.arange(57)[:, None] + np.array([1, 2, 3, 54, 55, 56])) % 57  # stations along the river are numbered in order
    trips = np.minimum(random.geometric(0.45, riders), 10)
    here, before = popular.draw(random, riders), np.full(riders, -1)
    visits = np.full((riders, 20), -1, np.int64)
    for trip in range(10):
        start = np.where((trip == 0) | (random.random(riders) < 0.85), here, popular.draw(random, riders))
        near = beside[start, random.integers(0, 6, riders)]
        onward = np.where(random.random(riders) < 0.35, near, popular.draw(random, riders))
        back = (before >= 0) & (start == here) & (random.random(riders) < 0.65)
        goal = np.where(back, before, onward)
        goal = np.where(goal == start, near, goal)
        going = trips > trip
        visits[going, 2 * trip], visits[going, 2 * trip + 1] = start[going], goal[going]
        here, before = goal, start
    return _table(57, visits, "the map of stations is simulated")


def loan_cases(cases: int = 30_000, seed: int = 1) -> SequenceTable:
    """Applications for a loan: 24 activities in six stages of four, long records, loops inside a stage and back to earlier ones.

    >>> log = loan_cases(cases=500)
    >>> len(log.domain), bool(log.flat.lengths.mean() > 20)
    (24, True)
    """
    random = np.random.default_rng([seed, 24])
    careful = random.beta(2, 3, cases)  # how often this applicant's file is looked at again

    def step(now: _Codes, at: int) -> _Codes:
        draw, stage = random.random(cases), now // 4 * 4
        again = stage + (now - stage + random.integers(1, 4, cases)) % 4
        earlier = np.maximum(stage - 4, 0)
        onward = np.where(draw < 0.45 * careful, again, np.where(draw > 1 - 0.12 * careful, earlier, now + 1))
        skipped = (draw > 0.5) & (draw < 0.58)
        onward = np.where(skipped, stage + 4 + random.integers(0, 2, cases), onward)
        refused = random.random(cases) < 0.006
        return np.where(refused | (onward > 23), -1, onward)

    return _table(24, _walk(np.zeros(cases, np.int64), step, 150), "activities of a simulated process")


def clicks(sessions: int = 70_000, labels: int = 3_300, seed: int = 1) -> SequenceTable:
    """Short sessions in a shop with thousands of articles: a session has a topic, popularity is Zipf's, articles are seen twice.

    >>> log = clicks(sessions=500)
    >>> len(log.domain), bool(2 < log.flat.lengths.mean() < 6)
    (3300, True)
    """
    random = np.random.default_rng([seed, labels])
    everything = _Popularity(random.permutation(labels), 1.0)
    beside = everything.draw(random, labels * 5).reshape(labels, 5)
    topic = everything.draw(random, sessions)
    length = np.minimum(random.geometric(0.28, sessions), 60)

    def step(now: _Codes, at: int) -> _Codes:
        draw, which = random.random(sessions), np.minimum(random.geometric(0.5, sessions) - 1, 4)
        usual = np.where(draw < 0.35, beside[now, which], beside[topic, which])
        onward = np.where(draw < 0.6, usual, np.where(draw < 0.72, now, everything.draw(random, sessions)))
        return np.where(length > at, onward, -1)

    first = np.where(random.random(sessions) < 0.5, topic, everything.draw(random, sessions))
    return _table(labels, _walk(first, step, 60), "articles of a simulated shop")


def web_sessions(sessions: int = 20_000, labels: int = 3_000, seed: int = 1) -> SequenceTable:
    """Long sessions on a site of thousands of pages: walks along links, with jumps back to popular pages.

    >>> log = web_sessions(sessions=500)
    >>> len(log.domain), bool(log.flat.lengths.mean() > 25)
    (3000, True)
    """
    random = np.random.default_rng([seed, labels])
    pages = _Popularity(random.permutation(labels), 1.1)
    links = pages.draw(random, labels * 8).reshape(labels, 8)
    length = np.clip(np.exp(random.normal(3.3, 0.7, sessions)), 3, 200).astype(np.int64)

    def step(now: _Codes, at: int) -> _Codes:
        follows = random.random(sessions) < 0.75
        linked = links[now, np.minimum(random.geometric(0.35, sessions) - 1, 7)]
        return np.where(length > at, np.where(follows, linked, pages.draw(random, sessions)), -1)

    return _table(labels, _walk(pages.draw(random, sessions), step, 200), "pages of a simulated site")


class _Popularity:
    """Codes with the weights rank^-spread, in the given order of ranks."""

    def __init__(self, codes: NDArray[np.integer], spread: float) -> None:
        weights = (np.arange(len(codes)) + 2.0) ** -spread
        self._codes, self._edges = np.asarray(codes, np.int64), np.cumsum(weights / weights.sum())

    def draw(self, random: np.random.Generator, n: int) -> _Codes:
        """n codes, each by its weight."""
        return self._codes[np.minimum(np.searchsorted(self._edges, random.random(n)), len(self._codes) - 1)]


def _walk(first: _Codes, step: Callable[[_Codes, int], _Codes], longest: int) -> _Codes:
    """All records at once, one column per item; -1 from where a record has ended."""
    visits = np.full((len(first), longest), -1, np.int64)
    visits[:, 0] = first
    for at in range(1, longest):
        going = visits[:, at - 1] >= 0
        visits[going, at] = step(np.maximum(visits[:, at - 1], 0), at)[going]
    return visits


def _table(labels: int, visits: _Codes, because: str) -> SequenceTable:
    there = visits >= 0
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    return SequenceTable(Domain.range(1, labels, public_because=because), Flat(visits[there].astype(np.int32), offsets))
