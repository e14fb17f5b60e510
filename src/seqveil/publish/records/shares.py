"""How the budget is divided: functions of public parameters and of earlier noisy answers."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from seqveil.publish.records.caps import Caps
from seqveil.tables.units import Unit
from seqveil.wall import Measure

PARTS = 10**6
"""Shares are rounded down to millionths, so that grains are divided in whole numbers."""

SMALL = 64
"""Up to so many labels, sums of pairs say enough about single labels: no ε is spent on them alone."""


def clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def part(grains: int, share: float) -> int:
    """This share of grains, rounded down, at least one grain.

    >>> part(10**12, 0.03)
    30000000000
    """
    return max(1, grains * int(share * PARTS) // PARTS)


POWER = 1.5
"""A share s of ε corresponds to s^1.5 of ρ, up to a factor. Where errors of weight w add up, they are least with shares of ε in
proportion to w^⅓, since a variance falls with the square of ε, and with shares of ρ in proportion to w^½."""


def in_measure(share: float, measure: Measure) -> float:
    """What corresponds to a small share of ε, where everything else gets the rest.

    >>> in_measure(0.01, "pure"), round(in_measure(0.01, "zcdp"), 6)
    (0.01, 0.001)
    """
    return share if measure == "pure" else share**POWER


ROUGH = 0.005
"""The first, rough number of records, from which the other shares follow."""


def size_share(signal: float) -> float:
    """Of ε for the number of records; `signal` is their number times ε, per sequence of a unit."""
    return clip(100 / max(signal, 1.0), 0.005, 0.05)


def length_share(signal: float) -> float:
    """Of ε for lengths."""
    return clip(0.02 * sqrt(50_000 / max(signal, 1.0)), 0.02, 0.1)


def bounds(l_max: int, signal: float) -> list[int]:
    """The longest record of every stratum."""
    inner = [1, 2, 3, 5] if signal > 150_000 else [1, 2, 5]
    return [b for b in inner if b < 0.7 * l_max] + [l_max]


def split(depth: int, high: int) -> tuple[float, ...]:
    """How 2-grams, 3-grams, … share what is left, when `depth` of them are asked for in records of at most `high` items.

    Longer grams repeat what shorter ones say; the few strong ones stand out with little ε.

    >>> split(1, 5), split(2, 5), split(3, 5)
    ((1.0,), (0.7, 0.3), (0.6, 0.3, 0.1))
    """
    if depth == 1:
        return (1.0,)
    if depth == 2:
        return (0.45, 0.55) if high == 3 else (0.7, 0.3)
    return (0.6, 0.3, *[0.1 / (depth - 2)] * (depth - 2))


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the ε of one stratum, what each question gets: first and last labels (each), (first, last), labels, and then
    (d + 1)-grams for d = 1, 2, …, which share the remainder."""

    ends: float
    trips: float
    labels: float
    levels: tuple[float, ...]

    @classmethod
    def of(cls, signal: float, labels: int, high: int, depth: int) -> Shares:
        if high == 1:
            return cls(1.0, 0.0, 0.0, ())
        weak = sqrt(30_000 / max(signal, 1.0))
        ends = clip(0.03 * weak, 0.01 if labels <= SMALL else 0.02, 0.08)
        if high == 2:
            ends = 0.05 if labels <= SMALL else 0.22
            return cls(ends, 1 - 2 * ends, 0.0, ())
        trips = clip(0.1 * weak, 0.02 if labels <= SMALL else 0.04, 0.15) if labels <= 200 else 0.04
        single = 0.4 if labels > SMALL else clip(0.08 * weak, 0.02, 0.08)
        depth = max(1, min(depth, high - 1))
        left = 1 - 2 * ends - trips - single
        return cls(ends, trips, single, tuple(left * s for s in split(depth, high)))

    def in_rho(self, high: int, caps: Caps, unit: Unit) -> Shares:
        """The shares of ρ that correspond to these of ε: sensitivities in L2 count, too.

        >>> from seqveil.tables.units import Record
        >>> Shares(0.1, 0.2, 0.1, (0.5,)).in_rho(26, Caps(labels=None, windows=1), Record()).levels[0] < 0.3
        True
        """
        if high <= 2:
            ends = self.ends if high == 1 else self.ends**POWER / (2 * self.ends**POWER + self.trips**POWER)
            return Shares(ends, 1 - 2 * ends if high == 2 else 0.0, 0.0, ())
        ends, trips = self.ends**POWER, self.trips**POWER
        labels = self.labels**POWER * caps.gain(caps.labels, high, unit)
        levels = [s**POWER * caps.gain(caps.windows, high - d, unit) for d, s in enumerate(self.levels, 1)]
        every = 2 * ends + trips + labels + sum(levels)
        return Shares(ends / every, trips / every, labels / every, tuple(s / every for s in levels))
