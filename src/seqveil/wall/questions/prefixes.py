"""Prefixes: the tree of what records begin with [1, §6.3], [2, §3.2].

Law: every node is a prefix, or a prefix and a group that its next label lies in; its count is the number of records that begin
so. Records may end at any node, so children sum to at most their parent. Where labels carry time slots, a record is followed as
long as its slots do not decrease, and a node's children are the labels of its own slot or later.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Sensitivity: a record stands at one node of every level, so it walks one root-to-leaf path and a unit with m records touches at
most m paths. tests/wall/questions/test_prefixes_sensitivity.py enumerates it.

[1] R. Chen's thesis, ch. 6. [2] L. Bonomi's thesis, ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.engines.protocol import Counter
from seqveil.errors import CallError
from seqveil.tables.granularity import Granularities
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User


@dataclass(frozen=True, slots=True, eq=False)
class Prefixes:
    """Prefixes of records, label by label, or through the groups of public granularities."""

    fine: Granularities | None = None
    name: str = "prefixes"

    def influence(self, unit: Unit) -> int:
        if not isinstance(unit, Record | User):
            raise CallError(f"prefixes protect a record or a user, not {unit.name!r}: use Record() or User(max_sequences=m).")
        return unit.sequences

    def open(self, table: SequenceTable, unit: Unit) -> Counter:
        from seqveil.engines.local.prefixes import PrefixCounter

        labels = len(table.domain)
        fine = Granularities.of(labels, []) if self.fine is None else self.fine
        if fine.labels != labels:
            raise CallError(f"the granularities are about {fine.labels:,} labels, the domain has {labels:,}.")
        return PrefixCounter.root(table.flat, fine)
