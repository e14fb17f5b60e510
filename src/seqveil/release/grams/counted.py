"""CountedTree: what releases of grams and of prefixes share, which both are a noisy tree and the records made from it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range, of_length
from seqveil.release.answers.table import Counts
from seqveil.release.answers.totals import total_of
from seqveil.release.capabilities import Ranked, Summable
from seqveil.release.grams.columns import end_mark
from seqveil.release.grams.lookup import Lookup
from seqveil.release.sequenced import SequenceRelease

if TYPE_CHECKING:
    from seqveil.release.grams.table import GramTable
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat


class CountedTree(SequenceRelease, Summable, Ranked):
    """A tree of sequences with consistent counts, and the synthetic records that realise them."""

    root: ClassVar[str]
    """What the counts of the first level add up to."""

    def __init__(self, domain: Domain, tree: GramTable, synthetic: Flat | Callable[[], Flat]) -> None:
        super().__init__(domain, synthetic)
        tree.check(end=len(domain))
        self.tree = tree

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup.of(self.tree)

    @cached_property
    def _counts(self) -> Counts:
        tree = self.tree
        return Counts(tree.count, tree.noisy, tree.scale, tree.threshold, tree.measured, tree.lengths, tree.gaussian)

    @abstractmethod
    def _row(self, query: Sequence[str]) -> int | None:
        """The row that answers a query; None where it is not in the tree."""

    def answers(self, rows: Iterable[int]) -> list[Answer]:
        """The answers of rows of the tree, all at once."""
        return self._counts.answers(rows, self.about)

    def ranked(self, rows: Sequence[int] | NDArray[np.int64], n: int) -> list[int]:
        """The n of these rows with the largest answers, best first: in the order of the numbers that people are shown."""
        return self._counts.ranked(np.asarray(rows, np.int64), n)

    def children(self, row: int) -> range:
        """The rows that continue a row by one symbol; -1 stands for the root."""
        return self._lookup.children(row)

    def labels(self, row: int) -> list[str]:
        """The labels of a row, as `count` takes them."""
        end = len(self.domain)
        return [end_mark(self.domain) if code == end else self.domain.label(code) for code in self.tree.gram(row)]

    def _occurring(self) -> NDArray[np.bool_]:
        return np.bincount(self.tree.symbols, minlength=len(self.domain) + 1)[: len(self.domain)] > 0

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise; an estimate if one of them is."""
        return total_of(self, queries, self._row, lambda rows, _: self._counts.total(rows, self.about))

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1, ends: bool = False) -> list[Ranking]:
        """The k sequences of `shortest` to `longest` labels with the largest answers, best first.

        With `ends`, also those that say where a record ends; the end counts as a label. All numbers are those that `count`
        answers. Of equal answers the shorter sequence comes first, then the order of the domain decides.
        """
        check_range(k, shortest, longest)
        rows = of_length(self.tree.lengths, shortest, longest)
        if not ends:
            rows = rows[self.tree.last[rows] != len(self.domain)]
        best = self.ranked(rows, k)
        return [answer.ranked(self.labels(row)) for row, answer in zip(best, self.answers(best), strict=True)]
