"""PatternRelease: mined patterns with noisy counts and error bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.release.grams.answer import Answer
from seqveil.release.grams.errorbars import interval
from seqveil.release.grams.ranking import largest
from seqveil.release.grams.release import near
from seqveil.release.grams.sums import total
from seqveil.release.limits import MOST_COUNT
from seqveil.release.manifest import stated_facts
from seqveil.release.patterns.columns import COLUMNS, from_columns, to_columns
from seqveil.release.patterns.table import PatternTable
from seqveil.release.release import Release, Saved
from seqveil.release.schema import Choice, Fields, Maybe, Prose, Whole

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain

Kind = Literal["substring", "prefix", "subsequence", "itemset"]
KINDS: tuple[str, ...] = get_args(Kind)
"""What a pattern is: labels next to each other, labels a record begins with, labels in order with gaps, a set of labels."""


class PatternRelease(Release):
    """Patterns of one kind with what is known of their counts; a pattern that is not listed was not released.

    `about` says in words what a count counts ("records that …", "occurrences in …"). `size` is the noisy number of records,
    if it was asked: with it, `support` is a share.

    >>> from seqveil.tables.domain import Domain
    >>> patterns = PatternTable.of([[0, 1], [1]], noisy=[900, 60], scale=20.0, threshold=50)
    >>> about = "records that contain the pattern"
    >>> mined = PatternRelease(Domain.of(["home", "work"]), patterns=patterns, kind="substring", about=about, size=3000)
    >>> mined.count(["home", "work"]), round(mined.support(["home", "work"]), 2)
    (Answer(value=900, ±=60), 0.3)
    >>> mined.count(["work"])                            # just above its threshold: it may as well be 0
    Answer(value=60, low=0, high=114)
    >>> mined.count(["home"])
    Answer(not released)
    """

    content: ClassVar[str] = "patterns"

    def __init__(self, domain: Domain, *, patterns: PatternTable, kind: Kind, about: str, size: int | None = None) -> None:
        super().__init__(domain)
        if kind not in KINDS:
            raise CallError(f"kind = {kind!r}: a pattern is one of {', '.join(KINDS)}.")
        patterns.check(len(domain))
        self.patterns = patterns
        self.kind = kind
        self.about = about
        self.size = size

    def __len__(self) -> int:
        return len(self.patterns)

    @cached_property
    def _row(self) -> dict[tuple[int, ...], int]:
        return {self._key(self.patterns.pattern(k)): k for k in range(len(self.patterns))}

    def _key(self, codes: Iterable[int]) -> tuple[int, ...]:
        """What makes two patterns the same: for sets the order does not count."""
        return tuple(sorted(codes)) if self.kind == "itemset" else tuple(codes)

    def count(self, query: Sequence[str]) -> Answer:
        """The count of a released pattern; an answer of kind "not released" says that it was not."""
        row = self._find(query)
        if row is None:
            return Answer(math.nan, None, None, "not released", self.about)
        return self.answers([row])[0]

    def support(self, query: Sequence[str]) -> float:
        """The count of a pattern as a share of the noisy number of records; NaN where either is not released."""
        return self.count(query).value / self.size if self.size is not None and self.size > 0 else math.nan

    def answers(self, rows: Sequence[int]) -> list[Answer]:
        """The answers of rows of the table, all at once."""
        at = np.asarray(rows, np.int64)
        value, low, high = self._told(at)
        ends = zip(value.tolist(), low.tolist(), high.tolist(), np.isinf(self.patterns.scale[at]).tolist(), strict=True)
        return [
            Answer(v, None, None, "estimate", self.about) if guess else Answer(v, lo, hi, "count", self.about)
            for v, lo, hi, guess in ends
        ]

    def _told(self, at: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Value, low and high of rows; the ends mean nothing where a count follows from others."""
        known = self.patterns
        guessed = np.isinf(known.scale[at])
        low, high = interval(known.noisy[at], np.where(guessed, 0.0, known.scale[at]), known.threshold[at])
        return np.where(guessed, known.count[at], np.clip(known.count[at], low, high)), low, high

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise."""
        rows = [self._find(query) for query in queries]
        if not rows or None in rows:
            return Answer(math.nan, None, None, "not released", self.about)
        at, known = np.array(rows, np.int64), self.patterns
        if len(np.unique(at)) < len(at):
            raise CallError("a pattern is asked twice in one total: give every query once.")
        value = sum(answer.value for answer in self.answers(at.tolist()))
        if np.isinf(known.scale[at]).any():
            return Answer(value, None, None, "estimate", self.about)
        low, high = total(known.noisy[at], known.scale[at], known.threshold[at], known.lengths[at])
        return Answer(min(max(value, low), high), low, high, "total", self.about)

    def top(self, n: int) -> list[dict[str, Any]]:
        """The n patterns with the largest answers, in JSON's types; the better rank first where they are equal."""
        known = self.patterns
        answer = np.where(np.isinf(known.scale), known.count, known.noisy)
        rows = largest(n, np.arange(len(self)), known.count, answer, lambda some: self._told(some)[0])
        answers = self.answers(rows) if rows else []
        return [{"pattern": self.labels(row), **answer.to_json()} for row, answer in zip(rows, answers, strict=True)]

    def labels(self, row: int) -> list[str]:
        """The labels of a row's pattern."""
        return self.domain.labels(self.patterns.pattern(row))

    def _find(self, query: Sequence[str]) -> int | None:
        if isinstance(query, str) or not query:
            raise CallError(f"{query!r} is not a query: give a list with at least one label, for example ['A', 'B'].")
        codes = []
        for label in query:
            code = self.domain.code(label)
            if code is None:
                raise CallError(f"{label!r} is not in the domain of this release{near(label, self.domain)}")
            codes.append(code)
        return self._row.get(self._key(codes))

    def facts(self) -> dict[str, Any]:
        return {"kind": self.kind, "about": self.about, "size": self.size}

    def tables(self) -> dict[str, pa.Table]:
        return {"patterns": to_columns(self.patterns, self.domain)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        return cls(saved.domain, patterns=from_columns(saved.table("patterns", COLUMNS), saved.domain), **facts)


_FACTS = Fields({"kind": Choice(KINDS), "about": Prose(1000), "size": Maybe(Whole(0, MOST_COUNT))})
