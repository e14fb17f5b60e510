"""PrefixRelease: noisy counts of what records begin with, and the artificial records made from them."""

from __future__ import annotations

import gzip
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, RunFailed
from seqveil.release.grams.answer import Answer
from seqveil.release.grams.columns import COLUMNS, GAPS, from_columns, to_columns
from seqveil.release.grams.errorbars import interval
from seqveil.release.grams.lookup import Lookup
from seqveil.release.grams.ranking import largest
from seqveil.release.grams.release import near
from seqveil.release.grams.sums import total
from seqveil.release.grams.table import GramTable
from seqveil.release.limits import MOST_LENGTH
from seqveil.release.lines import lines_from, lines_to
from seqveil.release.manifest import stated_facts
from seqveil.release.records import Records
from seqveil.release.release import Release, Saved
from seqveil.release.schema import Fields, Whole
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain


class PrefixRelease(Release):
    """Prefixes with consistent counts, and the records that realise them.

    A query that begins with `^` asks how many records begin with its labels; it has an error bar where that prefix was
    released. Any other query asks how often its labels occur next to each other, which is read off the artificial records.

    >>> from seqveil.tables.domain import Domain
    >>> prefixes = GramTable.of([[0], [1], [0, 1]], count=[900.0, 60.0, 700.0], scale=20.0, threshold=50)
    >>> trips = PrefixRelease(Domain.of(["home", "work"]), prefixes=prefixes, synthetic=Flat.of([[0, 1], [0]]), h=2)
    >>> trips.count(["^", "home", "work"])
    Answer(value=700, ±=60)
    >>> trips.count(["^", "work", "work"])
    Answer(not released)
    >>> trips.count(["home"])
    Answer(value=2, estimate without error bar)
    """

    content: ClassVar[str] = "prefixes"

    def __init__(self, domain: Domain, *, prefixes: GramTable, synthetic: Flat | Callable[[], Flat], h: int) -> None:
        super().__init__(domain)
        prefixes.check(end=len(domain))
        self.prefixes = prefixes
        self.h = h
        self._synthetic = synthetic

    @property
    def synthetic(self) -> Flat:
        """The published records, as codes; read from their file when first wanted."""
        if not isinstance(self._synthetic, Flat):
            self._synthetic = self._synthetic()
        return self._synthetic

    @cached_property
    def _tree(self) -> Lookup:
        return Lookup.of(self.prefixes)

    @cached_property
    def start_mark(self) -> str:
        """How the beginning of a record is written: `^`, or more of them where the domain has a label `^` of its own."""
        mark = "^"
        while self.domain.code(mark) is not None:
            mark += "^"
        return mark

    @property
    def about(self) -> str:
        """Of which data the counts speak."""
        return f"records that begin so ({self.start_mark}) or occurrences, among the first {self.h:,} items of each record"

    def count(self, query: Sequence[str]) -> Answer:
        """`^ A B`: how many records begin with A B. `A B`: how often B follows A, as the artificial records have it."""
        codes, begins = self._codes(query)
        if not begins:
            return Answer(float(occurrences(self.synthetic, codes)), None, None, "estimate", self.about)
        row = self._tree.find(codes)
        return Answer(math.nan, None, None, "not released", self.about) if row is None else self.answers([row])[0]

    def answers(self, rows: Sequence[int]) -> list[Answer]:
        """The answers of rows of the table, all at once."""
        value, low, high = self._told(np.asarray(rows, np.int64))
        ends = zip(value.tolist(), low.tolist(), high.tolist(), strict=True)
        return [Answer(v, lo, hi, "count", self.about) for v, lo, hi in ends]

    def _told(self, at: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Value, low and high of rows."""
        known = self.prefixes
        low, high = interval(known.noisy[at], known.scale[at], known.threshold[at])
        return np.asarray(np.clip(known.count[at], low, high)), low, high

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts; with an interval where all of them are released prefixes."""
        asked = [tuple(query) for query in queries]
        if len(set(asked)) < len(asked):
            raise CallError("a query is asked twice in one total: give every query once.")
        parts = [self.count(query) for query in asked]
        value = sum(part.value for part in parts)
        if not parts or math.isnan(value):
            return Answer(math.nan, None, None, "not released", self.about)
        if any(part.kind == "estimate" for part in parts):
            return Answer(value, None, None, "estimate", self.about)
        rows = np.array([self._tree.find(self._codes(query)[0]) for query in asked], np.int64)
        known = self.prefixes
        low, high = total(known.noisy[rows], known.scale[rows], known.threshold[rows], known.lengths[rows])
        return Answer(min(max(value, low), high), low, high, "total", self.about)

    def top(self, n: int) -> list[dict[str, Any]]:
        """The n prefixes of two labels and more with the largest answers, in JSON's types; single labels where there are none."""
        longer = np.flatnonzero(self.prefixes.lengths > 1)
        rows = longer if len(longer) else np.arange(len(self.prefixes))
        known = self.prefixes
        best = largest(n, rows, known.count[rows], known.noisy[rows].astype(np.float64), lambda some: self._told(some)[0])
        answers = self.answers(best) if best else []
        labels = [[self.start_mark, *self.domain.labels(self.prefixes.gram(row))] for row in best]
        return [{"pattern": words, **answer.to_json()} for words, answer in zip(labels, answers, strict=True)]

    def _codes(self, query: Sequence[str]) -> tuple[list[int], bool]:
        """The codes of a query, and whether it asks for a beginning."""
        begins = not isinstance(query, str) and len(query) > 0 and query[0] == self.start_mark
        labels = query[1:] if begins else query
        if isinstance(labels, str) or not labels:
            raise CallError(f"{query!r} is not a query: give at least one label, for example ['{self.start_mark}', 'A', 'B'].")
        codes = []
        for label in labels:
            code = self.domain.code(label)
            if code is None:
                raise CallError(f"{label!r} is not in the domain of this release{near(label, self.domain)}")
            codes.append(code)
        return codes, begins

    def synthesize(self, n: int | None = None, seed: int | None = None) -> Records:
        """The published records, or n records with the same make-up (each as often as whole numbers allow)."""
        if n is None:
            return Records(self.domain, self.synthetic)
        if n < 0:
            raise CallError(f"n = {n}: give a number of records of at least 0.")
        published = len(self.synthetic)
        if n and not published:
            raise RunFailed("This release holds no records to draw from: no prefix stood out of the noise.")
        rng = np.random.default_rng(seed)
        whole, rest = divmod(n, published) if n else (0, 0)
        rows = np.concatenate([np.tile(np.arange(published), whole), rng.permutation(published)[:rest]])
        return Records(self.domain, self.synthetic.take(rng.permutation(rows)))

    def facts(self) -> dict[str, Any]:
        return {"h": self.h}

    def tables(self) -> dict[str, pa.Table]:
        return {"prefixes": to_columns(self.prefixes, self.domain).rename_columns(_COLUMNS)}

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 6, mtime=0)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        columns = {"prefix" if name == "gram" else name: kind for name, kind in COLUMNS.items()}
        table = saved.table("prefixes", columns, GAPS)
        return cls(
            saved.domain,
            prefixes=from_columns({**table, "gram": table["prefix"]}, saved.domain),
            synthetic=lambda: lines_from(saved.text("synthetic.txt.gz"), saved.domain),
            h=facts["h"],
        )


_FACTS = Fields({"h": Whole(1, MOST_LENGTH)})
_COLUMNS = ["prefix", "count", "variance", "noisy", "scale", "threshold"]


def occurrences(flat: Flat, pattern: Sequence[int]) -> int:
    """How often a pattern occurs as a contiguous run of items.

    >>> occurrences(Flat.of([[0, 0, 0], [0], [1, 0, 0]]), [0, 0])
    3
    """
    size = len(pattern)
    if len(flat.items) < size:
        return 0
    stop = len(flat.items) - size + 1
    found = np.ones(stop, np.bool_)
    for k, code in enumerate(pattern):
        found &= flat.items[k : k + stop] == code
    record = np.repeat(np.arange(len(flat)), flat.lengths)
    return int((found & (record[:stop] == record[size - 1 :])).sum())
