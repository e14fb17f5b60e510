"""Bins: how many records contain exactly these labels of a basis, for all 2^m subsets of each of some bases [Li 2012].

Law: a basis is a public list of m labels. A record lies in one of its 2^m bins, the one of the labels of the basis that it
contains; bit j of the bin stands for the j-th label. A record that contains none of them lies in bin 0. Every count gets discrete
Laplace noise. How many records contain X, for any X within a basis, is the sum of the 2^(m − |X|) bins with all bits of X.

Charge: what is paid for it, for all bases together.

Sensitivity: a record lies in exactly one bin of each basis, so it adds w in all for w bases, whatever m is; a unit with k
records adds k·w. Attained by every record. It adds 1 to each of w counts, so in L2² a record moves them by w and k records by
k²·w. tests/wall/questions/test_bins_sensitivity.py enumerates it.

Clip: none is needed, whatever the size of a record; `clip.tallied` verifies that no record added more than w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqveil.engines.protocol import Tally, engine_of
from seqveil.errors import CallError
from seqveil.tables.units import Unit
from seqveil.wall.questions.units import records_of, together

MOST_LABELS = 20
"""A basis of more has more bins than can be drawn, kept and used."""


@dataclass(frozen=True, slots=True)
class Bins:
    """All bins of all bases: those of `bases[0]` first, then those of `bases[1]`, and so on."""

    bases: tuple[tuple[int, ...], ...]
    name: str = "bins"

    def __post_init__(self) -> None:
        if not self.bases:
            raise CallError("bins need at least one basis.")
        for basis in self.bases:
            if not 1 <= len(basis) <= MOST_LABELS or len(set(basis)) < len(basis) or min(basis) < 0:
                raise CallError(f"a basis has from 1 to {MOST_LABELS} labels, given as codes from 0 on, none of them twice.")

    def slots(self, domain_size: int) -> int:
        largest = max(map(max, self.bases))
        if largest >= domain_size:
            raise CallError(f"a basis holds code {largest}: the domain has codes 0 to {domain_size - 1}.")
        return sum(1 << len(basis) for basis in self.bases)

    def influence(self, unit: Unit) -> int:
        return records_of(unit, "bins") * len(self.bases)

    def square(self, unit: Unit) -> int:
        return together(unit, "bins", len(self.bases))

    def tally(self, table: Any, unit: Unit) -> Tally:
        return engine_of(table).bins(table, self.bases)
