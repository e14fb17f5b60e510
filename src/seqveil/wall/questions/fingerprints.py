"""Fingerprints: how often each of some public patterns occurs, at most `most` symbols of a record being looked at
[Bonomi thesis, §3.3.3].

Law: a record of at most l′ symbols counts all its occurrences; a longer one those inside its most profitable blocks, l′ symbols
together, the last block being cut and counted as cut (Algorithm 5). Each count gets discrete Laplace noise. What a record
contributes depends on that record alone, so the transformation is local and only the sums need noise.

Charge: ε, for all patterns together.

Sensitivity: the blocks of a record, put one after the other, are a string of at most l′ symbols that holds every occurrence
counted. So a record moves the counts, in L1, by at most Δ(F), the largest number of occurrences that any string of l′ symbols can
hold: a walk of l′ steps and largest weight in the Aho–Corasick automaton of F. (Lemma 3.4 takes l′, which is false as soon as
patterns of several lengths overlap: {a, aa, aaa} occur 9 times in aaaa.) A unit with m records moves them by m·Δ(F).

Clip: the engine stops counting a record at Δ(F), and `clip.tallied` verifies it: if the argument were wrong, the promise would
still hold. docs/soundness.md, 'Fingerprints'.
tests/wall/questions/test_fingerprints_sensitivity.py enumerates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.automaton import Automaton
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of


@dataclass(frozen=True)
class Fingerprints:
    """Occurrences of public patterns (tuples of codes) in records cut to their best `most` symbols."""

    patterns: tuple[tuple[int, ...], ...]
    most: int
    name: str = "fingerprints"

    def __post_init__(self) -> None:
        if not self.patterns or not all(self.patterns) or len(set(self.patterns)) < len(self.patterns):
            raise CallError("fingerprints need at least one pattern, none of them empty and none of them twice.")
        if self.most < 1:
            raise CallError(f"most = {self.most}: at least 1 symbol of a record must be looked at.")

    @cached_property
    def heaviest(self) -> int:
        """Δ(F): how many occurrences one record can have at most; at least 1, so that there is always noise."""
        return max(1, Automaton.of(self.patterns).most_occurrences(self.most))

    def slots(self, domain_size: int) -> int:
        return len(self.patterns)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "fingerprints") * self.heaviest

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).fingerprints(table, self.patterns, l_max=self.most, most=self.heaviest)
