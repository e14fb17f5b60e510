"""AllItemsets: how many records *are* each of the 2^|I| − 1 possible sets.

Law: slot s is the set whose codes are the bits of s + 1; its count is the number of records equal to it. Charge: one question.
Sensitivity: a record is exactly one set, so a unit with m records moves the counts by m in L1.
The whole domain of sets is written down, so it must be small: at most 20 labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of

MOST_LABELS = 20
"""Above this, 2^|I| − 1 counts are more than can be drawn, kept and used."""


@dataclass(frozen=True, slots=True)
class AllItemsets:
    """Every itemset of a small domain."""

    name: str = "all itemsets"

    def slots(self, domain_size: int) -> int:
        if domain_size > MOST_LABELS:
            raise CallError(
                f"{domain_size:,} labels have 2^{domain_size:,} − 1 itemsets; counting all of them works up to {MOST_LABELS} "
                "labels: use the method diffpart, which asks only where records are."
            )
        return (1 << domain_size) - 1

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "sets")

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).itemsets(table)
