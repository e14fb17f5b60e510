"""FrequentItemsets: itemsets with their supports, from clipped sets, truncated transactions (TT) or with sampling-based pruning.

The last two as [Xu 2015, §VII-F] describes them; docs/mechanisms/itemsets.md says what of [Zeng 2012] that leaves open and how it
was closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from seqveil.mine.pfs2.language import Itemsets
from seqveil.mine.pfs2.levelwise import Levelwise
from seqveil.mine.pfs2.miner import How, Miner
from seqveil.parameters import described, unfit
from seqveil.tables.domain import Domain
from seqveil.tables.units import Record, Unit, User
from seqveil.wall import Measure, Plan

HOW: dict[str, How] = {"clip": "clip", "sampled": "samples", "tt": "cut"}


@dataclass(frozen=True, slots=True)
class FrequentItemsets(Levelwise):
    """Frequent itemsets: "A and B and C", with the number of sets that contain them.

    With variant="clip" a set counts for a limited number of itemsets. With "sampled" candidates are pruned on secret samples
    and counted in whole sets [Xu 2015]; "tt" counts all sets truncated to l_max items [Zeng 2012]. "clip" and "tt" make supports
    smaller than they are.

    >>> FrequentItemsets(top=100).name
    'itemsets'
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    measures: ClassVar[tuple[Measure, ...]] = ("pure", "zcdp")
    version: ClassVar[str] = "2"
    paper: ClassVar[str] = "Zeng, Naughton, Cai, PVLDB 2012; Xu, Su, Cheng, Li, Xiong, ICDE 2015"

    variant: Literal["clip", "sampled", "tt"] = described(
        "clip",
        "Clipped sets (clip), candidates pruned on secret samples (sampled), or sets truncated to the size limit (tt).",
    )
    search: Literal["sparse", "binary"] = described(
        "sparse", "How to find the size of the largest frequent itemset: sparse vector technique or binary search."
    )

    clip: int | None = described(None, "Most itemsets that one set may count for, with variant clip (chosen if not given).")

    def plan(self, epsilon: int, domain: Domain, unit: Unit, records: int | None = None, measure: Measure = "pure") -> Plan:
        """The stages and their ε, or ρ, and how supports stand out from noise."""
        return self._miner().plan(epsilon, unit, records, measure)

    def __post_init__(self) -> None:
        if self.variant not in HOW:
            raise unfit("choose 'clip', 'sampled' or 'tt' (truncated transactions, no samples).", variant=self.variant)
        self._miner()

    @property
    def name(self) -> str:
        """The name of the method, as in `--method`."""
        return "itemsets"

    def _miner(self) -> Miner:
        return Miner(
            language=Itemsets(),
            support=self.support,
            top=self.top,
            l_most=self.l_most,
            eta=self.eta,
            zeta=self.zeta,
            search=self.search,
            how=HOW[self.variant],
            clip=self.clip,
        )
