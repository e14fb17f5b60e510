"""What the wall can vouch for about one run; a release turns it into its manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit


@dataclass(frozen=True, slots=True)
class Facts:
    """Public facts of a run: who was promised what, and what each stage spent. Epsilons are decimal strings."""

    mechanism: str
    version: str
    paper: str
    parameters: dict[str, Any]
    epsilon: str
    unit: Unit
    domain: Domain
    noise: str
    private: bool
    stages: list[tuple[str, str, str]] = field(default_factory=list)
