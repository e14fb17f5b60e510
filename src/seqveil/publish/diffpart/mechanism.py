"""DiffPart: publish sets by dividing them top-down along a context-free taxonomy [Chen 2011].

[Chen thesis, Alg. 4.1, 4.2] with the repairs of docs/mechanisms/diffpart.md. The only lines that touch raw data are `wall.size`,
`wall.tree` and, in partitioning.py, `tree.expand`; everything else is a function of noisy answers and public parameters.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from seqveil.parameters import described, unfit
from seqveil.publish.diffpart.partitioning import Partitioning
from seqveil.publish.diffpart.predict import MOST_CHILDREN, predict, refuse
from seqveil.release.sets import SetRelease, Size
from seqveil.tables.domain import Domain
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Partitions, Plan, Wall


@dataclass(frozen=True, slots=True)
class DiffPart:
    """Top-down partitioning of sets [Chen 2011].

    The defaults of c1 and c2 were chosen once on simulated data (docs/mechanisms/diffpart.md): trying values on the data and
    publishing the best would not be differentially private.

    >>> DiffPart(fan_out=10).name
    'diffpart'
    >>> DiffPart(fan_out=1)
    Traceback (most recent call last):
    seqveil.errors.CallError: fan_out=1: a taxonomy groups from 2 to 60 labels; 10 is usual.
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Chen, Mohammed, Fung, Desai, Xiong, VLDB 2011"
    name: ClassVar[str] = "diffpart"

    fan_out: int = described(10, "How many neighbouring labels of the domain a node of the taxonomy groups.")
    c1: float = described(2.75, "Threshold for the noisy count of an itemset, in standard deviations of its noise.")
    c2: float = described(
        5.0, "Threshold for dividing a partition further, in standard deviations of its noise times the height of its cut."
    )
    size_share: float = described(
        0.02, "Share of ε for the number of records, which confidence intervals need; 0 does not ask for it."
    )

    def __post_init__(self) -> None:
        if not 2 <= self.fan_out <= MOST_CHILDREN:
            raise unfit(f"a taxonomy groups from 2 to {MOST_CHILDREN} labels; 10 is usual.", fan_out=self.fan_out)
        for name, value in (("c1", self.c1), ("c2", self.c2)):
            if not 0 <= value <= 1000:
                raise unfit("give a number of standard deviations from 0 to 1,000.", **{name: value})
        if not 0 <= self.size_share <= 0.5:
            raise unfit("give a share of ε from 0 to 0.5; 0.02 is usual.", size_share=self.size_share)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse, with the predicted number, what false sub-partitions would swamp, and an ε that no cut could use."""
        taxonomy = Taxonomy.balanced(len(domain), self.fan_out)
        refuse(taxonomy, self.c1, self.c2, epsilon - self._for_size(epsilon), Partitions(taxonomy).influence(unit))

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, how many false sub-partitions to expect; refuses parameters that cannot work."""
        taxonomy = Taxonomy.balanced(len(domain), self.fan_out)
        influence = Partitions(taxonomy).influence(unit)
        asking = self._for_size(epsilon)
        refuse(taxonomy, self.c1, self.c2, epsilon - asking, influence)
        plan = predict(taxonomy, self.c1, self.c2, epsilon - asking, influence, records)
        return replace(plan, stages=[("size", asking, "the number of records"), *plan.stages]) if asking else plan

    def run(self, wall: Wall) -> SetRelease:
        """Divide until every partition is a leaf, then write each leaf's itemset as often as its noisy count says."""
        taxonomy = Taxonomy.balanced(len(wall.domain), self.fan_out)
        influence = Partitions(taxonomy).influence(wall.unit)
        size = self._size(wall, influence)
        refuse(taxonomy, self.c1, self.c2, wall.remaining, influence)
        with wall.stage("partitioning"):
            budget = wall.remaining
            tree = wall.tree(Partitions(taxonomy), budget)
            partitioning = Partitioning(tree, taxonomy, budget, influence, self.c1, self.c2)
            partitioning.run()
        return SetRelease(wall.domain, sets=partitioning.sets(), size=size)

    def _for_size(self, epsilon: int) -> int:
        return int(Fraction(str(self.size_share)) * epsilon)

    def _size(self, wall: Wall, influence: int) -> Size | None:
        asking = self._for_size(wall.epsilon)
        if not asking:
            return None
        with wall.stage("size"):
            return Size(wall.size(asking), influence * GRAINS / asking)
