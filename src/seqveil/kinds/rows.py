"""Rows of a relational table, read as sets of attribute=value: what makes a mechanism for sets work on ordinary tables."""

from __future__ import annotations

from seqveil.kinds.kind import Kind
from seqveil.kinds.sets import KIND as SETS

KIND = Kind(
    name="relational",
    noun="rows of a relational table",
    table=SETS.table,
    readers={"inspect": "seqveil.sources.relational:inspect_relational", "read": "seqveil.sources.relational:read_relational"},
    units=SETS.units,
    becomes="sets",
    contents=SETS.contents,
    evaluator=SETS.evaluator,
    world=SETS.world,
    simulated="seqveil.simulate.records:rows",
)
