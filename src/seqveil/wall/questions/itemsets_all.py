"""AllItemsets: how many records *are* each of the 2^|I| − 1 possible sets.

Law: slot s is the set whose codes are the bits of s + 1; its count is the number of records equal to it. Charge: one question.
Sensitivity: a record is exactly one set, so a unit with m records moves the counts by m in L1.
The universe is written down, so it must be small: at most 20 labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seqveil.errors import CallError
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.questions.protocol import Tally

MOST_LABELS = 20
"""Above this, 2^|I| − 1 counts are more than can be drawn, kept and used."""


@dataclass(frozen=True, slots=True)
class AllItemsets:
    """Every itemset of a small domain."""

    name: str = "all itemsets"

    def slots(self, domain_size: int) -> int:
        if domain_size > MOST_LABELS:
            raise CallError(
                f"{domain_size:,} labels have 2^{domain_size:,} − 1 itemsets; counting every one works up to {MOST_LABELS} "
                "labels: use --method diffpart, which looks only where records are."
            )
        return (1 << domain_size) - 1

    def influence(self, unit: Unit) -> int:
        if not isinstance(unit, Record | User):
            raise CallError(f"sets protect a record or a user, not {unit.name!r}: use Record() or User(max_sequences=m).")
        return unit.sequences

    def tally(self, table: SetTable | SequenceTable, unit: Unit) -> Tally:
        sets = SetTable.of(table).flat
        owner = np.repeat(np.arange(len(sets)), sets.lengths)
        set_bits = np.int64(1) << sets.items.astype(np.int64)
        # Items of a set are distinct, so adding their bits is joining them; 2^20 is exact in the float that bincount adds.
        mask = np.bincount(owner, weights=set_bits, minlength=len(sets)).astype(np.int64)
        slot, count = np.unique(mask[mask > 0] - 1, return_counts=True)
        return Tally(slot, count)
