"""Ask a stratum for what records of its length are made of, level by level, and fit the model to it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.models.records.alphabet import Strong
from seqveil.models.records.ends import Ends
from seqveil.models.records.stratum import SLACK, Stratum, alone, candidates, deepen, fit_alone, fit_pairs, fit_trips
from seqveil.models.records.totals import RARE, settled
from seqveil.publish.records.asking import Noisy, asked, scale_of
from seqveil.publish.records.labels import MOST_CELLS, TABLES, Part, refine_ends
from seqveil.publish.records.shares import SMALL, Shares, part, split
from seqveil.wall import Alphabet, Trips, Windows

Counts = NDArray[np.float64]

MOST_STEPS = 1.5e8
"""Contexts of one level, times the square of the symbols: what a step of all walks costs."""

FEWEST_CONTEXTS, MOST_CONTEXTS = 200, 4_000
"""Bounds on the contexts of one level."""

LEAST_CONTEXT = 2.0
"""A gram becomes a context when it occurs this many noise scales of the next level."""

ENOUGH = (150, 1500, 15_000)
"""Signal, in scales, that the 2-grams of a stratum must have for 3-grams, for 4-grams and for longer ones to be asked for."""

MANY = (150, 200_000, 1_000_000)
"""The same where there are many labels."""


@dataclass(slots=True, eq=False)
class Pool:
    """What shorter records say about longer ones."""

    pairs: Counts
    trips: Counts
    labels: Counts

    @classmethod
    def empty(cls, size: int) -> Pool:
        return cls(np.zeros((size, size)), np.zeros((size, size)), np.zeros(size))

    @staticmethod
    def mixed(alone: Counts, pool: Counts, share: float) -> Counts:
        """Independent ends, mixed with the pool where there is one."""
        total = float(pool.sum())
        return alone + 1e-9 if total <= 0 else (1 - share) * alone + share * pool * (alone.sum() / total) + 1e-9


@dataclass(slots=True, eq=False)
class Measured:
    """A fitted stratum and the noisy answers about it: trips, and per level the answers about the children of its contexts."""

    part: Part
    model: Stratum
    closed_other: float = 0.0
    trips: Noisy | None = None
    levels: list[tuple[NDArray[np.int32], Noisy]] = field(default_factory=list)


def measure_stratum(p: Part, strong: Strong, pool: Pool) -> Measured:
    """All questions about one stratum after those about single labels."""
    size = strong.size
    every = Alphabet(strong.symbols, size)
    first, last = strong.summed(p.fitted_first), strong.summed(p.fitted_last)
    if p.high == 1:
        one = np.ones(1)
        ends = Ends(np.diag(first), one, one, one if strong.other else None)
        pool.labels = pool.labels + first
        return Measured(p, alone(ends, p.low, p.high))
    grains = part(p.wall.epsilon, p.shares.trips) if p.high > 2 else p.wall.remaining
    noisy = asked(p.wall, Trips(every), grains)
    shape = Pool.mixed(np.outer(first, last) / max(p.records, 1e-9), pool.trips, 0.5)
    returned = float(p.lengths[:, 1].sum())
    if p.high == 2:
        # Records of two items are their ends: all ε of the stratum is in this table, and its sums say more than the margins.
        margins = (first, 2 * p.first.scale**2), (last, 2 * p.last.scale**2)
        trips = fit_alone(noisy.answer, noisy.scale, shape, p.records, *margins, noisy.gaussian)
        refine_ends(p, strong, trips)
    else:
        trips = fit_trips(noisy.answer, noisy.scale, first, last, returned, shape, strong.other, noisy.gaussian)
    same = _closed_other(trips, returned) if strong.other else 0.0
    open_, closed = _shares(p, float(np.trace(trips)) - (float(trips[-1, -1]) - same if strong.other else 0.0))
    mixed = None
    if strong.other:
        both = max(float(trips[-1, -1]), 1e-9)
        mixed = (closed * same + open_ * (both - same)) / both
    loose = (SLACK * p.first.scale**2, SLACK * p.last.scale**2, SLACK * noisy.scale**2)
    ends = Ends(trips, open_, closed, mixed, loose)
    pool.trips = pool.trips + trips
    if p.high == 2:
        pool.labels = pool.labels + trips.sum(axis=0) + trips.sum(axis=1)
        pool.pairs = pool.pairs + trips
        return Measured(p, alone(ends, p.low, p.high), same, noisy)
    out = Measured(p, alone(ends, p.low, p.high), same, noisy)
    _levels(out, every, pool, strong)
    return out


def _shares(p: Part, closed: float) -> tuple[Counts, Counts]:
    """How open and closed records are spread over numbers of steps. Trips say that so many are closed: lengths follow them.

    Lengths of closed records that no trip explains are mostly noise. What is released is what is drawn.
    """
    shares = []
    for column in (p.lengths[:, 0], p.lengths[:, 1]):
        steps = np.zeros(p.high)
        steps[p.low - 1 :] = column if column.sum() > 0 else p.lengths.sum(axis=1)
        if steps.sum() <= 0:
            steps[-1] = 1.0
        shares.append(np.asarray(steps / steps.sum()))
    number = np.array([max(p.records - closed, 0.0), closed])
    p.lengths = (np.stack(shares, axis=1) * number)[p.low - 1 :]
    return shares[0], shares[1]


def _closed_other(trips: Counts, closed: float) -> float:
    """Records that return to where they began, as far as no strong label explains them: so many with OTHER at both ends do."""
    both = float(trips[-1, -1])
    return min(max(closed - (float(np.trace(trips)) - both), 0.0), both)


def _levels(out: Measured, every: Alphabet, pool: Pool, strong: Strong) -> None:
    p, wall, shares = out.part, out.part.wall, _level_shares(out.part, every)
    size, ends = every.size, out.model.ends
    contexts = np.arange(size, dtype=np.int32)[:, None]
    grains = part(wall.epsilon, shares[0]) if len(shares) > 1 else wall.remaining
    noisy = asked(wall, Windows(p.high, contexts, every, p.caps.windows), grains)
    out.levels.append((contexts, noisy))
    label = _label_totals(p, strong, noisy, ends, pool)
    first, last = ends.trips.sum(axis=1), ends.trips.sum(axis=0)
    before, after = np.maximum(label - last, 0.0), np.maximum(label - first, 0.0)
    shape = Pool.mixed(np.outer(before, after) / max(float(before.sum()), 1e-9), pool.pairs, 0.7)
    out.model = fit_pairs(noisy.answer, noisy.scale, label, ends, shape, p.low, p.high, noisy.gaussian)
    pool.pairs = pool.pairs + out.model.total
    pool.labels = pool.labels + label
    for level in range(1, len(shares)):
        grains = part(wall.epsilon, shares[level]) if level + 1 < len(shares) else wall.remaining
        scale = _scale(p, level + 1, every, grains)
        parents, labels = candidates(out.model, LEAST_CONTEXT * scale, most_contexts(size, p.high, len(out.model.states)))
        if not len(parents):
            break
        contexts = np.concatenate([out.model.states.spelled[parents], labels[:, None].astype(np.int32)], axis=1)
        noisy = asked(wall, Windows(p.high, contexts, every, p.caps.windows), grains)
        out.levels.append((contexts, noisy))
        out.model = deepen(out.model, parents, labels, noisy.answer, noisy.scale, noisy.gaussian)


def _scale(p: Part, depth: int, every: Alphabet, grains: int) -> float:
    """The scale of the noise of windows with so long contexts."""
    some = np.zeros((1, depth), np.int32)
    return scale_of(p.wall, Windows(p.high, some, every, p.caps.windows), grains)


def most_contexts(symbols: int, high: int, states: int) -> int:
    """How many contexts of the next level the fit of records of at most `high` items bears, beside the states there are.

    >>> most_contexts(17, 20, 17), most_contexts(256, 20, 256), most_contexts(64, 1000, 64), most_contexts(64, 1000, 3500)
    (4000, 2288, 3586, 150)
    """
    usual = min(max(MOST_STEPS / symbols**2, FEWEST_CONTEXTS), MOST_CONTEXTS)
    room = (MOST_CELLS / high - TABLES * symbols**2) / symbols - states
    return int(max(min(usual, room), 0))


def _level_shares(p: Part, every: Alphabet) -> list[float]:
    """Of the stratum's ε, for 2-grams, 3-grams, …: as many levels as the number of items, known from the lengths, can bear.

    What deeper levels do not get goes to those that are asked for; no ε is left over for levels that never come.
    """
    left = sum(p.shares.levels)
    pairs = max(p.items - p.records, 0.0)
    enough = ENOUGH if len(p.wall.domain) <= SMALL else MANY
    for depth in range(len(p.shares.levels), 1, -1):
        shares = [left * s for s in _split(p, depth)]
        scale = _scale(p, 1, every, part(p.wall.epsilon, shares[0]))
        if pairs >= enough[min(depth, 4) - 2] * scale:
            return shares
    return [left]


def _split(p: Part, depth: int) -> list[float]:
    """How levels share what is left, in the measure of the run."""
    shares = split(depth, p.high)
    if p.wall.measure == "pure":
        return list(shares)
    own = Shares(0.0, 0.0, 0.0, shares).in_rho(p.high, p.caps, p.wall.unit)
    return list(own.levels)


def _label_totals(p: Part, strong: Strong, pairs: Noisy, ends: Ends, pool: Pool) -> Counts:
    """How often every symbol occurs: by its own table, by both sums of the pairs, and by what is expected of it."""
    size = strong.size
    first, last = ends.trips.sum(axis=1), ends.trips.sum(axis=0)
    cells = pairs.answer.reshape(size, size).astype(np.float64)
    sums = (cells.sum(axis=1) + last + cells.sum(axis=0) + first) / 2
    v_sums = pairs.scale**2 * size
    assert p.label is not None
    least = first + last
    own = strong.summed(np.where(p.label.given, p.label.answer, p.fitted_label).astype(np.float64))
    apart = slice(0, len(strong.codes))
    inner = max(p.items - float(least.sum()), 0.0)
    shapes = [hint / hint.sum() for hint in (pool.labels[apart], least[apart]) if hint.sum() > 0]
    hints = np.array(shapes).reshape(len(shapes), len(strong.codes))
    rest = np.zeros(0)
    if strong.other:
        v_own = 2 * p.label.scale**2 * len(strong.weak)
        other = (sums[-1] / v_sums + strong.summed(p.fitted_label)[-1] / v_own) / (1 / v_sums + 1 / v_own) - least[-1]
        rest = np.array([min(max(other, 0.0), inner)])
    inner -= float(rest.sum())
    some = settled(
        (own - least)[apart], p.label.scale, (sums - least)[apart], v_sums, hints, inner, RARE * p.records, p.label.gaussian
    )
    return np.asarray(least + np.concatenate([some, rest]))
