"""ClosedLengths: how many records have each length, and how many of them end with the label that they began with.

Law: records cut to `most` items, by length and by whether their first and last labels are equal, plus discrete Laplace noise. A
record without items is not counted; one of a single item ends where it began.

Charge: what is paid for it.

Sensitivity: a record has one length and is closed or open, so it adds 1 to one count; a unit with m records moves m in L1.

Clip: none is needed: the engine cuts to `most` so that length and last label belong together, not to bound what a record adds.
tests/wall/questions/test_ends_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True)
class ClosedLengths:
    """Records per length 1..most and end: slot 2·(l − 1) + [first = last]."""

    most: int
    name: str = "lengths and closed records"

    def __post_init__(self) -> None:
        if self.most < 1:
            raise CallError(f"most = {self.most}: the longest length must be at least 1.")

    def slots(self, domain_size: int) -> int:
        return 2 * self.most

    def influence(self, unit: Unit) -> int:
        return records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).closed_lengths(table, self.most)
