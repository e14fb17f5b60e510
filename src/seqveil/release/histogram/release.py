"""HistogramRelease: tables of which every cell has a noisy count and its error bar, zeros included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from seqveil.errors import CallError
from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.table import refuse_no_queries
from seqveil.release.answers.totals import refuse_repeated
from seqveil.release.capabilities import Summable
from seqveil.release.histogram.axes import TABLES, Table, shape_of
from seqveil.release.histogram.cells import Cells
from seqveil.release.histogram.columns import from_columns, kinds_of, to_columns
from seqveil.release.labels import codes_of, refuse_no_query, timed_label
from seqveil.release.limits import MOST_LENGTH, MOST_SCALE
from seqveil.release.manifest import stated_facts
from seqveil.release.ofrecords import QUESTIONS, OfRecords, Question, refuse_other_number
from seqveil.release.release import Release
from seqveil.release.saved import Saved
from seqveil.release.schema import Choice, Fields, Number, Whole
from seqveil.release.schema import Table as TableField
from seqveil.surface import parameter

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain


End = Literal["first", "last", "od"]

_ENDS: dict[Question, End] = {"begins": "first", "ends": "last", "first": "first", "last": "last", "od": "od"}
"""Which ends of records a question is about, if it names one label at each."""


class Part(NamedTuple):
    """Cells whose sum answers a question: those of a table at an index of its array."""

    cells: Cells
    at: Any

    @property
    def reach(self) -> int:
        """How far the noise of their sum goes; a public number."""
        return self.cells.reach_together(int(self.cells.noisy[self.at].size))


class HistogramRelease(Release, Summable, OfRecords):
    """Tables of records by first label, last label, both, length or time bin, and of occurrences of labels (`histogram.axes`).

    A question that has a table of its own is answered from it; one that is a sum of cells of another table, from that sum; of
    several ways the one with the least noise is taken. What no table holds is refused: there are no synthetic records to guess
    it from.

    >>> from seqveil.tables.domain import Domain
    >>> od = Cells(np.array([[12, 700], [680, -9]]), scale=5.0)
    >>> trips = HistogramRelease(Domain.of(["home", "work"]), cells={"od": od}, l_max=20)
    >>> trips.trip("home", "work"), trips.trip("work", "work"), trips.first("home")
    (Answer(value=700, ±=15), Answer(value=0, low=0, high=15), Answer(value=712, ±=21))
    >>> trips.size(), trips.od(2)[1]["pattern"]
    (Answer(value=1_383, ±=28), ['work', 'home'])
    >>> trips.count(["home"])
    Traceback (most recent call last):
    seqveil.errors.CallError: this release has no table of labels, only od: ask about one of these, or publish with of=label.
    """

    content: ClassVar[str] = "histogram"
    description: ClassVar[str] = "tables with a noisy count for every cell"

    def __init__(self, domain: Domain, *, cells: dict[Table, Cells], l_max: int) -> None:
        super().__init__(domain)
        for table, one in cells.items():
            if table not in TABLES or one.noisy.shape != shape_of(table, domain, l_max):
                raise CallError(f"not a table of {table}: it has not one cell for everything in the domain.")
        if not cells:
            raise CallError(f"a histogram has at least one table of {', '.join(TABLES)}.")
        if len({one.gaussian for one in cells.values()}) > 1:
            raise CallError("not one histogram: some tables have discrete Laplace noise, and some have discrete Gaussian noise.")
        self.cells, self.l_max = cells, l_max

    @property
    def cut(self) -> int:
        return self.l_max

    @property
    def whole_records(self) -> str:
        return f"records{self._per_user}"

    @property
    def about(self) -> str:
        """What a count of a label counts."""
        return f"occurrences in {self._cut_to(self.l_max)}{self._per_user}"

    @property
    def asked(self) -> tuple[str, ...]:
        questions = [end for end in ("first", "last", "od") if end in self.cells or "od" in self.cells]
        questions += ["length"] if "length" in self.cells else []
        return (*questions, *(["hour"] if self._hour_part(0) is not None else []))

    def count(self, query: Sequence[str]) -> Answer:
        """How often a label occurs; over a timed domain, a place without a time is counted at any time."""
        refuse_no_query(query)
        if "label" not in self.cells:
            raise self._lacks("labels", "label")
        if len(query) > 1:
            raise CallError(f"{' '.join(query)!r}: a histogram counts single labels, not {len(query)} in a row: give one.")
        return self.cells["label"].total(self._labels(query[0]), self.about)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of the counts of several labels, with an interval for the sum of their noise."""
        asked = [tuple(query) for query in queries]
        refuse_no_queries(asked)
        refuse_repeated(asked)
        for query in asked:
            self.count(query)  # which refuses what has no count
        chosen = np.concatenate([self._labels(query[0]) for query in asked])
        if len(np.unique(chosen)) < len(chosen):
            raise CallError("a label is in this total more than once, by itself and in its place: give every cell once.")
        return self.cells["label"].total(chosen, self.about)

    def ask(self, question: Question, labels: Sequence[str]) -> Answer:
        part = self._part(question, labels)
        return part.cells.total(part.at, self._about(QUESTIONS[question][0]))

    def total_of(self, question: Question, queries: Sequence[Sequence[str]]) -> Answer | None:
        """The sum of the answers to one question about different labels; all from one table."""
        asked = [tuple(labels) for labels in queries]
        refuse_no_queries(asked)
        refuse_repeated(asked)
        parts = [self._part(question, labels) for labels in asked]
        chosen = np.zeros(parts[0].cells.noisy.shape, np.int64)
        for part in parts:
            if part.cells is not parts[0].cells:
                return None
            chosen[part.at] += 1
        if chosen.max() > 1:
            raise CallError("a cell is in this total more than once: give labels that do not overlap.")
        return parts[0].cells.total(chosen > 0, self._about(QUESTIONS[question][0]))

    def _part(self, question: Question, labels: Sequence[str]) -> Part:
        """The cells that answer a question, from the table with the least noise."""
        refuse_other_number(question, labels)
        end = _ENDS.get(question) if len(labels) <= 1 or question == "od" else None
        if end is None:
            questions = ", ".join(parameter(name) for name in self.asked) or "for counts of labels"
            raise CallError(f"{parameter(question)} cannot be answered by tables of {self._names}: ask {questions}.")
        parts = self._of_pair(labels) if end == "od" else self._of_end(end, labels[0])
        if not parts:
            raise self._lacks({"first": "first labels", "last": "last labels", "od": "pairs"}[end], end)
        return min(parts, key=lambda part: part.reach)

    def _of_pair(self, labels: Sequence[str]) -> list[Part]:
        places = self._places(labels)
        return [Part(self.cells["od"], tuple(places))] if "od" in self.cells else []

    def _of_end(self, end: End, label: str) -> list[Part]:
        parts = [Part(self.cells[end], self._labels(label))] if end in self.cells else []
        if "od" in self.cells and (parts == [] or self._is_place(label)):
            (place,) = self._places([label])
            parts.append(Part(self.cells["od"], np.s_[place, :] if end == "first" else np.s_[:, place]))
        return parts

    def _is_place(self, label: str) -> bool:
        return timed_label(label, self.domain) is None

    def _places(self, labels: Sequence[str]) -> list[int]:
        timed = [label for label in labels if not self._is_place(label)]
        if timed and self.domain.calendar is not None:
            raise CallError(f"{timed[0]!r}: pairs were counted at any time: give places without a time.")
        return codes_of(labels, self.domain.untimed)

    def _labels(self, label: str) -> Any:
        """The cells of a label; of a place without a time, all its time bins."""
        calendar = self.domain.calendar
        if calendar is None or not self._is_place(label):
            return np.array(codes_of([label], self.domain))
        (place,) = codes_of([label], self.domain.untimed)
        return place * len(calendar) + np.arange(len(calendar))

    def _lacks(self, what: str, table: str) -> CallError:
        return CallError(
            f"this release has no table of {what}, only {self._names}: ask about one of these, or publish with "
            f"{parameter('of', table)}."
        )

    @property
    def _names(self) -> str:
        return ", ".join(self.cells)

    def first_labels(self, k: int | None = None) -> list[Ranking]:
        return self._ranked("first", k)

    def last_labels(self, k: int | None = None) -> list[Ranking]:
        return self._ranked("last", k)

    def od(self, k: int | None = None) -> list[Ranking]:
        return self._ranked("od", k)

    def _ranked(self, table: End, k: int | None) -> list[Ranking]:
        """The largest cells of a table, those that show 0 included; nothing where the release lacks the table."""
        if table not in self.cells:
            return []
        cells = self.cells[table]
        best = cells.largest(k)
        axes = np.stack(np.unravel_index(best, cells.noisy.shape), axis=1)
        labels = (self.domain.untimed if table == "od" else self.domain).labels(axes.ravel())
        wide = axes.shape[1]
        answers = cells.answers(best, self._about(QUESTIONS[table][0]))
        return [answer.ranked(labels[at * wide : (at + 1) * wide]) for at, answer in enumerate(answers)]

    def _length(self, n: int) -> Answer:
        if "length" not in self.cells:
            raise self._lacks("lengths", "length")
        return self.cells["length"].total(np.array([n - 1]), self._about_length(n))

    def _about_length(self, n: int) -> str:
        return self._about(f"have {n:,} items or more") if n == self.l_max else super()._about_length(n)

    def lengths(self) -> dict[int, Answer]:
        return {n: self._length(n) for n in range(1, self.l_max + 1)} if "length" in self.cells else {}

    def hours(self) -> dict[str, Answer]:
        calendar = self.domain.calendar
        if calendar is None or self._hour_part(0) is None:
            return {}
        return {name: self._hour(at) for at, name in enumerate(calendar.names)}

    def _hour(self, at: int) -> Answer:
        part = self._hour_part(at)
        assert self.domain.calendar is not None
        if part is None:
            raise self._lacks("time bins", "hour")
        return part.cells.total(part.at, self._about_hour(self.domain.calendar.names[at]))

    def _hour_part(self, at: int) -> Part | None:
        """The cells of one time bin: its own, or those of all places at that time."""
        calendar = self.domain.calendar
        if calendar is None:
            return None
        parts = [Part(self.cells["hour"], np.array([at]))] if "hour" in self.cells else []
        if "first" in self.cells:
            parts.append(Part(self.cells["first"], np.s_[at :: len(calendar)]))
        return min(parts, key=lambda part: part.reach, default=None)

    def size(self) -> Answer:
        """How many records there are, as the table with the least noise adds up to; empty ones are in none."""
        parts = [Part(cells, np.s_[...]) for table, cells in self.cells.items() if table != "label"]
        if not parts:
            return Answer.not_released(self.whole_records)
        part = min(parts, key=lambda part: part.reach)
        return part.cells.total(part.at, self.whole_records)

    def sizes(self) -> dict[str, int]:
        return {f"cells of {table}": one.size for table, one in self.cells.items()}

    def facts(self) -> dict[str, Any]:
        widths = SIGMAS if any(one.gaussian for one in self.cells.values()) else SCALES
        return {"l_max": self.l_max, widths: {table: one.scale for table, one in self.cells.items()}}

    def tables(self) -> dict[str, pa.Table]:
        return {table: to_columns(table, one, self.domain) for table, one in self.cells.items()}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        widths, domain = SIGMAS if SIGMAS in saved.manifest.facts else SCALES, saved.domain
        facts = stated_facts(saved.manifest, _facts(widths))
        l_max, scales = facts["l_max"], facts[widths]
        cells = {
            table: replace(
                from_columns(table, saved.table(table, kinds_of(table)), float(scales[table]), domain, l_max),
                gaussian=widths == SIGMAS,
            )
            for table in TABLES
            if table in scales
        }
        return cls(domain, cells={table: cells[table] for table in scales}, l_max=l_max)


SCALES, SIGMAS = "scales", "sigmas"
"""What a manifest calls how wide the noise of its tables is: scales of discrete Laplace noise, σ of discrete Gaussian noise."""


def _facts(widths: str) -> Fields:
    """What the values of a manifest may be."""
    return Fields({"l_max": Whole(1, MOST_LENGTH), widths: TableField(Choice(TABLES), Number(0, MOST_SCALE), len(TABLES))})
