"""SetRelease: itemsets with noisy counts, which are at once a model and the synthetic sets."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range
from seqveil.release.answers.sums import total
from seqveil.release.answers.table import refuse_no_queries
from seqveil.release.capabilities import Drawable, Form, Ranked, Summable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_COUNT, MOST_SCALE
from seqveil.release.lines import lines_to
from seqveil.release.manifest import stated_facts
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Flag, Maybe, Number, Whole
from seqveil.release.sets.columns import COLUMNS, from_columns, to_columns
from seqveil.release.sets.frequent import WeightedSets, rules
from seqveil.release.sets.table import SetCounts
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

CONSIDERED = 1000
"""Rules and the best itemsets are searched for among so many of the most frequent itemsets."""


@dataclass(frozen=True, slots=True)
class Size:
    """The noisy number of records and the scale of its noise."""

    noisy: int
    scale: float

    def upper(self, alpha: float) -> int:
        """What the true number exceeds with probability at most alpha: P(X <= -k) = q^k / (1 + q) <= q^k."""
        return self.noisy + math.ceil(self.scale * math.log(1 / alpha))


class SetRelease(Release, Summable, Ranked, Drawable):
    """Sets and how many records are each of them.

    `size` is the noisy number of records, so that those of unpublished sets can be allowed for; without it, counts are of the
    records of published sets only. Where every possible set is published (`complete`), nothing is missing.

    >>> from seqveil.tables.domain import Domain
    >>> sets = SetCounts.of([[0, 1], [1], [0, 2]], [900, 400, 12], scale=2.0, threshold=10)
    >>> baskets = SetRelease(Domain.of(["bread", "milk", "tea"]), sets=sets, size=Size(1350, 5.0))
    >>> baskets.count(["milk"]), baskets.count(["milk", "bread"])       # 38 records may be of other sets
    (Answer(value=1_300, low=1_290, high=1_377), Answer(value=900, low=893, high=987))
    >>> SetRelease(baskets.domain, sets=sets).count(["milk"])           # of the published sets alone
    Answer(value=1_300, ±=9)
    >>> len(baskets.synthesize()), baskets.published
    (1312, 1312)
    """

    content: ClassVar[str] = "sets"
    description: ClassVar[str] = "sets of labels with noisy counts, and synthetic records made of them"
    form: ClassVar[Form] = "sets"

    def __init__(self, domain: Domain, *, sets: SetCounts, size: Size | None = None, complete: bool = False) -> None:
        super().__init__(domain)
        sets.check(len(domain))
        self.sets = sets
        self.size = size
        self.complete = complete

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def _index(self) -> WeightedSets:
        return WeightedSets(self.sets.flat, self.sets.copies, len(self.domain))

    @cached_property
    def published(self) -> int:
        """How many synthetic sets there are."""
        return int(self.sets.copies.sum())

    @property
    def synthetic(self) -> Flat:
        """The synthetic sets, as codes: every set as often as its noisy count says."""
        return self.sets.flat.take(np.repeat(np.arange(len(self.sets)), self.sets.copies))

    @property
    def about(self) -> str:
        """What is counted."""
        published = " and whose set is a published one" if self.size is None and not self.complete else ""
        return f"records that contain every label{published}{self._per_user}"

    def count(self, query: Sequence[str]) -> Answer:
        """How many records contain all of these labels."""
        return self._sum(self._index.rows(self._codes(query)), "count")

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """How many records contain all labels of at least one of the queries; each record counts once."""
        rows = [self._index.rows(self._codes(query)) for query in queries]
        refuse_no_queries(rows)
        return self._sum(np.unique(np.concatenate(rows)), "total")

    def _sum(self, rows: NDArray[np.int64], kind: Literal["count", "total"]) -> Answer:
        if not len(rows) and self.size is None and not self.complete:
            # Unknown is not zero: no published set contains the labels, and nothing is known of the others.
            return Answer.not_released(self.about)
        value = self._noisy(rows)
        if self.size is None or self.complete:
            low, high = self._interval(rows, 0.05)
        else:
            # All records less those known to be sets without the labels: that also allows for sets that were not published.
            others = np.setdiff1d(np.arange(len(self.sets)), rows, assume_unique=True)
            low, _ = self._interval(rows, 0.025)
            high = max(low, self.size.upper(0.005) - self._interval(others, 0.02)[0])
        return Answer(float(min(max(value, low), high)), low, high, kind, self.about)

    def _interval(self, rows: NDArray[np.int64], alpha: float) -> tuple[int, int]:
        """An interval for the true number of records whose set is one of these rows."""
        if not len(rows):
            return 0, 0
        sets = self.sets
        # No set's scale or threshold depends on another set's answer, so all noise in the sum is independent.
        low, high = total(sets.noisy[rows], sets.scale[rows], sets.threshold[rows], np.zeros(len(rows), np.int64), alpha)
        return max(low, 0), max(high, 0)

    def _noisy(self, rows: NDArray[np.int64]) -> int:
        return int(self.sets.noisy[rows].sum())

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k itemsets of `shortest` to `longest` labels with the largest counts, best first.

        They are searched for among the 1,000 (or k) itemsets of which there are most synthetic records. Of equal counts the
        smaller itemset comes first, then the order of the domain decides.
        """
        check_range(k, shortest, longest)
        frequent = [itemset for itemset, _ in self._index.frequent(max(CONSIDERED, k), shortest=shortest, longest=longest)]
        best = sorted(frequent, key=lambda itemset: -self._noisy(self._index.rows(list(itemset))))[:k]
        rows = [self.count(labels).ranked(labels) for labels in map(self.domain.labels, best)]
        return sorted(rows, key=lambda row: -(row["value"] or 0.0))

    def rules(self, n: int = 10, least: int | None = None) -> list[dict[str, Any]]:
        """The n strongest association rules with one label on the right, from a support of `least` on (1 % by default)."""
        least = max(1, self.published // 100) if least is None else least
        strongest = rules(self._index.frequent(CONSIDERED, least), self.published)[:n]
        return [
            {
                "given": self.domain.labels(rule.antecedent),
                "then": self.domain.label(rule.consequent),
                "support": rule.support,
                "confidence": round(rule.confidence, 4),
                "lift": round(rule.lift, 4),
            }
            for rule in strongest
        ]

    def _codes(self, query: Sequence[str]) -> list[int]:
        refuse_no_query(query)
        return sorted(set(codes_of(query, self.domain)))

    def sizes(self) -> dict[str, int]:
        return {"synthetic records": self.published, "sets with counts": len(self)}

    @property
    def empty(self) -> bool:
        return not self.published

    def facts(self) -> dict[str, Any]:
        size = None if self.size is None else [self.size.noisy, self.size.scale]
        return {"size": size, "complete": self.complete}

    def tables(self) -> dict[str, pa.Table]:
        return {"sets": to_columns(self.sets, self.domain)}

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 3, mtime=0)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        size = None if facts["size"] is None else Size(facts["size"][0], float(facts["size"][1]))
        sets = from_columns(saved.table("sets", COLUMNS), saved.domain)
        return cls(saved.domain, sets=sets, size=size, complete=facts["complete"])


class _SizeField:
    """The noisy number of records and the scale of its noise, in a list of two."""

    def problems(self, value: Any, where: str) -> list[str]:
        if type(value) is not list or len(value) != 2:
            return [f"has no list of two numbers at {where!r}"]
        return Whole(-MOST_COUNT, MOST_COUNT).problems(value[0], where) + Number(0, MOST_SCALE).problems(value[1], where)


_FACTS = Fields({"size": Maybe(_SizeField()), "complete": Flag()})
