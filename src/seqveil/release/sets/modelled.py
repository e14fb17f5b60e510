"""SetModelRelease: counted itemsets with error bars, and synthetic sets that were fitted to them."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range
from seqveil.release.answers.table import Counts
from seqveil.release.answers.totals import total_of
from seqveil.release.capabilities import Drawable, Form, Ranked, Summable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.lines import lines_to, saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.patterns.columns import columns, from_columns, to_columns
from seqveil.release.patterns.table import PatternTable
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Prose
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

CONSIDERED = 1000
"""The best itemsets are searched for among so many of the most frequent itemsets of the synthetic sets."""


class SetModelRelease(Release, Summable, Ranked, Drawable):
    """Itemsets with noisy counts, and synthetic sets that agree with them about as well as noise allows.

    What is not among the itemsets is estimated from the synthetic sets, without an error bar. `remark` says what counts leave
    out.

    >>> from seqveil.tables.domain import Domain
    >>> patterns = PatternTable.of([[0], [0, 1]], noisy=[5, 3], scale=1.0)
    >>> sets = Flat.of([[0, 1], [0, 1], [0], [1]])
    >>> baskets = SetModelRelease(Domain.of(["bread", "milk", "tea"]), patterns=patterns, synthetic=sets)
    >>> baskets.count(["milk", "bread"]), baskets.count(["milk"]), baskets.count(["tea"])
    (Answer(value=3, low=0, high=6), Answer(value=3, estimate without error bar), Answer(not released))
    >>> [row["pattern"] for row in baskets.top(2)]
    [['bread'], ['bread', 'milk']]
    """

    content: ClassVar[str] = "set-model"
    description: ClassVar[str] = "itemsets with noisy counts, and synthetic sets that were fitted to them"
    form: ClassVar[Form] = "sets"

    def __init__(self, domain: Domain, *, patterns: PatternTable, synthetic: Flat | Callable[[], Flat], remark: str = "") -> None:
        super().__init__(domain)
        patterns.check(len(domain))
        self.patterns = patterns
        self.remark = remark
        self._synthetic = synthetic

    def __len__(self) -> int:
        return len(self.patterns)

    @property
    def synthetic(self) -> Flat:
        """The synthetic sets, as codes."""
        if not isinstance(self._synthetic, Flat):
            self._synthetic = self._synthetic()
        return self._synthetic

    @cached_property
    def _index(self) -> WeightedSets:
        return WeightedSets(self.synthetic, np.ones(len(self.synthetic), np.int64), len(self.domain))

    @cached_property
    def _rows(self) -> dict[tuple[int, ...], int]:
        return {tuple(sorted(self.patterns.pattern(k))): k for k in range(len(self.patterns))}

    @cached_property
    def _counts(self) -> Counts:
        table = self.patterns
        # Itemsets of one basis share its bins: in a sum each has a share of the 5 % of its own.
        sharing = np.arange(len(table), dtype=np.int64)
        return Counts(table.count, table.noisy, table.scale, table.threshold, np.isfinite(table.scale), sharing)

    @property
    def about(self) -> str:
        """What is counted."""
        return f"records that contain every label{self._per_user}{self.remark}"

    def count(self, query: Sequence[str]) -> Answer:
        """How many records contain all of these labels: as counted, or else as the synthetic sets say."""
        itemset = self._codes(query)
        row = self._rows.get(itemset)
        if row is not None:
            return self._counts.answers([row], self.about)[0]
        if not all(len(self._index.holding(x)) for x in itemset):
            return Answer.not_released(self.about)
        return Answer(float(self._index.support(list(itemset))), None, None, "estimate", self.about)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of the counts of several queries."""
        return total_of(self, queries, lambda query: self._rows.get(self._codes(query)), self._summed)

    def _summed(self, rows: list[int], lengths: list[int]) -> Answer:
        return self._counts.total(rows, self.about)

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k itemsets of `shortest` to `longest` labels with the largest counts, counted or estimated, best first.

        Beside the counted ones, the 1,000 (or k) most frequent itemsets of the synthetic sets compete.
        """
        check_range(k, shortest, longest)
        listed = dict.fromkeys(x for x in self._rows if shortest <= len(x) <= (longest or len(x)))
        listed |= dict.fromkeys(x for x, _ in self._index.frequent(max(CONSIDERED, k), shortest=shortest, longest=longest))
        answers = [(self.count(labels), labels) for labels in (self.domain.labels(x) for x in listed)]
        best = sorted(answers, key=lambda one: -one[0].value)[:k]
        return [answer.ranked(labels) for answer, labels in best]

    def _codes(self, query: Sequence[str]) -> tuple[int, ...]:
        refuse_no_query(query)
        return tuple(sorted(set(codes_of(query, self.domain))))

    def sizes(self) -> dict[str, int]:
        return {"synthetic records": len(self.synthetic), "itemsets with counts": len(self)}

    @property
    def empty(self) -> bool:
        return not len(self.synthetic)

    def facts(self) -> dict[str, Any]:
        return {"remark": self.remark}

    def tables(self) -> dict[str, pa.Table]:
        return {"patterns": to_columns(self.patterns, self.domain)}

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 3, mtime=0)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        patterns = from_columns(saved.table("patterns", columns()), saved.domain)
        return cls(saved.domain, patterns=patterns, synthetic=partial(saved_lines, saved), **facts)


_FACTS = Fields({"remark": Prose(1000)})
