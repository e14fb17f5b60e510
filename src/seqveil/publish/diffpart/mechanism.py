"""DiffPart: publish sets by dividing them top-down along a context-free taxonomy [Chen 2011].

[Chen thesis, Alg. 4.1, 4.2] with the repairs of docs/mechanisms/diffpart.md. The only lines that touch raw data are `wall.size`,
`wall.tree` and, in partitioning.py, `tree.expand`; everything else is a function of noisy answers and public parameters.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from seqveil.parameters import described, unfit
from seqveil.publish.diffpart.allocation import cuts_to_come
from seqveil.publish.diffpart.partitioning import Partitioning
from seqveil.publish.diffpart.predict import MOST_CHILDREN, Expected
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
    taxonomy: str | None = described(
        None,
        "File with the groups: one line per label, with the label, a tab and its group (then the group's group, and so on).",
    )
    branching: float = described(
        float(MOST_CHILDREN),
        "How many children of a node of the taxonomy a record is expected to reach: ε is divided over the cuts that this takes.",
    )
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
        if not 1 <= self.branching <= MOST_CHILDREN:
            raise unfit(
                f"give a number from 1 to {MOST_CHILDREN}; {MOST_CHILDREN} expects all children.", branching=self.branching
            )
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
        self._expected(epsilon - self._for_size(epsilon), domain, unit).refuse()

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, how many false sub-partitions to expect; refuses parameters that cannot work."""
        asking = self._for_size(epsilon)
        expected = self._expected(epsilon - asking, domain, unit)
        expected.refuse()
        plan = expected.plan(records)
        return replace(plan, stages=[("size", asking, "the number of records"), *plan.stages]) if asking else plan

    def run(self, wall: Wall) -> SetRelease:
        """Divide until every partition is a leaf, then write each leaf's itemset as often as its noisy count says."""
        size = self._size(wall)
        expected = self._expected(wall.remaining, wall.domain, wall.unit)
        expected.refuse()
        with wall.stage("partitioning"):
            partitioning = Partitioning(wall.tree(Partitions(expected.taxonomy), wall.remaining), expected)
            partitioning.run()
        return SetRelease(wall.domain, sets=partitioning.sets(), size=size)

    def _expected(self, epsilon: int, domain: Domain, unit: Unit) -> Expected:
        if self.taxonomy is None:
            taxonomy = Taxonomy.balanced(len(domain), self.fan_out)
        else:
            taxonomy = Taxonomy.from_file(self.taxonomy, domain, self.fan_out)
        weight, influence = cuts_to_come(taxonomy, self.branching), Partitions(taxonomy).influence(unit)
        return Expected(taxonomy, weight, self.c1, self.c2, epsilon, influence)

    def _for_size(self, epsilon: int) -> int:
        return int(Fraction(str(self.size_share)) * epsilon)

    def _size(self, wall: Wall) -> Size | None:
        return asked_size(wall, self._for_size(wall.epsilon))


def asked_size(wall: Wall, epsilon: int) -> Size | None:
    """The number of records, for so many grains; None for 0."""
    if not epsilon:
        return None
    with wall.stage("size"):
        return Size(wall.size(epsilon), wall.unit.sequences * GRAINS / epsilon)
