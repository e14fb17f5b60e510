"""PatternRelease: mined patterns with noisy counts and error bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np

from seqveil.errors import CallError
from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range, of_length
from seqveil.release.answers.table import Counts, refuse_no_queries
from seqveil.release.capabilities import Ranked, Summable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_COUNT
from seqveil.release.manifest import stated_facts
from seqveil.release.patterns.columns import columns, from_columns, to_columns
from seqveil.release.patterns.table import PatternTable
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Choice, Fields, Maybe, Prose, Whole

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

Kind = Literal["substring", "prefix", "subsequence", "itemset"]
KINDS: tuple[str, ...] = get_args(Kind)
"""What a pattern is: labels next to each other, labels a record begins with, labels in order with gaps, a set of labels."""


class PatternRelease(Release, Summable, Ranked):
    """Patterns of one kind with their noisy counts; a pattern that is not listed was not released.

    `about` says in words what a count counts ("records that …", "occurrences in …"). `size` is the noisy number of records,
    if it was asked: with it, `support` is a share.

    >>> from seqveil.tables.domain import Domain
    >>> patterns = PatternTable.of([[0, 1], [1]], noisy=[900, 60], scale=20.0, threshold=50)
    >>> about = "records that contain the pattern"
    >>> mined = PatternRelease(Domain.of(["home", "work"]), patterns=patterns, kind="substring", about=about, size=3000)
    >>> mined.count(["home", "work"]), round(mined.support(["home", "work"]), 2)
    (Answer(value=900, ±=60), 0.3)
    >>> mined.count(["work"])                            # just above its threshold: the true count may be 0
    Answer(value=60, low=0, high=114)
    >>> mined.count(["home"])
    Answer(not released)
    """

    content: ClassVar[str] = "patterns"
    description: ClassVar[str] = "frequent patterns with noisy counts"

    def __init__(self, domain: Domain, *, patterns: PatternTable, kind: Kind, about: str, size: int | None = None) -> None:
        super().__init__(domain)
        if kind not in KINDS:
            raise CallError(f"kind = {kind!r}: give one of {', '.join(KINDS)}.")
        patterns.check(len(domain))
        self.patterns = patterns
        self.kind = kind
        self._about = about
        self.size = size

    def __len__(self) -> int:
        return len(self.patterns)

    @cached_property
    def _rows(self) -> dict[tuple[int, ...], int]:
        return {self._key(self.patterns.pattern(k)): k for k in range(len(self.patterns))}

    @cached_property
    def _counts(self) -> Counts:
        table = self.patterns
        # Counts of substrings may share noise with those that they end, and itemsets of one basis share its bins: in a sum each
        # has a share of the 5 % of its own.
        shared = self.kind in ("substring", "itemset")
        sharing = np.arange(len(table), dtype=np.int64) if shared else table.lengths
        return Counts(table.count, table.noisy, table.scale, table.threshold, np.isfinite(table.scale), sharing, table.gaussian)

    def _key(self, codes: Iterable[int]) -> tuple[int, ...]:
        """What makes two patterns the same: for sets the order does not count."""
        return tuple(sorted(codes)) if self.kind == "itemset" else tuple(codes)

    @property
    def about(self) -> str:
        """What is counted."""
        return self._about

    def count(self, query: Sequence[str]) -> Answer:
        """The count of a released pattern; an answer of kind "not released" says that it was not."""
        row = self._find(query)
        return Answer.not_released(self.about) if row is None else self.answers([row])[0]

    def support(self, query: Sequence[str]) -> float:
        """The count of a pattern as a share of the noisy number of records; NaN where either is not released."""
        return self.count(query).value / self.size if self.size is not None and self.size > 0 else math.nan

    def answers(self, rows: Iterable[int]) -> list[Answer]:
        """The answers of rows of the table, all at once."""
        return self._counts.answers(rows, self.about)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise."""
        rows = [self._find(query) for query in queries]
        released = [row for row in rows if row is not None]
        refuse_no_queries(rows)
        if len(released) < len(rows):
            return Answer.not_released(self.about)
        if len(set(released)) < len(released):
            raise CallError("a pattern is in this total more than once: give every query once.")
        return self._counts.total(released, self.about)

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k patterns with the largest answers; of equal answers the one with the better rank comes first."""
        check_range(k, shortest, longest)
        best = self._counts.ranked(of_length(self.patterns.lengths, shortest, longest), k)
        return [answer.ranked(self.labels(row)) for row, answer in zip(best, self.answers(best), strict=True)]

    def labels(self, row: int) -> list[str]:
        """The labels of a row's pattern."""
        return self.domain.labels(self.patterns.pattern(row))

    def _find(self, query: Sequence[str]) -> int | None:
        refuse_no_query(query)
        return self._rows.get(self._key(codes_of(query, self.domain)))

    def sizes(self) -> dict[str, int]:
        return {"patterns with counts": len(self)}

    def facts(self) -> dict[str, Any]:
        return {"kind": self.kind, "about": self.about, "size": self.size}

    def tables(self) -> dict[str, pa.Table]:
        return {"patterns": to_columns(self.patterns, self.domain)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        return cls(
            saved.domain,
            patterns=from_columns(saved.table("patterns", columns(saved.manifest.zcdp is not None)), saved.domain),
            **facts,
        )


_FACTS = Fields({"kind": Choice(KINDS), "about": Prose(1000), "size": Maybe(Whole(0, MOST_COUNT))})
