"""PFS2: frequent sequences with gaps, from clipped records or by sampling-based candidate pruning.

[Xu 2015, Alg. 3] with the repairs of docs/mechanisms/pfs2.md is variant "pfs2". Raw data is touched by the wall's answers alone
(`size`, `ask`, `ask_above`, `first_above`, `parts`); everything between them is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from seqveil.mine.pfs2.language import Subsequences
from seqveil.mine.pfs2.levelwise import Levelwise
from seqveil.mine.pfs2.miner import Miner
from seqveil.parameters import described, unfit
from seqveil.tables.units import Record, Unit, User


@dataclass(frozen=True, slots=True)
class PFS2(Levelwise):
    """Frequent sequences with gaps [Xu 2015]: "A, later B, later C", with the number of records that contain it.

    With variant="clip" a record counts for a limited number of patterns, which makes supports slightly too small and their
    noise much smaller; "pfs2" is the method of the paper, the others leave out parts of it.

    >>> PFS2(support=0.01).name
    'pfs2'
    >>> PFS2(support=1.5)
    Traceback (most recent call last):
    seqveil.errors.CallError: support=1.5: give a share of the records above 0 and at most 1, for example 0.01.
    """

    kind: ClassVar[str] = "sequences"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Xu, Su, Cheng, Li, Xiong, ICDE 2015"

    variant: Literal["clip", "pfs2", "sr", "rr", "pl"] = described(
        "clip",
        "Clipped records (clip), or the paper's method: in full (pfs2), without relaxed thresholds (sr), with random deletion "
        "too (rr), or without samples (pl).",
    )
    search: Literal["sparse", "binary"] = described(
        "sparse", "How to find the length of the longest frequent pattern: sparse vector technique or binary search."
    )

    clip: int | None = described(
        None, "Number of patterns that one record may count for, with variant clip (chosen if not given)."
    )

    def __post_init__(self) -> None:
        if self.variant not in ("clip", "pfs2", "sr", "rr", "pl"):
            raise unfit("choose 'clip', 'pfs2', or one of its ablations 'sr', 'rr', 'pl'.", variant=self.variant)
        self._miner()

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "pfs2"

    def _miner(self) -> Miner:
        return Miner(
            language=Subsequences("delete" if self.variant == "rr" else "shrink"),
            support=self.support,
            top=self.top,
            l_most=self.l_most,
            eta=self.eta,
            zeta=self.zeta if self.variant in ("clip", "pfs2") else None,
            search=self.search,
            how="clip" if self.variant == "clip" else "cut" if self.variant == "pl" else "samples",
            clip=self.clip,
        )
