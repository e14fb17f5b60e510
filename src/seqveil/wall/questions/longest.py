"""The largest supports that patterns of each length have, and the k-th largest support of all.

Both look at every pattern of at most `longest` items over the domain, gaps allowed (for a SetTable: every itemset).

Law. `LongestSupports` has one count per length i, β_i: the largest support of a pattern of i items, but at least `floor` and at
least the (most + 1)-th largest support there is; slot j stands for length longest − j, so that the first slot to reach a
threshold is the longest frequent length. `LengthSupport` is one of these counts. `KthSupport` is the k-th largest support.

Sensitivity. One record raises every support by 0 or 1. A maximum, and any order statistic, of numbers that each rise by 0 or 1
rises by 0 or 1; so does the maximum with a constant. Hence β_i and the k-th support move by at most 1 per record, all in one
direction (the series is monotone), and by at most m per unit; all of β together by longest·m, and in L2² by longest·m². The
floor and `most` are there to bound the engine's search at no cost in sensitivity.
tests/wall/questions/test_longest_sensitivity.py enumerates neighbours.

Charge: what is paid. [Xu 2015] as printed puts noise of ⌈log l_max⌉/ε on *every* β_i, which costs l_max/⌈log l_max⌉ times ε;
here either the sparse vector technique answers for all of them at once, or exactly ⌈log2(l_max + 1)⌉ of them are asked
(docs/soundness.md, 'The longest frequent length').
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of, together


def _bounds(longest: int, floor: int, most: int) -> None:
    if longest < 1 or floor < 1 or most < 1:
        raise CallError(f"longest = {longest}, floor = {floor}, most = {most}: each must be at least 1.")


def _largest(table: Any, longest: int, floor: int, most: int) -> NDArray[np.int64]:
    """β_1 … β_longest, floored."""
    largest = engine_of(table).largest_supports(table, least=floor, longest=longest, most=most)
    return np.maximum(largest.best, max(floor, largest.least - 1))


@dataclass(frozen=True, slots=True)
class LongestSupports:
    """Floored β by falling length: slot j is length `longest` − j."""

    longest: int
    floor: int
    most: int
    name: str = "largest supports by length"

    def __post_init__(self) -> None:
        _bounds(self.longest, self.floor, self.most)

    @property
    def monotone(self) -> bool:
        return True

    def step(self, unit: Unit) -> int:
        return records_of(unit, "supports")

    def slots(self, domain_size: int) -> int:
        return self.longest

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports") * self.longest

    def square(self, unit: Unit) -> int:
        return together(unit, "supports", self.longest)

    def tally(self, table: Any, unit: Unit) -> Tally:
        return Tally.of(_largest(table, self.longest, self.floor, self.most)[::-1].copy(), heaviest=None)


@dataclass(frozen=True, slots=True)
class LengthSupport:
    """β of one length alone, floored."""

    length: int
    floor: int
    most: int
    name: str = "largest support of a length"

    def __post_init__(self) -> None:
        _bounds(self.length, self.floor, self.most)

    def slots(self, domain_size: int) -> int:
        return 1

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports")

    def tally(self, table: Any, unit: Unit) -> Tally:
        return Tally.of(_largest(table, self.length, self.floor, self.most)[-1:], heaviest=None)


@dataclass(frozen=True, slots=True)
class KthSupport:
    """The k-th largest support among patterns of at most `longest` items; 0 where fewer than k occur."""

    k: int
    longest: int
    name: str = "k-th largest support"

    def __post_init__(self) -> None:
        _bounds(self.longest, 1, self.k)

    def slots(self, domain_size: int) -> int:
        return 1

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports")

    def tally(self, table: Any, unit: Unit) -> Tally:
        # What is left when k − 1 patterns may be kept is exactly what lies above the k-th support.
        above = engine_of(table).largest_supports(table, least=1, longest=self.longest, most=self.k - 1)
        return Tally.of(np.array([above.least - 1], np.int64), heaviest=None)
