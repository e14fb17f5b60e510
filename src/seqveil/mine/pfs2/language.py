"""What PFS² and the itemset miners have in common is everything but the kind of pattern; this is the kind of pattern."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.pfs2.candidates import Patterns, itemsets, sequences
from seqveil.wall import ShrunkSupports, TruncatedSupports


class Language(Protocol):
    """A kind of pattern: how longer ones are made, and how records are cut for a sample."""

    @property
    def kind(self) -> Literal["subsequence", "itemset"]: ...

    def longer(self, frequent: Patterns, support: NDArray[np.int64]) -> Patterns:
        """Candidates with one item more."""
        ...

    def cut(self, candidates: Patterns, l_max: int) -> ShrunkSupports | TruncatedSupports:
        """Supports of candidates in records of at most l_max items."""
        ...


@dataclass(frozen=True, slots=True)
class Subsequences:
    """Items in order, with gaps."""

    how: Literal["shrink", "delete"] = "shrink"
    kind: Literal["subsequence"] = "subsequence"

    def longer(self, frequent: Patterns, support: NDArray[np.int64]) -> Patterns:
        return sequences(frequent, support)

    def cut(self, candidates: Patterns, l_max: int) -> ShrunkSupports:
        return ShrunkSupports(candidates, l_max, self.how)


@dataclass(frozen=True, slots=True)
class Itemsets:
    """Items in any order, each once."""

    kind: Literal["itemset"] = "itemset"

    def longer(self, frequent: Patterns, support: NDArray[np.int64]) -> Patterns:
        return itemsets(frequent, support)

    def cut(self, candidates: Patterns, l_max: int) -> TruncatedSupports:
        return TruncatedSupports(candidates, l_max)
