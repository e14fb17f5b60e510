"""Partitions: sets, divided again and again by cutting a node of a public taxonomy [Chen thesis, ch. 4].

Law: a node is a partition, known by its hierarchy cut; the root holds every record under the taxonomy's root. Its children
under the cut of u are named by the non-empty subsets of u's children, 2^l − 1 of them: a record goes to the subset whose
members cover items of it. (The 2^l of Algorithm 4.2 counts a sub-partition that cannot exist, and testing one too many
would make the number of tests depend on the data: docs/soundness.md, 'Empty sub-partitions'.)

Where the taxonomy has attributes (rows of a relational table), a record goes to one child of u alone, or to "none" where u is
a whole attribute: l or l + 1 sub-partitions. Of several values of one attribute the first counts.

Families: `split` has a row (u, family) per node. Where the children of u are partly leaves of
the taxonomy, `PrivateTree.route` divides the node by a public rule into the records whose items under u fall on leaves
alone and all others; both parts exist whatever the data, and nothing is told about them.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Sensitivity: sub-partitions of one cut are disjoint, so a record walks exactly one root-to-leaf path, and a unit with m records
touches at most m. Empty records are in no partition. tests/publish/diffpart/test_partitions.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Counter, engine_of
from seqveil.errors import CallError
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of

EVERY, LEAVES, OTHERS, ROUTE = range(4)
"""The families of a cut: every sub-partition; those on leaves alone; all others; the routing into these two.

Engines use the same numbers (tests/engines/test_trees.py holds them to it)."""


@dataclass(frozen=True, slots=True)
class Partitions:
    """Partitions of sets under a taxonomy of their domain."""

    taxonomy: Taxonomy
    name: str = "partitions"

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "sets")

    def open(self, table: Any, unit: Unit) -> Counter:
        if self.taxonomy.labels != len(table.domain):
            raise CallError(
                f"the taxonomy has {self.taxonomy.labels:,} labels, the domain {len(table.domain):,}: make it for this domain."
            )
        return engine_of(table).partitions(table, self.taxonomy)
