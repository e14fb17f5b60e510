"""OfRecords: the capability to answer questions about whole records, whether they are synthetic or only counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from seqveil.errors import CallError
from seqveil.release.labels import refuse_no_query
from seqveil.surface import parameter

if TYPE_CHECKING:
    from seqveil.release.answers import Answer, Ranking
    from seqveil.tables.domain import Domain

Question = Literal["begins", "ends", "whole", "visits", "visits_in_order", "first", "last", "od"]

QUESTIONS: dict[Question, tuple[str, int | None]] = {
    "begins": ("begin with the labels", None),
    "ends": ("end with the labels", None),
    "whole": ("consist of exactly these labels", None),
    "visits": ("contain all of the labels, in any order", None),
    "visits_in_order": ("contain the labels in this order, with anything in between", None),
    "first": ("begin with the label", 1),
    "last": ("end with the label", 1),
    "od": ("begin with the first label and end with the second", 2),
}
"""What can be asked about whole records with labels: what such records do, and how many labels there are (None: any number)."""


def refuse_other_number(question: Question, labels: Sequence[str]) -> None:
    """Refuse what is no list of labels, or has not as many as the question takes."""
    wanted = QUESTIONS[question][1]
    refuse_no_query(labels)
    if wanted is not None and len(labels) != wanted:
        given = f"{len(labels)} were given" if len(labels) != 1 else "1 was given"
        raise CallError(f"{parameter(question)} takes {wanted} label{'s' * (wanted > 1)}; {given}.")


class OfRecords(ABC):
    """Answers questions about whole records: all of `QUESTIONS`, or those in `asked`."""

    domain: Domain

    @property
    @abstractmethod
    def whole_records(self) -> str:
        """Which records are counted, in words that follow "Counts are"."""

    @property
    @abstractmethod
    def cut(self) -> int:
        """How many items of a record were used at most, or how many lengths are told apart."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The names of the questions that this release answers; `length` is about the number of items, `hour` about time bins."""
        times = () if self.domain.calendar is None else ("hour",)
        return (*QUESTIONS, "length", *times)

    @property
    def about_pairs(self) -> str:
        """What `od` counts, in words that follow "Counts are"."""
        return self._about(QUESTIONS["od"][0])

    @abstractmethod
    def ask(self, question: Question, labels: Sequence[str]) -> Answer:
        """How many records begin with the labels, end with them, … (`QUESTIONS`)."""

    def begins(self, labels: Sequence[str]) -> Answer:
        """How many records begin with the labels."""
        return self.ask("begins", labels)

    def ends(self, labels: Sequence[str]) -> Answer:
        """How many records end with the labels."""
        return self.ask("ends", labels)

    def whole(self, labels: Sequence[str]) -> Answer:
        """How many records consist of exactly these labels, in this order."""
        return self.ask("whole", labels)

    def visits(self, labels: Sequence[str]) -> Answer:
        """How many records contain all of the labels, in any order."""
        return self.ask("visits", labels)

    def visits_in_order(self, labels: Sequence[str]) -> Answer:
        """How many records contain the labels in this order, with anything in between."""
        return self.ask("visits_in_order", labels)

    def first(self, label: str) -> Answer:
        """How many records begin with the label."""
        return self.ask("first", [label])

    def last(self, label: str) -> Answer:
        """How many records end with the label."""
        return self.ask("last", [label])

    def trip(self, first: str, last: str) -> Answer:
        """How many records begin with one label and end with another; a record of one item does both with that item."""
        return self.ask("od", [first, last])

    @abstractmethod
    def first_labels(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent first labels, best first; without k, all."""

    @abstractmethod
    def last_labels(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent last labels, best first; without k, all."""

    @abstractmethod
    def od(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent pairs of first and last label (origin and destination), best first; without k, all."""

    def length(self, n: int) -> Answer:
        """How many records have n items."""
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= self.cut:
            given = parameter("length", repr(n))
            raise CallError(f"{given}: give a whole number from 1 to {self.cut:,}; longer records were cut.")
        return self._length(n)

    @abstractmethod
    def _length(self, n: int) -> Answer: ...

    @abstractmethod
    def lengths(self) -> dict[int, Answer]:
        """How many records have so many items, for every length that the release has, shortest first."""

    @abstractmethod
    def size(self) -> Answer:
        """How many records there are; empty ones are not counted."""

    @property
    def doubt(self) -> str:
        """One sentence where noise makes up most of the release, by its own number of records; empty otherwise."""
        size = self.size()
        if size.low is None or size.high is None or size.high - size.low <= size.value:
            return ""
        return (
            f"Mostly noise: there are {round(size.value):,} records, but anything from {size.low:,} to {size.high:,} fits the "
            "noisy counts. Do not draw conclusions from single numbers of this release; more records or a larger ε are needed."
        )

    @abstractmethod
    def hours(self) -> dict[str, Answer]:
        """How many records begin in every bin of the calendar, in order; nothing where labels have no times."""

    def hour(self, text: str) -> Answer:
        """How many records begin in the time bin of a name, or of a time in it."""
        calendar = self.domain.calendar
        if calendar is None:
            raise CallError("the labels of this release have no times: publish with time bins to ask about times.")
        at = calendar.named(text)
        if at is None:
            names = f"{calendar.names[0]!r} to {calendar.names[-1]!r}"
            raise CallError(f"{parameter('hour', repr(text))} is no time bin of this release: its bins are {names}.")
        return self._hour(at)

    def _hour(self, at: int) -> Answer:
        return list(self.hours().values())[at]

    def busiest_hours(self, k: int) -> list[Ranking]:
        """The k time bins in which most records begin, in the order of time."""
        answers = self.hours()
        largest = set(sorted(answers, key=lambda name: -answers[name].value)[:k])
        return [answer.ranked([name]) for name, answer in answers.items() if name in largest]

    def total_of(self, question: Question, queries: Sequence[Sequence[str]]) -> Answer | None:
        """The sum of several answers to one question with an interval of its own; None where the release has none."""
        return None

    def _about_length(self, n: int) -> str:
        return self._about(f"have {n:,} item{'s' * (n > 1)}")

    def _about_hour(self, name: str) -> str:
        return self._about(f"begin in the time bin {name}")

    def _about(self, clause: str) -> str:
        records = self.whole_records
        return f"{records}{',' if ',' in records else ''} that {clause}"
