"""Lengths: how many records have each length, and which length covers a share of them.

Records longer than `most` count as `most`. Counts: a record falls into one length, so a unit moves m in L1. As a series
(first length at which the running total reaches a threshold) every running total moves by at most m, all in one direction.

Quantile: candidate l in 1..most scores −|den·#{length ≤ l} − num·n| for the share num/den. One record added moves
den·#{length ≤ l} − num·n by den − num when its length is ≤ l and by −num otherwise, so a unit moves a score by at most
m·max(num, den − num). (docs/soundness.md, 'Private quantile of lengths': 0.85 per record in units of one, that is 85 in units of
1/100.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.clip import checked


@dataclass(frozen=True, slots=True)
class Lengths:
    """Records per length 1..most; slot l − 1 is length l."""

    most: int
    name: str = "lengths"

    def __post_init__(self) -> None:
        if self.most < 1:
            raise CallError(f"most = {self.most}: the longest length must be at least 1.")

    def slots(self, domain_size: int) -> int:
        return self.most

    def influence(self, unit: Unit) -> int:
        return unit.sequences

    def tally(self, table: Any, unit: Unit) -> Tally:
        tally = engine_of(table).lengths(table, self.most)
        return Tally.of(tally.dense(self.most + 1)[1:], tally.heaviest)


@dataclass(frozen=True, slots=True)
class LengthQuantile:
    """Which length in 1..most covers `share` of the records; candidate i is length i + 1."""

    most: int
    share: Fraction
    name: str = "length quantile"

    def __post_init__(self) -> None:
        if self.most < 1 or not 0 < self.share < 1:
            raise CallError(f"most = {self.most}, share = {self.share}: most must be at least 1 and the share between 0 and 1.")

    def value(self, candidate: int) -> int:
        return candidate + 1

    def sensitivity(self, unit: Unit) -> int:
        return unit.sequences * max(self.share.numerator, self.share.denominator - self.share.numerator)

    def scores(self, table: Any, unit: Unit) -> NDArray[np.int64]:
        tally = checked(engine_of(table).lengths(table, self.most), table, unit.sequences, unit)
        covered = np.cumsum(tally.dense(self.most + 1))
        scored = self.share.denominator * covered[1:] - self.share.numerator * covered[-1]
        return np.asarray(-np.abs(scored), np.int64)
