"""Supports in whole records that are clipped by patterns: a record counts for at most `most` of those that it contains.

Law: every record counts for the first `most` patterns, in the order of the rows, that it contains (`fair`: for consecutive ones
from a row that the record itself draws); supports so counted get discrete Laplace noise. Nothing is cut, and patterns may have
any lengths, so one question can hold all lengths at once.

Charge: what is paid for it.

Sensitivity: which patterns a record counts for follows from the record and the public rows alone. So adding a record leaves what
all others add as it was, and raises at most min(most, |C|) counts by one each; a unit with m records m times that. Attained by a
record that contains all patterns, written one after the other. It adds 1 to each of them, so in L2² a record moves them by
min(most, |C|) and m records by m² times that. tests/wall/questions/test_clipped_sensitivity.py enumerates it.

`Contained` counts records by the number of patterns they contain: a record is in one slot, so a unit moves m.

Clip: the engine stops counting a record at the bound, and `clip.tallied` verifies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.supports import within
from seqveil.wall.questions.units import records_of, together


def checked(patterns: NDArray[np.integer]) -> None:
    """Refuse what is not a table of distinct patterns: at least one item each, shorter ones padded with -1 at their end."""
    if patterns.ndim != 2 or patterns.shape[0] < 1 or patterns.shape[1] < 1 or patterns[:, 0].min() < 0:
        raise CallError("patterns must be a table with one pattern of at least 1 item per row.")
    ends = patterns < 0
    if patterns.min() < -1 or (ends[:, :-1] & ~ends[:, 1:]).any():
        raise CallError("patterns hold a negative code before their end: shorter patterns are padded with -1, at the end.")
    lines = patterns[:, 0] if patterns.shape[1] == 1 else patterns
    if len(np.unique(lines, axis=0)) != len(patterns):
        raise CallError("the table holds a pattern twice: give every pattern once.")


@dataclass(frozen=True, slots=True, eq=False)
class ClippedSupports:
    """Supports of distinct patterns, one per row of `patterns`; a record counts for at most `most` of them."""

    patterns: NDArray[np.integer]
    most: int
    fair: bool = False
    name: str = "clipped supports"

    def __post_init__(self) -> None:
        checked(self.patterns)
        if self.most < 1:
            raise CallError(f"most = {self.most}: a record must count for at least 1 pattern.")

    def slots(self, domain_size: int) -> int:
        return within(self.patterns, domain_size)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "supports") * min(self.most, len(self.patterns))

    def square(self, unit: Unit) -> int:
        return together(unit, "supports", min(self.most, len(self.patterns)))

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).clipped_supports(table, self.patterns, most=self.most, fair=self.fair)


@dataclass(frozen=True, slots=True, eq=False)
class Contained:
    """Records by the number of patterns they contain: slot j is for at most bounds[j] of them, the last for more."""

    patterns: NDArray[np.integer]
    bounds: NDArray[np.int64]
    name: str = "patterns per record"

    def __post_init__(self) -> None:
        checked(self.patterns)
        if not len(self.bounds) or self.bounds[0] < 0 or (np.diff(self.bounds) < 1).any():
            raise CallError("bounds must rise from at least 0.")

    def slots(self, domain_size: int) -> int:
        within(self.patterns, domain_size)
        return len(self.bounds) + 1

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "numbers of patterns")

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).contained(table, self.patterns, self.bounds)
