"""Public patterns that records hold, clipped: a record counts for at most `most` of those that it holds.

Law. Records are cut to l_max items. Of a `Doubling`, a record holds the string of the length asked about at each of its
positions, where that string is a slot; of a `Trie`, the longest pattern that begins at each position. With `once` it holds every
string at most once; of a trie, the last pattern on each heavy path of which it contains a pattern. Of what it holds, the record
counts for at most `most`: all, or consecutive ones from a place that it draws itself. Counts get discrete Laplace noise.

Charge: what is paid for it.

Sensitivity: what a record holds, and which part of it counts, follows from the record and the public patterns alone. So adding
a record leaves what all others add as it was, and adds at most `most` to all counts together; a unit with m records m times
that. A record of l_max items has at most l_max − n + 1 positions for patterns of n or more labels, and holds at most one
string, or one longest pattern, at each. Each walk down a trie of |C| patterns meets at most ⌊log2 |C|⌋ + 1 heavy paths, and has
one last pattern on each. So the bound is min(most, `holdings`), which is l_max − n + 1, or with `once` at most the number of
strings, or of heavy paths, and for these at most (l_max − n + 1)·(⌊log2 |C|⌋ + 1). docs/mechanisms/substrings.md has the proof.
With `once` a record adds at most 1 to each count, so the bound is that of L2² for a record too, and m² times it that of m
records; without it, all that a record adds may go to one count.

`Matched` counts records by how many they hold: a record is in one slot, so a unit moves m.

Clip: `clip.cut` has records cut, the engine stops counting a record at the bound, and `clip.tallied` verifies it.
tests/wall/questions/test_matches_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie
from seqveil.tables.units import Unit
from seqveil.wall.clip import cut
from seqveil.wall.questions.units import records_of, together


def holdings(patterns: Doubling | Trie, l_max: int, once: bool) -> int:
    """How many slots a record of l_max items can hold, at most.

    >>> holdings(Doubling.over(4, 2), l_max=10, once=False)
    9
    >>> holdings(Trie.of([(0, 1), (0, 1, 1), (0, 1, 0)], labels=2), l_max=10, once=True)
    2
    """
    positions = max(0, l_max - patterns.shortest + 1)
    if not once:
        return positions
    if isinstance(patterns, Trie):
        return min(patterns.paths, positions * len(patterns).bit_length())
    return min(patterns.slots, positions)


def _check(patterns: Doubling | Trie, l_max: int, domain_size: int) -> None:
    if patterns.labels != domain_size:
        raise CallError(f"the patterns are over {patterns.labels:,} labels, the domain has {domain_size:,}.")
    if holdings(patterns, l_max, False) < 1:
        raise CallError(f"l_max = {l_max}: no record of so few items holds a pattern of {patterns.shortest} labels.")


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """How often records cut to `l_max` items hold the slots of public patterns; each counts for at most `most` of them."""

    patterns: Doubling | Trie
    l_max: int
    most: int
    once: bool = False
    name: str = "matches"

    def __post_init__(self) -> None:
        if self.most < 1:
            raise CallError(f"most = {self.most}: a record must count for at least 1 pattern.")

    def slots(self, domain_size: int) -> int:
        _check(self.patterns, self.l_max, domain_size)
        return self.patterns.slots

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "patterns") * min(self.most, holdings(self.patterns, self.l_max, self.once))

    def square(self, unit: Unit) -> int:
        alone = min(self.most, holdings(self.patterns, self.l_max, self.once))
        return together(unit, "patterns", alone if self.once else alone**2)

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).matches(cut(table, self.l_max), self.patterns, most=self.most, once=self.once)


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Records by how many slots they hold: slot j is for at most bounds[j] of them, the last for more."""

    patterns: Doubling | Trie
    l_max: int
    bounds: NDArray[np.int64]
    once: bool = False
    name: str = "matches per record"

    def __post_init__(self) -> None:
        if not len(self.bounds) or self.bounds[0] < 0 or (np.diff(self.bounds) < 1).any():
            raise CallError("bounds must rise from at least 0.")

    def slots(self, domain_size: int) -> int:
        _check(self.patterns, self.l_max, domain_size)
        return len(self.bounds) + 1

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "numbers of patterns")

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).matched(cut(table, self.l_max), self.patterns, self.bounds, once=self.once)
