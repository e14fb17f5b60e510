"""The bill of a run: what each stage was charged, and how much of that its questions used.

Every number is exact. What was charged and not used remains charged: nothing is given back.

- A question uses what it was charged.
- A tree uses what its dearest path from the root to a leaf cost.
- Parts of the data use the maximum over the parts, since no unit is in two of them.
- Stages add up.

How much was used follows from which questions were asked. A mechanism chooses those from public parameters and noisy answers,
so the bill may be published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Rule = Literal["question", "dearest path", "maximum of parts"]


@dataclass(frozen=True, slots=True)
class Line:
    """One stage of the bill, in grains; `parts` is what each part of the data used, where there are parts."""

    name: str
    kind: str
    charged: int
    used: int
    rule: Rule
    parts: tuple[int, ...] = ()


@dataclass(slots=True)
class Charge:
    """A line that may still be growing: trees and parts are asked after they were charged. `uses` tell what they used so far."""

    name: str
    kind: str
    amount: int
    rule: Rule = "question"
    uses: list[Callable[[], int]] = field(default_factory=list)

    def line(self) -> Line:
        """The line as it stands now.

        >>> Charge("sample", "2 parts", 10, "maximum of parts", [lambda: 3, lambda: 7]).line().used
        7
        """
        used = tuple(tell() for tell in self.uses)
        whole = self.amount if self.rule == "question" else max(used)
        return Line(self.name, self.kind, self.amount, whole, self.rule, used if self.rule == "maximum of parts" else ())
