"""PrefixRelease: noisy counts of what records begin with, and the synthetic records made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from seqveil.release.answers import Answer
from seqveil.release.grams.columns import GAPS, columns, from_columns, to_columns
from seqveil.release.grams.counted import CountedTree
from seqveil.release.grams.table import GramTable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_LENGTH
from seqveil.release.lines import saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.ofrecords import Question
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Whole
from seqveil.release.shaped import Listed
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain


class PrefixRelease(CountedTree):
    """Prefixes with consistent counts, and the synthetic records that realise them.

    A query that begins with `^` asks how many records begin with its labels; it has an error bar where that prefix was
    released. Any other query asks how often its labels occur next to each other, which is estimated from the synthetic records.

    >>> from seqveil.tables.domain import Domain
    >>> prefixes = GramTable.of([[0], [1], [0, 1]], count=[900.0, 60.0, 700.0], scale=20.0, threshold=50)
    >>> trips = PrefixRelease(Domain.of(["home", "work"]), prefixes=prefixes, synthetic=Flat.of([[0, 1], [0]]), h=2)
    >>> trips.count(["^", "home", "work"])
    Answer(value=700, ±=60)
    >>> trips.count(["^", "work", "work"])               # not more than begin with "work"
    Answer(not released, at most about 114)
    >>> trips.count(["home"])
    Answer(value=2, estimate without error bar)
    """

    content: ClassVar[str] = "prefixes"
    description: ClassVar[str] = "noisy counts of what records begin with and synthetic records"
    root: ClassVar[str] = "all records"  # a record has one prefix of every length

    def __init__(self, domain: Domain, *, prefixes: GramTable, synthetic: Flat | Callable[[], Flat], h: int) -> None:
        super().__init__(domain, prefixes, synthetic)
        self.h = h

    @property
    def cut(self) -> int:
        return self.h

    @property
    def prefixes(self) -> GramTable:
        """The prefixes and their counts."""
        return self.tree

    @cached_property
    def start_mark(self) -> str:
        """How the beginning of a record is written: `^`, or more of them where the domain has a label `^` of its own."""
        mark = "^"
        while self.domain.code(mark) is not None:
            mark += "^"
        return mark

    @property
    def about(self) -> str:
        """What is counted."""
        begins = f"records that begin with the labels (after {self.start_mark})"
        return f"{begins} or occurrences, among the first {self.h:,} items of each record{self._per_user}"

    def count(self, query: Sequence[str]) -> Answer:
        """`^ A B`: how many records begin with A B. `A B`: how often B follows A in the synthetic records."""
        codes, begins = self._codes(query)
        if begins:
            return self._begins(codes)
        if not self._released[codes].all():
            return Answer.not_released(self.about)
        from seqveil.release.scanning import occurrences

        return Answer(float(occurrences(self.synthetic, codes)), None, None, "estimate", self.about)

    def _measured(self, question: Question, codes: Sequence[int]) -> Answer | None:
        return self._begins(codes) if question in ("begins", "first") else None

    def _listed(self, question: Question) -> Listed:
        if question != "first":
            return super()._listed(question)
        level = np.array(self.children(-1), np.int64)
        keys = self.prefixes.last[level].astype(np.int64)
        return Listed(keys, self._counts.shown(level)[0], lambda rows: self.answers(level[rows]))

    def _begins(self, codes: Sequence[int]) -> Answer:
        row = self._lookup.find(codes)
        return Answer.not_released(self.about, self._most_of(codes[:-1])) if row is None else self.answers([row])[0]

    def _most_of(self, codes: Sequence[int]) -> int | None:
        """A bound on the records that begin with these labels or more: the upper end of the longest prefix that was released."""
        for size in range(len(codes), 0, -1):
            if (row := self._lookup.find(codes[:size])) is not None:
                return self.answers([row])[0].high
        return None

    def _row(self, query: Sequence[str]) -> int | None:
        codes, begins = self._codes(query)
        return self._lookup.find(codes) if begins else None

    def labels(self, row: int) -> list[str]:
        return [self.start_mark, *super().labels(row)]

    def _codes(self, query: Sequence[str]) -> tuple[list[int], bool]:
        """The codes of a query, and whether it asks for a beginning."""
        example = f"['{self.start_mark}', 'A', 'B']"
        refuse_no_query(query, example)
        begins = query[0] == self.start_mark
        labels = query[1:] if begins else query
        refuse_no_query(labels, example)
        return codes_of(labels, self.domain), begins

    def sizes(self) -> dict[str, int]:
        return {**super().sizes(), "prefixes with counts": len(self.prefixes)}

    def facts(self) -> dict[str, Any]:
        return {"h": self.h}

    def tables(self) -> dict[str, pa.Table]:
        return {"prefixes": to_columns(self.prefixes, self.domain).rename_columns(_COLUMNS)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        wanted = {"prefix" if name == "gram" else name: kind for name, kind in columns().items()}
        table = saved.table("prefixes", wanted, GAPS)
        prefixes = from_columns({**table, "gram": table["prefix"]}, saved.domain)
        return cls(saved.domain, prefixes=prefixes, synthetic=partial(saved_lines, saved), **facts)


_FACTS = Fields({"h": Whole(1, MOST_LENGTH)})
_COLUMNS = ["prefix", "count", "variance", "noisy", "scale", "threshold"]
