"""The bill of a run: what each stage was charged, and how much of that its questions used.

Every number is exact. What was charged and not used remains charged: nothing is given back.

- A question uses what it was charged.
- A tree uses what its dearest path from the root to a leaf cost.
- Parts of the data use the maximum over the parts, since no unit is in two of them.
- So do strata: no record is in two of them, and a user's records in all of them are as many as the noise was made for.
- Stages add up.

How much was used follows from which questions were asked. A mechanism chooses those from public parameters and noisy answers,
so the bill may be published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from seqveil.facts import Rule, Stage
from seqveil.wall.budget import decimal


@dataclass(slots=True)
class Charge:
    """A stage that may still be growing: trees and parts are asked after they were charged. `uses` say what they used so far.

    Amounts are in grains.

    >>> Charge("sample", "2 parts", 10, "maximum of parts", [lambda: 3, lambda: 7]).used
    7
    """

    name: str
    kind: str
    amount: int
    rule: Rule = "question"
    uses: list[Callable[[], int]] = field(default_factory=list)

    @property
    def used(self) -> int:
        """What its questions have used so far."""
        return self.amount if self.rule == "question" else max(use() for use in self.uses)

    def stage(self) -> Stage:
        """The stage as it stands now, for the facts of the run."""
        parts = tuple(decimal(use()) for use in self.uses) if self.rule == "maximum of parts" else ()
        return Stage(self.name, self.kind, decimal(self.amount), decimal(self.used), self.rule, parts)
