"""Ends: with which label records begin and end, and the pairs of both.

Law: the number of records per code of the first label, of the last one, or of both, plus discrete Laplace noise. A record without
items has no ends and is not counted. Records are counted as the wall holds them: inside strata they are cut to the last bound.

Charge: what is paid for it.

Sensitivity: a record has one first and one last label, so it adds 1 to one count; a unit with m records moves m in L1.

Clip: none is needed, whatever the length of a record. tests/wall/questions/test_ends_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Records by the codes of one end or of both; with both, the slot is first·size + last."""

    by_first: ClassVar[bool]
    by_last: ClassVar[bool]

    alphabet: Alphabet
    name: str

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        size = self.alphabet.size
        return size * size if self.by_first and self.by_last else size

    def influence(self, unit: Unit) -> int:
        return records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        first, last = (codes if counts else np.zeros_like(codes) for counts in (self.by_first, self.by_last))
        wide = self.alphabet.size if self.by_last else 1
        return engine_of(table).ends(table, first, last, self.slots(len(codes)), wide)


@dataclass(frozen=True, slots=True, eq=False)
class Firsts(_Ends):
    """Records by the code of their first label."""

    by_first, by_last = True, False

    name: str = "first labels"


@dataclass(frozen=True, slots=True, eq=False)
class Lasts(_Ends):
    """Records by the code of their last label."""

    by_first, by_last = False, True

    name: str = "last labels"


@dataclass(frozen=True, slots=True, eq=False)
class Trips(_Ends):
    """Records by both ends: slot first·size + last."""

    by_first, by_last = True, True

    name: str = "first and last labels"
