"""Shaped: the capability to answer questions about whole records, which all releases with synthetic sequences have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seqveil.release.answers import Answer
from seqveil.release.capabilities import Synthetic
from seqveil.release.labels import codes_of
from seqveil.release.ofrecords import QUESTIONS, OfRecords, Question, refuse_other_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seqveil.release.answers import Ranking


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Rows of a release about the ends of records: their labels as one number (of a pair: first · |I| + last), and what is shown.

    `answers` makes the answers of some of the rows.
    """

    keys: NDArray[np.int64]
    values: NDArray[np.float64]
    answers: Callable[[list[int]], list[Answer]]


class Shaped(Synthetic, OfRecords):
    """Answers questions about whole records with the help of synthetic ones.

    What the release has measured (`_measured`, `_listed`) is answered with an interval. Everything else is counted in the
    synthetic records and is an estimate. About a label that occurs nowhere in the release nothing is released.
    """

    def _measured(self, question: Question, codes: Sequence[int]) -> Answer | None:
        """The answer of a row that the release holds; None where it holds none."""
        return None

    def _listed(self, question: Question) -> Listed:
        """The rows that the release holds about first labels, last labels, or pairs of both."""
        return Listed(np.zeros(0, np.int64), np.zeros(0), lambda rows: [])

    @cached_property
    def _released(self) -> NDArray[np.bool_]:
        """For every label whether it occurs in the release; about all others nothing is known."""
        return self._occurring()

    def _occurring(self) -> NDArray[np.bool_]:
        return np.bincount(self.synthetic.items, minlength=len(self.domain)) > 0

    def ask(self, question: Question, labels: Sequence[str]) -> Answer:
        """How many records begin with the labels, end with them, … (`QUESTIONS`)."""
        refuse_other_number(question, labels)
        return self._answer(question, codes_of(labels, self.domain), self._about(QUESTIONS[question][0]))

    def first_labels(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent first labels, best first; without k, all."""
        return self._ranked("first", self.synthetic.items[self._starts], k)

    def last_labels(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent last labels, best first; without k, all."""
        return self._ranked("last", self.synthetic.items[self._stops], k)

    def od(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent pairs of first and last label (origin and destination), best first; without k, all."""
        items = self.synthetic.items
        return self._ranked("od", items[self._starts].astype(np.int64) * len(self.domain) + items[self._stops], k)

    def lengths(self) -> dict[int, Answer]:
        """How many records have so many items, for every length that the release has, shortest first."""
        lengths, counts = np.unique(self.synthetic.lengths[self.synthetic.lengths > 0], return_counts=True)
        pairs = zip(lengths.tolist(), counts.tolist(), strict=True)
        return {n: Answer(float(count), None, None, "estimate", self._about_length(n)) for n, count in pairs}

    def size(self) -> Answer:
        """How many records there are; empty ones are not counted."""
        return Answer(float(len(self._starts)), None, None, "estimate", self.whole_records)

    def hours(self) -> dict[str, Answer]:
        """How many synthetic records begin in every bin of the calendar, in order; nothing where labels have no times."""
        calendar = self.domain.calendar
        if calendar is None:
            return {}
        firsts = self.synthetic.items[self._starts] % len(calendar)
        counts = np.bincount(firsts, minlength=len(calendar)).tolist()
        pairs = zip(calendar.names, counts, strict=True)
        return {name: Answer(float(n), None, None, "estimate", self._about_hour(name)) for name, n in pairs}

    def _length(self, n: int) -> Answer:
        return Answer(float((self.synthetic.lengths == n).sum()), None, None, "estimate", self._about_length(n))

    def _answer(self, question: Question, codes: Sequence[int], about: str) -> Answer:
        from seqveil.release.scanning import BY_QUESTION  # compiled: only those who ask pay for loading it

        if (measured := self._measured(question, codes)) is not None:
            return replace(measured, about=about)
        if not self._released[list(codes)].all():
            return Answer.not_released(about)
        return Answer(float(BY_QUESTION[question](self.synthetic, codes)), None, None, "estimate", about)

    def _ranked(self, question: Question, keys: NDArray[np.integer], k: int | None) -> list[Ranking]:
        """Rows of the release and everything that its records show besides, in the order of the numbers that are shown."""
        about, listed = self._about(QUESTIONS[question][0]), self._listed(question)
        seen, counts = _tally(keys, len(self.domain) ** (2 if question == "od" else 1))
        fresh = ~np.isin(seen, listed.keys)
        every = np.concatenate([listed.keys, seen[fresh]]).astype(np.int64)
        values = np.concatenate([listed.values, counts[fresh].astype(np.float64)])
        best = np.lexsort((every, -values))[:k]
        best = best[values[best] > 0]
        answers = dict(zip(rows := best[best < len(listed.keys)].tolist(), listed.answers(rows), strict=True))
        codes = np.stack(np.divmod(every[best], len(self.domain)) if question == "od" else [every[best]], axis=1)
        labels = self.domain.labels(codes.ravel())
        ranked = []
        for place, (row, value) in enumerate(zip(best.tolist(), values[best].tolist(), strict=True)):
            answer = answers.get(row) or Answer(value, None, None, "estimate")
            own = labels[place * codes.shape[1] : (place + 1) * codes.shape[1]]
            ranked.append(replace(answer, about=about).ranked(own))
        return ranked

    @property
    def _starts(self) -> NDArray[np.int64]:
        """Where the records that are not empty begin."""
        return self.synthetic.offsets[:-1][self.synthetic.lengths > 0]

    @property
    def _stops(self) -> NDArray[np.int64]:
        """Their last items."""
        return self.synthetic.offsets[1:][self.synthetic.lengths > 0] - 1


def _tally(keys: NDArray[np.integer], many: int) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """The different keys below `many`, rising, and how often each occurs."""
    if many > max(4 * len(keys), 1 << 20):
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    seen = np.flatnonzero(counts)
    return seen, counts[seen]
