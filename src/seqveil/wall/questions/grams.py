"""Grams: the exploration tree of the N-gram model [1].

Law: every node is a gram; its count is the number of start positions whose walk passes it. A record is cut to l_max items
and the terminator is appended after the cut, so children sum to their parent; the root has no terminator child.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Sensitivity: a record of length L ≤ l_max has L start positions and each walks one root-to-leaf path, so a unit with m
records touches at most m·l_max paths. Tightening this per level (l_max − i + 1, as printed) would be false: the
terminator adds one (SOUNDNESS §1 F1). tests/wall/questions/test_grams_sensitivity.py enumerates it.

[1] Chen, Acs, Castelluccia: Differentially Private Sequential Data Publication via Variable-Length N-Grams, CCS 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

from seqveil.engines.protocol import Counter
from seqveil.errors import CallError
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User


@dataclass(frozen=True, slots=True)
class Grams:
    """Grams of at most `deepest` symbols (l_max items and the terminator where it is left out) of records cut to `l_max`."""

    l_max: int
    deepest: int | None = None
    name: str = "grams"

    def __post_init__(self) -> None:
        if self.l_max < 1:
            raise CallError(f"l_max = {self.l_max}: records must keep at least 1 item.")
        if self.deepest is not None and self.deepest < 1:
            raise CallError(f"deepest = {self.deepest}: grams need at least 1 symbol.")

    def influence(self, unit: Unit) -> int:
        if not isinstance(unit, Record | User):
            raise CallError(f"grams protect a record or a user, not {unit.name!r}: use Record() or User(max_sequences=m).")
        return self.l_max * unit.sequences

    def open(self, table: SequenceTable, unit: Unit) -> Counter:
        from seqveil.engines.local.grams import GramCounter

        return GramCounter.root(table.flat, len(table.domain), self.l_max, self.deepest or self.l_max + 1)
