"""Ends: with which label records begin and end, and the pairs of both.

Law: the number of records per code of the first label, of the last one, or of both, plus discrete Laplace noise. A record without
items has no ends and is not counted. Records are counted as the wall holds them: inside strata they are cut to the last bound.

Charge: what is paid for it.

Sensitivity: a record has one first and one last label, so it adds 1 to one count; a unit with m records moves m in L1.

Clip: none is needed, whatever the length of a record. tests/wall/questions/test_ends_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqveil.engines.protocol import Tally, engine_of
from seqveil.tables.units import Unit
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True, eq=False)
class Firsts:
    """Records by the code of their first label."""

    alphabet: Alphabet
    name: str = "first labels"

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return self.alphabet.size

    def influence(self, unit: Unit) -> int:
        return records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        return engine_of(table).ends(table, codes, np.zeros_like(codes), self.alphabet.size, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Lasts:
    """Records by the code of their last label."""

    alphabet: Alphabet
    name: str = "last labels"

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return self.alphabet.size

    def influence(self, unit: Unit) -> int:
        return records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        return engine_of(table).ends(table, np.zeros_like(codes), codes, self.alphabet.size, self.alphabet.size)


@dataclass(frozen=True, slots=True, eq=False)
class Trips:
    """Records by both ends: slot first·size + last."""

    alphabet: Alphabet
    name: str = "first and last labels"

    def slots(self, domain_size: int) -> int:
        self.alphabet.of(domain_size)
        return self.alphabet.size**2

    def influence(self, unit: Unit) -> int:
        return records_of(unit, self.name)

    def tally(self, table: Any, unit: Unit) -> Tally:
        codes = self.alphabet.of(len(table.domain))
        return engine_of(table).ends(table, codes, codes, self.alphabet.size**2, self.alphabet.size)
