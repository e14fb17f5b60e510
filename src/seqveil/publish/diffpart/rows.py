"""DiffPart for rows of a relational table: one taxonomy per attribute, and a private choice of what is cut next.

[Chen thesis, §4.3.2, 'Applicability'] sketches it in a paragraph; docs/mechanisms/diffpart.md, 'Rows', says what was made of it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from seqveil.errors import CallError
from seqveil.parameters import described, unfit
from seqveil.publish.diffpart.mechanism import asked_size
from seqveil.publish.diffpart.partitioning import Partitioning
from seqveil.publish.diffpart.predict import MOST_CHILDREN, Expected, false_among
from seqveil.release.sets import SetRelease
from seqveil.surface import parameter
from seqveil.tables.attributes import attribute_numbers
from seqveil.tables.domain import Domain
from seqveil.tables.granularity import Granularities
from seqveil.tables.taxonomy import Taxonomy
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import GRAINS, Partitions, Plan, Wall, decimal


@dataclass(frozen=True, slots=True)
class DiffPartRows:
    """Top-down partitioning of rows, of which every attribute has one value or none [Chen thesis, §4.3.2].

    >>> DiffPartRows(choosing=0.2).name
    'diffpart-rows'
    >>> DiffPartRows(choosing=1)
    Traceback (most recent call last):
    seqveil.errors.CallError: choosing=1: give a share of a cut's ε from 0 to 0.9; 0.1 is usual, 0 cuts in a fixed order.
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Chen, Mohammed, Fung, Desai, Xiong, VLDB 2011"
    name: ClassVar[str] = "diffpart-rows"

    fan_out: int = described(10, "How many neighbouring values of an attribute a node of its taxonomy groups.")
    taxonomy: str | None = described(
        None,
        "File with groups: one line per label, with the label, a tab and its group (then the group's group, and so on).",
    )
    growth: float = described(1.5, "How many times as much ε a cut gets as the cut before it, on every path.")
    c1: float = described(1.5, "Threshold for the noisy count of a row, in standard deviations of its noise.")
    c2: float = described(
        1.5, "Threshold for dividing a partition further, in standard deviations of its noise times the height of its cut."
    )
    choosing: float = described(0.1, "Share of a cut's ε for choosing which attribute is cut; 0 cuts in a fixed order.")
    size_share: float = described(
        0.02, "Share of ε for the number of records, which confidence intervals need; 0 does not ask for it."
    )

    def __post_init__(self) -> None:
        if not 2 <= self.fan_out <= MOST_CHILDREN:
            raise unfit(f"a taxonomy groups from 2 to {MOST_CHILDREN} values; 10 is usual.", fan_out=self.fan_out)
        if not 1 <= self.growth <= 4:
            raise unfit("give a number from 1 (every cut gets the same) to 4.", growth=self.growth)
        for name, value in (("c1", self.c1), ("c2", self.c2)):
            if not 0 <= value <= 1000:
                raise unfit("give a number of standard deviations from 0 to 1,000.", **{name: value})
        if not 0 <= self.choosing <= 0.9:
            raise unfit("give a share of a cut's ε from 0 to 0.9; 0.1 is usual, 0 cuts in a fixed order.", choosing=self.choosing)
        if not 0 <= self.size_share <= 0.5:
            raise unfit("give a share of ε from 0 to 0.5; 0.02 is usual.", size_share=self.size_share)

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def taxonomies(self, domain: Domain) -> Taxonomy:
        """One tree per attribute; groups of a file are cut along attributes."""
        inside = [] if self.taxonomy is None else list(Granularities.from_file(self.taxonomy, domain).member[:-1])
        return Taxonomy.grouped([attribute_numbers(domain), *inside], len(domain), self.fan_out, attributes=True)

    def precheck(self, epsilon: int, domain: Domain, unit: Unit) -> None:
        """Refuse what false partitions would swamp, and an ε that no cut could use."""
        self._refuse(self._expected(epsilon - self._for_size(epsilon), domain, unit))

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and what noise will do."""
        asking = self._for_size(epsilon)
        expected = self._expected(epsilon - asking, domain, unit)
        self._refuse(expected)
        half, theta = expected.epsilon // 2, expected.first_threshold()
        stages = [
            ("size", asking, "the number of records"),
            ("partitioning", half, f"at most {expected.cuts:,} cuts on every path, the first with ε = {decimal(expected.first)}"),
            ("leaf counts", expected.epsilon - half, "every row once, with what the cuts left added"),
        ]
        least = math.sqrt(2) * self.c1 * expected.influence * GRAINS / expected.epsilon
        predictions = [
            f"a row is published if its noisy count reaches a threshold between {least:,.0f} and {2 * least:,.0f} records, which "
            "depends on its path",
            f"a cut keeps at most about {self._false(expected):,.2g} empty sub-partitions by noise alone",
            f"the first cut keeps a sub-partition if its noisy count is at least {theta:,.0f} records",
        ]
        warnings = []
        if records is not None and records < 4 * theta:
            warnings.append(f"little or nothing of {records:,} records will pass the first cut: use fewer attributes or more ε.")
        return Plan(stages if asking else stages[1:], predictions, warnings)

    def run(self, wall: Wall) -> SetRelease:
        """Divide until every attribute of every partition has a value or none, then publish each row with its noisy count."""
        size = asked_size(wall, self._for_size(wall.epsilon))
        expected = self._expected(wall.remaining, wall.domain, wall.unit)
        self._refuse(expected)
        with wall.stage("partitioning"):
            partitioning = Partitioning(wall.tree(Partitions(expected.taxonomy), wall.remaining), expected, self.choosing)
            partitioning.run()
        return SetRelease(wall.domain, sets=partitioning.sets(), size=size)

    def _expected(self, epsilon: int, domain: Domain, unit: Unit) -> Expected:
        taxonomy = self.taxonomies(domain)
        # A record has one value per attribute, so it takes at most as many cuts as the tree of the attribute is high.
        weight, influence = taxonomy.height.astype(np.float64), Partitions(taxonomy).influence(unit)
        return Expected(taxonomy, weight, self.c1, self.c2, epsilon, influence, self.growth)

    def _false(self, expected: Expected) -> float:
        """The most empty sub-partitions that one cut is expected to keep."""
        taxonomy = expected.taxonomy
        inner = np.arange(taxonomy.labels, taxonomy.root)
        ways = taxonomy.width(inner) + taxonomy.optional[:-1]
        half = expected.epsilon / (2 * expected.influence * GRAINS)
        return max(
            false_among(float(w), self.c2, int(h), half)
            for w, h in set(zip(ways.tolist(), taxonomy.height[inner].tolist(), strict=True))
        )

    def _refuse(self, expected: Expected) -> None:
        expected.refuse_too_little()
        false = self._false(expected)
        if false >= 1:
            enough = math.ceil(10 * (self.c2 + (math.log(false) + 0.01) / math.sqrt(2))) / 10
            raise CallError(
                f"{parameter('c2', f'{self.c2:g}')}: a cut would keep about {false:,.1f} empty sub-partitions by noise alone, "
                f"and as many of each of theirs, until they outnumber the true ones. Use {parameter('c2', f'{enough:g}')}."
            )

    def _for_size(self, epsilon: int) -> int:
        return int(Fraction(str(self.size_share)) * epsilon)
