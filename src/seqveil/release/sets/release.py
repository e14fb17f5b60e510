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

from seqveil.errors import CallError, RunFailed
from seqveil.release.grams.answer import Answer
from seqveil.release.grams.release import near
from seqveil.release.grams.sums import total
from seqveil.release.limits import MOST_COUNT, MOST_SCALE
from seqveil.release.lines import lines_to
from seqveil.release.manifest import stated_facts
from seqveil.release.records import Records
from seqveil.release.release import Release, Saved
from seqveil.release.schema import Fields, Flag, Maybe, Number, Whole
from seqveil.release.sets.columns import COLUMNS, from_columns, to_columns
from seqveil.release.sets.frequent import WeightedSets, rules
from seqveil.release.sets.table import SetCounts
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

CONSIDERED = 1000
"""Rules are looked for among so many of the most frequent itemsets."""


@dataclass(frozen=True, slots=True)
class Size:
    """The noisy number of records and the scale of its noise."""

    noisy: int
    scale: float

    def upper(self, alpha: float) -> int:
        """What the true number exceeds with probability at most alpha: P(X <= -k) = q^k / (1 + q) <= q^k."""
        return self.noisy + math.ceil(self.scale * math.log(1 / alpha))


class SetRelease(Release):
    """Sets and how many records are each of them.

    `size` tells how many records there are in all, so that those of unpublished sets can be allowed for; without it, counts
    speak of the records of published sets only. Where every possible set is published (`complete`), nothing is missing.

    >>> from seqveil.tables.domain import Domain
    >>> sets = SetCounts.of([[0, 1], [1], [0, 2]], [900, 400, 12], scale=2.0, threshold=10)
    >>> baskets = SetRelease(Domain.of(["bread", "milk", "tea"]), sets=sets, size=Size(1350, 5.0))
    >>> baskets.count(["milk"]), baskets.count(["milk", "bread"])       # 38 records may be of other sets
    (Answer(value=1_300, ±=77), Answer(value=900, ±=87))
    >>> SetRelease(baskets.domain, sets=sets).count(["milk"])           # of the published sets alone
    Answer(value=1_300, ±=9)
    >>> len(baskets.synthesize()), baskets.published
    (1312, 1312)
    """

    content: ClassVar[str] = "sets"

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
        """Of which data the counts speak."""
        of_each = ""
        if self._manifest is not None and self._manifest.whom.name == "user":
            of_each = f", at most {self._manifest.whom.sequences:,} per user"
        if self.size is None and not self.complete:
            return f"records that contain every label and whose set is a published one{of_each}"
        return f"records that contain every label{of_each}"

    def count(self, query: Sequence[str]) -> Answer:
        """How many records contain all of these labels."""
        rows = self._index.rows(self._codes(query))
        return self._sum(rows, "count")

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """How many records contain all labels of at least one of the queries; each record counts once."""
        found = [self._index.rows(self._codes(query)) for query in queries]
        rows = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
        return self._sum(rows, "total")

    def _sum(self, rows: NDArray[np.int64], kind: Literal["count", "total"]) -> Answer:
        value = int(self.sets.noisy[rows].sum())
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

    def top(self, n: int) -> list[dict[str, Any]]:
        """The n most frequent itemsets of two labels and more (of one, where there are no others), with their answers."""
        found = self._index.frequent(max(CONSIDERED, n))
        longer = [itemset for itemset, _ in found if len(itemset) > 1] or [itemset for itemset, _ in found]
        labels = [self.domain.labels(itemset) for itemset in longer[:n]]
        told = [{"pattern": names, **self.count(names).to_json()} for names in labels]
        return sorted(told, key=lambda one: -one["value"])

    def rules(self, n: int = 10, least: int | None = None) -> list[dict[str, Any]]:
        """The n strongest association rules with one label on the right, from a support of `least` on (1 % by default)."""
        least = max(1, self.published // 100) if least is None else least
        strongest = rules(self._index.frequent(CONSIDERED, least), self.published)[:n]
        return [
            {
                "given": self.domain.labels(rule.given),
                "then": self.domain.label(rule.then),
                "support": rule.support,
                "confidence": round(rule.confidence, 4),
                "lift": round(rule.lift, 4),
            }
            for rule in strongest
        ]

    def _codes(self, query: Sequence[str]) -> list[int]:
        if isinstance(query, str) or not query:
            raise CallError(f"{query!r} is not a query: give a list with at least one label, for example ['A', 'B'].")
        codes = []
        for label in query:
            if (code := self.domain.code(label)) is None:
                raise CallError(f"{label!r} is not in the domain of this release{near(label, self.domain)}")
            codes.append(code)
        return sorted(set(codes))

    def synthesize(self, n: int | None = None, seed: int | None = None) -> Records:
        """The published sets, or n sets with the same make-up: whole copies first, the rest drawn without replacement."""
        if n is None:
            return Records(self.domain, self.synthetic)
        if n < 0:
            raise CallError(f"n = {n}: give a number of records of at least 0.")
        if n and not self.published:
            raise RunFailed("This release holds no sets to draw from: its noise left no itemset above its threshold.")
        rng = np.random.default_rng(seed)
        whole, rest = divmod(n, self.published) if n else (0, 0)
        row = np.repeat(np.arange(len(self.sets)), self.sets.copies)
        rows = np.concatenate([np.tile(row, whole), rng.permutation(row)[:rest]])
        return Records(self.domain, self.sets.flat.take(rng.permutation(rows)))

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
