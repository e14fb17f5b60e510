"""What the wall can vouch for about one run; a release turns it into its manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall.bill import Line
from seqveil.wall.budget import decimal


@dataclass(frozen=True, slots=True)
class StageFacts:
    """A line of the bill (`wall.bill`): `parts` is what each part of the data used, where there are parts."""

    name: str
    kind: str
    epsilon: str
    used: str
    rule: str
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, line: Line) -> Self:
        parts = tuple(map(decimal, line.parts))
        return cls(line.name, line.kind, decimal(line.charged), decimal(line.used), line.rule, parts)


@dataclass(frozen=True, slots=True)
class Facts:
    """Public facts of a run: who was promised what, and what each stage was charged and used. Epsilons are decimal strings.

    `unused` is what was charged to the run and used by no stage: it remains charged. The `used` of all stages and `unused` add
    up to `epsilon` exactly.
    """

    mechanism: str
    version: str
    paper: str
    parameters: dict[str, Any]
    epsilon: str
    unit: Unit
    domain: Domain
    noise: str
    private: bool
    unused: str
    stages: list[StageFacts] = field(default_factory=list)
