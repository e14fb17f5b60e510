"""PFS2: frequent sequences with gaps by sampling-based candidate pruning.

[Xu 2015, Alg. 3] with the repairs of docs/mechanisms/pfs2.md. Raw data is touched by the wall's answers alone
(`size`, `ask`, `ask_above`, `first_above`, `parts`); everything between them is post-processing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from seqveil.mine.pfs2.language import Subsequences
from seqveil.mine.pfs2.miner import Miner
from seqveil.parameters import described, unfit
from seqveil.release.patterns import PatternRelease
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Plan, Wall


@dataclass(frozen=True, slots=True)
class PFS2:
    """Frequent sequences with gaps [Xu 2015]: "A, later B, later C", with the number of records that contain it.

    >>> PFS2(support=0.01).name
    'pfs2'
    >>> PFS2(support=1.5)
    Traceback (most recent call last):
    seqveil.errors.CallError: support=1.5: give a share of the records above 0 and at most 1, for example 0.01.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Xu, Su, Cheng, Li, Xiong, ICDE 2015"

    support: float | None = described(None, "Mine patterns that at least this share of the records contains (or give top).")
    top: int | None = described(None, "Number of patterns to release (or give support).")
    l_most: int = described(50, "Longest length to which records of a sample may be cut.")
    eta: float = described(0.85, "Share of the records that need no cut: the length to cut to follows from it.")
    zeta: float = described(0.3, "Share of the frequent patterns that pruning on a sample may lose.")
    variant: Literal["pfs2", "sr", "rr", "pl"] = described(
        "pfs2", "The full method (pfs2), without relaxed thresholds (sr), with random deletion too (rr), or without samples (pl)."
    )
    search: Literal["sparse", "binary"] = described(
        "sparse", "How to find the length of the longest frequent pattern: sparse vector technique or binary search."
    )

    def __post_init__(self) -> None:
        if self.variant not in ("pfs2", "sr", "rr", "pl"):
            raise unfit("choose 'pfs2', or one of its ablations 'sr', 'rr', 'pl'.", variant=self.variant)
        self._miner()

    @property
    def name(self) -> str:
        """What `--method` calls it."""
        return "pfs2"

    def parameters(self) -> dict[str, Any]:
        """The public parameters, ready for a manifest."""
        return asdict(self)

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None) -> Plan:
        """The stages and their ε, and whether noise will swamp supports."""
        return self._miner().plan(epsilon, len(domain), unit, records)

    def run(self, wall: Wall) -> PatternRelease:
        """Pre-mining, then level by level."""
        return self._miner().run(wall)

    def _miner(self) -> Miner:
        return Miner(
            language=Subsequences("delete" if self.variant == "rr" else "shrink"),
            support=self.support,
            top=self.top,
            l_most=self.l_most,
            eta=self.eta,
            zeta=self.zeta if self.variant == "pfs2" else None,
            search=self.search,
            samples=self.variant != "pl",
        )
