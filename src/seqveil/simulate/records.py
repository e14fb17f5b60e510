"""Simulated records of any number over any domain: what a plan stands on, because it may not look at the data.

Nobody knows the data beforehand, so there are several populations: one in which labels are nearly equally frequent, one in which
a few labels are most of the data, one that follows a procedure as the logs of a workflow do, and a typical one between them. They
share a form that event logs, trips and clicks have in common: popularity of labels by a power of their rank (Zipf's law), steps
that stay where they are, follow a habit or go anywhere, and lengths around a mean. The order of labels in the domain says nothing
about their popularity, but in the regular population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable

HABITS = 4
"""How many labels may follow a label by habit; the first of them in half of the cases, the next in half of the rest."""

MOST_TRIES = 10
"""Draws for every label of a set: if few labels are almost all of the data, sets stay smaller than asked for."""

MOST_LABELS = 1_000_000
"""Labels that occur at all; of a larger domain these are drawn. The rest would be far below any threshold."""


@dataclass(frozen=True, slots=True)
class Population:
    """How simulated people behave.

    Args:
        name: what a plan calls it.
        skew: how steeply popularity falls: the label of rank r is chosen with weight r^-skew.
        stay: the share of steps that repeat the label.
        habit: the share of steps to one of the few usual successors of the label; all others go by popularity.
        dispersion: how much lengths vary: 0 is Poisson around the mean, 1 is geometric, more a longer tail; None is not at all.
        start: records begin with a label of popularity p with weight p^start: above 1, most of them begin alike.
        ordered: whether the domain lists popular labels first, as numbers in the order of first use do.
    """

    name: str
    skew: float
    stay: float
    habit: float
    dispersion: float | None
    start: float = 1.0
    ordered: bool = False

    def popularity(self, labels: int, random: np.random.Generator) -> NDArray[np.float64]:
        """The share of every label; which labels are popular is random, unless the domain is ordered."""
        weight = np.arange(1, labels + 1, dtype=np.float64) ** -self.skew
        return np.asarray((weight if self.ordered else random.permutation(weight)) / weight.sum())

    def lengths(self, records: int, mean: float, random: np.random.Generator) -> NDArray[np.int64]:
        """Lengths of at least 1 with this mean: 1 and a Poisson number whose rate is gamma-distributed.

        >>> random = np.random.default_rng(1)
        >>> [round(float(one.lengths(100_000, 5.0, random).mean()), 1) for one in POPULATIONS]
        [5.0, 5.0, 5.0, 5.0]
        >>> replace(TYPICAL, dispersion=None).lengths(4, 2.0, random).tolist()
        [2, 2, 2, 2]
        """
        if self.dispersion is None:
            return np.full(records, max(round(mean), 1), np.int64)
        rate = np.full(records, max(mean - 1.0, 0.0))
        if self.dispersion:
            rate *= random.gamma(1 / self.dispersion, self.dispersion, records)
        return np.asarray(1 + random.poisson(rate), np.int64)


FLAT = Population("flat", skew=0.5, stay=0.0, habit=0.4, dispersion=0.0)
TYPICAL = Population("typical", skew=1.0, stay=0.15, habit=0.5, dispersion=0.7)
SKEWED = Population("skewed", skew=1.4, stay=0.3, habit=0.5, dispersion=1.5)
REGULAR = Population("regular", skew=1.0, stay=0.05, habit=0.9, dispersion=0.2, start=3.0, ordered=True)
POPULATIONS = (FLAT, TYPICAL, SKEWED, REGULAR)
"""Chosen to lie around the public logs of docs/results/plan.md, not to be one of them."""


@njit(cache=True)
def _walk(random, offsets, starts, cumulative, usual, stay, habit):  # type: ignore[no-untyped-def]
    """One record after the other: the first label, then step by step."""
    items = np.empty(offsets[-1], np.int32)
    for k in range(len(offsets) - 1):
        x = 0
        for p in range(offsets[k], offsets[k + 1]):
            u = random.random()
            if p == offsets[k]:
                x = np.searchsorted(starts, u * starts[-1], side="right")
            elif u >= stay + habit:
                x = np.searchsorted(cumulative, random.random() * cumulative[-1], side="right")
            elif u >= stay:
                v, j = random.random(), 0
                while v < 0.5 and j < usual.shape[1] - 1:
                    v, j = 2 * v, j + 1
                x = usual[x, j]
            items[p] = x
    return items


@njit(cache=True)
def _gather(random, sizes, cumulative, usual, habit, tries):  # type: ignore[no-untyped-def]
    """One set after the other: labels by popularity or by the habit of the one before, until there are enough different ones."""
    items = np.empty(sizes.sum(), np.int32)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    seen = np.full(len(cumulative), -1, np.int64)
    end = 0
    for k in range(len(sizes)):
        x, size = -1, 0
        for _ in range(sizes[k] * tries):
            if x >= 0 and random.random() < habit:
                v, j = random.random(), 0
                while v < 0.5 and j < usual.shape[1] - 1:
                    v, j = 2 * v, j + 1
                x = usual[x, j]
            else:
                x = np.searchsorted(cumulative, random.random() * cumulative[-1], side="right")
            if seen[x] != k:
                seen[x] = k
                items[end] = x
                end += 1
                size += 1
                if size == sizes[k]:
                    break
        offsets[k + 1] = end
    return items[:end].copy(), offsets


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """The labels that occur, how popular each is (summed up) at the start and later, and the usual successors of each."""

    codes: NDArray[np.int32]
    starts: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    usual: NDArray[np.int32]

    @classmethod
    def of(cls, who: Population, labels: int, random: np.random.Generator) -> _Places:
        occurring = min(labels, MOST_LABELS)
        codes = np.arange(labels) if occurring == labels else random.integers(0, labels, occurring)
        popularity = who.popularity(occurring, random)
        starts, cumulative = np.cumsum(popularity**who.start), np.cumsum(popularity)
        usual = np.searchsorted(cumulative, random.random((occurring, HABITS)) * cumulative[-1], side="right")
        return cls(codes.astype(np.int32), starts, cumulative, np.minimum(usual, occurring - 1).astype(np.int32))


def sequences(
    who: Population, domain: Domain, records: int, length: float, owners: NDArray[np.int64] | None, seed: int
) -> SequenceTable:
    """A simulated table of sequences; `owners` numbers the user of every record, or is None.

    >>> table = sequences(TYPICAL, Domain.range(1, 17), 1000, 5.0, None, seed=1)
    >>> len(table), 4 < len(table.flat.items) / 1000 < 6
    (1000, True)
    """
    random = np.random.default_rng([seed, len(domain)])
    places = _Places.of(who, len(domain), random)
    offsets = np.concatenate([[0], np.cumsum(who.lengths(records, length, random))]).astype(np.int64)
    items = _walk(random, offsets, places.starts, places.cumulative, places.usual, who.stay, who.habit)
    return SequenceTable(domain, Flat(places.codes[items], offsets), owners)


def sets(who: Population, domain: Domain, records: int, length: float, owners: NDArray[np.int64] | None, seed: int) -> SetTable:
    """A simulated table of sets; `length` is the mean size of a set.

    >>> baskets = sets(TYPICAL, Domain.range(1, 1000), 1000, 5.0, None, seed=1)
    >>> len(baskets), 4 < len(baskets.flat.items) / 1000 < 6
    (1000, True)
    """
    random = np.random.default_rng([seed, len(domain)])
    places = _Places.of(who, len(domain), random)
    sizes = np.minimum(who.lengths(records, min(length, len(domain)), random), len(places.codes))
    items, offsets = _gather(random, sizes, places.cumulative, places.usual, who.habit, MOST_TRIES)
    return SetTable.of(SequenceTable(domain, Flat(places.codes[items], offsets), owners))


def rows(who: Population, domain: Domain, records: int, length: float, owners: NDArray[np.int64] | None, seed: int) -> SetTable:
    """A simulated relational table: of every attribute one value, by popularity; `length` is not needed.

    >>> people = rows(TYPICAL, Domain.of(["sex=f", "sex=m", "age=20", "age=30"]), 100, 5.0, None, seed=1)
    >>> set(people.flat.lengths.tolist())
    {2}
    """
    random = np.random.default_rng([seed, len(domain)])
    columns = [who.popularity(len(codes), random) for codes in _attributes(domain)]
    drawn = [random.choice(codes, records, p=p) for codes, p in zip(_attributes(domain), columns, strict=True)]
    items = np.stack(drawn, axis=1).astype(np.int32)
    offsets = np.arange(records + 1, dtype=np.int64) * items.shape[1]
    return SetTable.of(SequenceTable(domain, Flat(items.reshape(-1), offsets), owners))


def _attributes(domain: Domain) -> Sequence[NDArray[np.int64]]:
    """The codes of the values of every attribute; labels are written attribute=value."""
    by_name: dict[str, list[int]] = {}
    for code, label in enumerate(domain.labels(range(len(domain)))):
        by_name.setdefault(label.partition("=")[0], []).append(code)
    return [np.array(codes) for codes in by_name.values()]


def resampled(table: Any, records: int, owners: NDArray[np.int64] | None, seed: int) -> Any:
    """As many records as wanted, drawn from a table with replacement: what a plan makes of a public sample.

    >>> few = sequences(TYPICAL, Domain.range(1, 17), 10, 5.0, None, seed=1)
    >>> len(resampled(few, 1000, None, seed=1))
    1000
    """
    drawn = np.random.default_rng(seed).integers(0, len(table), records)
    return replace(table.take(drawn), users=owners)
