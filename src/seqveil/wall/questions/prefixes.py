"""Prefixes: the tree of what records begin with [Chen thesis, §6.3], [Bonomi thesis, §3.2].

Law: every node is a prefix, or a prefix and a group that its next label lies in; its count is the number of records that begin
so. Records may end at any node, so children sum to at most their parent. Where labels carry time slots, a record is followed as
long as its slots do not decrease, and a node's children are the labels of its own slot or later.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Sensitivity: a record stands at one node of every level, so it walks one root-to-leaf path and a unit with m records touches at
most m paths. tests/wall/questions/test_prefixes_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Counter, engine_of
from seqveil.errors import CallError
from seqveil.tables.granularity import Granularities
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True, eq=False)
class Prefixes:
    """Prefixes of records, label by label, or through the groups of public granularities."""

    fine: Granularities | None = None
    name: str = "prefixes"

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "prefixes")

    def open(self, table: Any, unit: Unit) -> Counter:
        labels = len(table.domain)
        fine = Granularities.of(labels, []) if self.fine is None else self.fine
        if fine.labels != labels:
            raise CallError(
                f"the granularities have {fine.labels:,} labels, but the domain has {labels:,}: make them for this domain."
            )
        return engine_of(table).prefixes(table, fine)
