"""Basis: the K most frequent itemsets with counts and error bars, from the bins of bases of labels, after [Li 2012].

The lines that ask the wall are in `seqveil.bases`; everything else is a function of noisy answers and public parameters.
docs/mechanisms/basis.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from seqveil.bases.every import FEW
from seqveil.bases.listing import listed
from seqveil.bases.measuring import Shares, check_epsilon, check_few, check_longest, check_top, measured_top, predictions
from seqveil.parameters import described
from seqveil.release.patterns import PatternRelease
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Measure, Plan, Wall


@dataclass(frozen=True, slots=True)
class Basis:
    """The most frequent itemsets: "A and B and C", with the number of sets that contain them.

    A few labels are chosen privately. If they are few enough, one noisy histogram over all their combinations answers every
    itemset; otherwise pairs are asked for first, and then several such histograms, or counts in clipped sets.

    >>> Basis(top=50).name
    'basis'
    >>> Basis(top=0)
    Traceback (most recent call last):
    seqveil.errors.CallError: top=0: give a number of itemsets from 1 to 10,000, for example 100.
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Li, Qardaji, Su, Cao, PVLDB 2012"
    name: ClassVar[str] = "basis"

    top: int = described(100, "Number of itemsets to release.")
    longest: int = described(12, "Most labels of an itemset.")
    few: int = described(FEW, "Over at most so many labels all sets are counted if fewer than K itemsets stand out from noise.")

    def __post_init__(self) -> None:
        check_top(self.top)
        check_longest(self.longest)
        check_few(self.few)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        check_epsilon(epsilon)
        shares = Shares.of(epsilon)
        return Plan(shares.stages(self.top), predictions(shares, unit, records, measure), heavy=True)

    def run(self, wall: Wall) -> PatternRelease:
        """Live labels, perhaps pairs, then the final count; all sets over few labels where too few itemsets are frequent."""
        size, counted = measured_top(wall, Shares.of(wall.epsilon), self.top, self.longest, self.few)
        records = "records" if wall.unit.sequences == 1 else f"records (at most {wall.unit.sequences:,} per {wall.unit.name})"
        return PatternRelease(
            wall.domain,
            patterns=listed(counted, self.top, size),
            kind="itemset",
            about=f"{records} that contain all labels in any order{counted.remark}",
            size=max(size, 0),
        )
