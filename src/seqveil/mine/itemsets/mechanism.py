"""FrequentItemsets: itemsets with their supports, from truncated transactions (TT) or with sampling-based pruning.

Both as [Xu 2015, §VII-F] describes them; docs/mechanisms/itemsets.md says what of [Zeng 2012] that leaves open and how it was
closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from seqveil.mine.pfs2.language import Itemsets
from seqveil.mine.pfs2.levelwise import Levelwise
from seqveil.mine.pfs2.miner import Miner
from seqveil.parameters import described, unfit
from seqveil.tables.units import Record, Unit, User


@dataclass(frozen=True, slots=True)
class FrequentItemsets(Levelwise):
    """Frequent itemsets: "A and B and C", with the number of sets that contain them.

    With variant="sampled" candidates are pruned on secret samples and counted in whole sets [Xu 2015]; "tt" counts all sets
    truncated to l_max items, which makes supports smaller than they are [Zeng 2012].

    >>> FrequentItemsets(top=100).name
    'itemsets'
    """

    kind: ClassVar[str] = "sets"
    units: ClassVar[tuple[type[Unit], ...]] = (Record, User)
    version: ClassVar[str] = "1"
    paper: ClassVar[str] = "Zeng, Naughton, Cai, PVLDB 2012; Xu, Su, Cheng, Li, Xiong, ICDE 2015"

    variant: Literal["sampled", "tt"] = described(
        "sampled", "Prune candidates on secret samples (sampled), or count sets truncated to the size limit (tt)."
    )
    search: Literal["sparse", "binary"] = described(
        "sparse", "How to find the size of the largest frequent itemset: sparse vector technique or binary search."
    )

    def __post_init__(self) -> None:
        if self.variant not in ("sampled", "tt"):
            raise unfit("choose 'sampled' or 'tt' (truncated transactions, no samples).", variant=self.variant)
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
            samples=self.variant == "sampled",
        )
