"""BasisSets: synthetic sets that agree with the most frequent itemsets, the label counts and the sizes of records.

The lines that ask the wall are in `seqveil.bases` and `_sizes` below; everything else is a function of noisy answers and public
parameters. docs/mechanisms/basis.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.every import FEW, EveryShares, every_set
from seqveil.bases.listing import listed
from seqveil.bases.measuring import Shares, asked_first, check_epsilon, check_few, check_longest, check_top, measured, predictions
from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.basis.drawing import drawn_sets, sets_in_bins
from seqveil.release.sets import SetModelRelease
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Lengths, Plan, Wall

SIZES = 20
"""One part in so many of ε asks how many records have each size."""

MOST_UNSURE = 10**6
"""The largest noise scale of the number of records: as many synthetic sets are drawn as it says."""


@dataclass(frozen=True, slots=True)
class BasisSets:
    """Synthetic sets from counts of the most frequent itemsets by bases [Li 2012], of single labels and of sizes.

    >>> BasisSets(top=50).name
    'basis-sets'
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Li, Qardaji, Su, Cao, PVLDB 2012"
    name: ClassVar[str] = "basis-sets"

    top: int = described(100, "Number of most frequent itemsets that the synthetic sets are fitted to.")
    longest: int = described(12, "Most labels of an itemset.")
    few: int = described(FEW, "Over at most so many labels all sets are counted, and nothing else is asked.")
    l_most: int = described(50, "Largest size of a set that is told apart; larger ones count as this.")

    def __post_init__(self) -> None:
        check_top(self.top)
        check_longest(self.longest)
        check_few(self.few)
        if not 1 <= self.l_most <= 1000:
            raise unfit("give a number of labels from 1 to 1000; 50 is usual.", l_most=self.l_most)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        check_epsilon(epsilon)
        if len(domain) <= self.few:
            every = EveryShares.of(epsilon)
            _refuse_unsure(unit, every.size)
            return Plan(every.stages(len(domain)), every.predictions(len(domain), unit), heavy=True)
        sizes = epsilon // SIZES
        shares = Shares.of(epsilon - sizes)
        _refuse_unsure(unit, shares.size)
        stages = [("sizes", sizes, f"how many records have 1 to {self.l_most} labels"), *shares.stages(self.top)]
        return Plan(stages, predictions(shares, unit, records), heavy=True)

    def run(self, wall: Wall) -> SetModelRelease:
        """Sizes, live labels, perhaps pairs, the final count; then sets that agree with all of them. Of few labels, all sets."""
        if len(wall.domain) <= self.few:
            return self._of_few(wall)
        asking = wall.epsilon // SIZES
        shares = Shares.of(wall.epsilon - asking)
        histogram = self._sizes(wall, asking)
        outset = asked_first(wall, shares, self.top, self.longest)
        live, counted = measured(wall, shares, outset, self.top, self.longest, all_labels=True)
        with wall.stage("synthetic sets"):
            sets = drawn_sets(live, counted, histogram, len(wall.domain))
        return SetModelRelease(
            wall.domain,
            patterns=listed(counted, len(counted.patterns), live.size),
            synthetic=sets,
            remark=counted.remark,
        )

    def _of_few(self, wall: Wall) -> SetModelRelease:
        """The bins of one basis of all labels."""
        size, counted = every_set(wall, self.top, self.longest)
        with wall.stage("synthetic sets"):
            sets = sets_in_bins(counted.bases[0], size)
        return SetModelRelease(wall.domain, patterns=listed(counted, self.top, size), synthetic=sets)

    def _sizes(self, wall: Wall, epsilon: int) -> NDArray[np.float64]:
        """Records by size, without what is within the noise."""
        with wall.stage("sizes"):
            noisy = wall.ask(Lengths(self.l_most), epsilon)
        return np.where(noisy > 2 * wall.unit.sequences * GRAINS / epsilon, noisy, 0).astype(np.float64)


def _refuse_unsure(unit: Unit, paid: int) -> None:
    """Refuse an ε for which the number of synthetic sets would be noise, and too many to hold."""
    scale = unit.sequences * GRAINS // max(paid, 1)
    if scale > MOST_UNSURE:
        raise CallError(
            f"ε is so small that the number of synthetic sets would be wrong by about {scale:,}; allowed are {MOST_UNSURE:,}. "
            "Give more ε."
        )
