"""BasisSets: synthetic sets that agree with the most frequent itemsets, the label counts and the sizes of records.

The lines that ask the wall are in `seqveil.bases` and `_sizes` below; everything else is a function of noisy answers and public
parameters. docs/mechanisms/basis.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.listing import listed
from seqveil.bases.measuring import Shares, check_longest, check_top, measured, predictions
from seqveil.parameters import described, unfit
from seqveil.publish.basis.drawing import drawn_sets
from seqveil.release.sets import SetModelRelease
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Lengths, Plan, Wall

SIZES = 20
"""One part in so many of ε asks how many records have each size."""


@dataclass(frozen=True, slots=True)
class BasisSets:
    """Synthetic sets from counts of the most frequent itemsets by bases [Li 2012], of single labels and of sizes.

    >>> BasisSets(top=50).name
    'basis-sets'
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Li, Qardaji, Su, Cao, PVLDB 2012"
    name: ClassVar[str] = "basis-sets"

    top: int = described(100, "Number of most frequent itemsets that the synthetic sets are fitted to.")
    longest: int = described(12, "Most labels of an itemset.")
    l_most: int = described(50, "Largest size of a set that is told apart; larger ones count as this.")

    def __post_init__(self) -> None:
        check_top(self.top)
        check_longest(self.longest)
        if not 1 <= self.l_most <= 1000:
            raise unfit("give a number of labels from 1 to 1000; 50 is usual.", l_most=self.l_most)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do to counts."""
        sizes = epsilon // SIZES
        shares = Shares.of(epsilon - sizes)
        stages = [("sizes", sizes, f"how many records have 1 to {self.l_most} labels"), *shares.stages(self.top)]
        return Plan(stages, predictions(shares, unit, records), heavy=True)

    def run(self, wall: Wall) -> SetModelRelease:
        """Sizes, live labels, perhaps pairs, the final count; then sets that agree with all of them."""
        asking = wall.epsilon // SIZES
        shares = Shares.of(wall.epsilon - asking)
        histogram = self._sizes(wall, asking)
        live, counted = measured(wall, shares, self.top, self.longest, all_labels=True)
        with wall.stage("synthetic sets"):
            sets = drawn_sets(live, counted, histogram, len(wall.domain))
        return SetModelRelease(
            wall.domain,
            patterns=listed(counted, len(counted.patterns), live.size),
            synthetic=sets,
            remark=counted.remark,
        )

    def _sizes(self, wall: Wall, epsilon: int) -> NDArray[np.float64]:
        """Records by size, without what is within the noise."""
        with wall.stage("sizes"):
            noisy = wall.ask(Lengths(self.l_most), epsilon)
        return np.where(noisy > 2 * wall.unit.sequences * GRAINS / epsilon, noisy, 0).astype(np.float64)
