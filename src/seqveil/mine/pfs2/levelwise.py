"""What PFS² and the itemset methods share as mechanisms: their parameters, plan and run. Each says which miner it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any

from seqveil.mine.pfs2.miner import Miner
from seqveil.parameters import described
from seqveil.release.patterns import PatternRelease
from seqveil.tables.domain import Domain
from seqveil.tables.units import Unit
from seqveil.wall import Plan, Wall


@dataclass(frozen=True, slots=True)
class Levelwise(ABC):
    """Frequent patterns, length by length."""

    support: float | None = described(None, "Mine patterns that at least this share of the records contains (or give top).")
    top: int | None = described(None, "Number of patterns to release (or give support).")
    l_most: int = described(50, "Longest length to which records may be cut.")
    eta: float = described(0.85, "Share of the records that are not cut; it determines the length to cut to.")
    zeta: float = described(0.3, "Share of the frequent patterns that pruning on a sample may lose.")

    @abstractmethod
    def _miner(self) -> Miner:
        """The miner with these parameters; it refuses what does not fit."""

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and how supports stand out from noise."""
        return self._miner().plan(epsilon, unit, records)

    def run(self, wall: Wall) -> PatternRelease:
        """Pre-mining, then length by length."""
        return self._miner().run(wall)
