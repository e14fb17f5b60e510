"""Fingerprints: at each symbol of a record, the longest of some public patterns that ends there, at most `most` symbols of a
record being looked at [Bonomi thesis, §3.3.3].

Law: a record of at most l′ symbols is looked at as a whole; a longer one inside its most profitable blocks, l′ symbols
together, the last block being cut and counted as cut (Algorithm 5). At every symbol where patterns end, the longest of those that
lie inside the block counts, and no other. Each count gets discrete Laplace noise. What a record contributes depends on that
record alone, so the transformation is local and only the sums need noise. A pattern occurs where it or a pattern that ends with
it is the longest, so the occurrences of all patterns are sums of these counts.

Charge: ε, for all patterns together.

Sensitivity: the blocks of a record, put one after the other, are a string of at most l′ symbols in which a pattern ends wherever
one was counted. So a record moves the counts, in L1, by at most Δ(F), the largest number of symbols of a string of l′ symbols at
which patterns of F end: a walk of l′ steps in the Aho–Corasick automaton of F; at most l′. A unit with m records moves them by
m·Δ(F). (Lemma 3.4 claims l′ for counts of *all* occurrences, which is false as soon as patterns of several lengths overlap:
{a, aa, aaa} occur 9 times in aaaa.)

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
    """Longest matches of public patterns (tuples of codes) in records cut to their best `most` symbols."""

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
        """Δ(F): at how many symbols of a record patterns can end at most; at least 1, so that there is always noise."""
        return max(1, Automaton.of(self.patterns).most_ends(self.most))

    def slots(self, domain_size: int) -> int:
        return len(self.patterns)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "fingerprints") * self.heaviest

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).fingerprints(table, self.patterns, l_max=self.most, most=self.heaviest)
