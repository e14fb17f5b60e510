"""Grams: the exploration tree of the n-gram model [Chen 2012].

Law: every node is an n-gram; its count is the number of start positions whose walk passes it. A record is cut to l_max items
and the terminator is appended after the cut, so children sum to their parent; the root has no terminator child.

Charge: what the tree is opened with; `Paths` keeps every root-to-leaf path within it.

Clip: `clip.cut` has every record cut to l_max items before the engine counts.

Sensitivity: a record of length L ≤ l_max has L start positions and each walks one root-to-leaf path, so a unit with m
records touches at most m·l_max paths. Tightening this per level (l_max − i + 1, as printed) would be false: the
terminator adds one (docs/soundness.md, 'The terminator'). tests/wall/questions/test_grams_sensitivity.py enumerates it.

Cap: with a cap c a unit (a record, or a user over all records in the table) is counted at most c times at every node but the
root: of its walks from a node to a child the first c go on, the others end at the node. The engine measures it and the wall
verifies it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Counter, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit, User
from seqveil.wall.clip import cut
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True, slots=True)
class Grams:
    """N-grams of at most `deepest` symbols (l_max items and the terminator where it is left out) of records cut to `l_max`.

    With `most`, a unit is counted at most so many times for each of them.
    """

    l_max: int
    deepest: int | None = None
    most: int | None = None
    name: str = "grams"

    def __post_init__(self) -> None:
        if self.l_max < 1:
            raise CallError(f"l_max = {self.l_max}: records must keep at least 1 item.")
        if self.deepest is not None and self.deepest < 1:
            raise CallError(f"deepest = {self.deepest}: n-grams need at least 1 symbol.")
        if self.most is not None and self.most < 1:
            raise CallError(f"most = {self.most}: a unit must count at least once at a node; give 1 or more, or None for no cap.")

    def influence(self, unit: Unit) -> int:
        return self.l_max * records_of(unit, "n-grams")

    def cap(self, unit: Unit) -> int:
        """The most times that a unit is counted at a node below the root."""
        walks = self.influence(unit)
        return walks if self.most is None else min(self.most, walks)

    def open(self, table: Any, unit: Unit) -> Counter:
        table, deepest = cut(table, self.l_max), self.deepest or self.l_max + 1
        return engine_of(table).grams(table, deepest, cap=self.most, by_owner=isinstance(unit, User))
