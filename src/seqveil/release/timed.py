"""Timed: what a release over a timed domain answers about places at any time, and about times. Post-processing.

Labels are `place@bin`. A question that names places alone is about all their bins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from seqveil.errors import CallError
from seqveil.release.answers import Answer
from seqveil.release.labels import codes_of, refuse_no_query, timed_label
from seqveil.release.ofrecords import QUESTIONS, Question
from seqveil.release.shaped import Shaped
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seqveil.release.answers import Ranking
    from seqveil.tables.calendar import Calendar
    from seqveil.tables.domain import Domain


class Timed(Shaped):
    """Answers about times, where the labels of the release have some."""

    def _occurrences(self, codes: NDArray[np.int64]) -> Answer | None:
        """The measured sum of how often some labels occur; None where one of them was not measured."""
        return None

    def ask(self, question: Question, labels: Sequence[str]) -> Answer:
        if not self.are_places(labels):
            return super().ask(question, labels)
        clause, wanted = QUESTIONS[question]
        if wanted is not None and len(labels) != wanted:
            return super().ask(question, labels)  # which refuses
        codes, about = codes_of(labels, self.domain.untimed), f"{self._about(clause)}, at any time"
        if not self._places_released(codes):
            return Answer.not_released(about)
        from seqveil.release.scanning import BY_QUESTION

        return Answer(float(BY_QUESTION[question](self._places, codes)), None, None, "estimate", about)

    def anytime(self, places: Sequence[str]) -> Answer:
        """How often the places follow each other, at any time; of one place, how often it is visited."""
        refuse_no_query(places)
        self._calendar()
        codes, about = codes_of(places, self.domain.untimed), f"occurrences in {self.whole_records}, at any time"
        if len(codes) == 1:
            return self._visits_at(self._at(codes[0]), about)
        if not self._places_released(codes):
            return Answer.not_released(about)
        from seqveil.release.scanning import occurrences

        return Answer(float(occurrences(self._places, codes)), None, None, "estimate", about)

    def by_time(self, place: str | None = None) -> dict[str, Answer]:
        """Visits in every bin of the calendar, in order: to all places, or to one of them."""
        calendar, bins = self._calendar(), len(self._calendar())
        about = f"occurrences in {self.whole_records}, by time"
        if place is not None:
            (code,) = codes_of([place], self.domain.untimed)
            return {name: self._visits_at(code * bins + np.array([b]), about) for b, name in enumerate(calendar.names)}
        every = np.arange(len(self.domain.untimed)) * bins
        return {name: self._visits_at(every + b, about) for b, name in enumerate(calendar.names)}

    def od_of_places(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent pairs of first and last place, at any time, best first; without k, all."""
        places, labels = self._places.items.astype(np.int64), len(self._places_domain)
        about = f"{self._about(QUESTIONS['od'][0])}, at any time"
        return self._pairs_of_places(places[self._starts] * labels + places[self._stops], about, k)

    def steps_of_places(self, k: int | None = None) -> list[Ranking]:
        """The k most frequent steps from one place to the next one, at any time, best first; without k, all."""
        about = f"occurrences in {self.whole_records}, at any time"
        return self._pairs_of_places(self._places.steps(len(self._places_domain)), about, k)

    def _pairs_of_places(self, keys: NDArray[np.int64], about: str, k: int | None) -> list[Ranking]:
        """Counted in the synthetic records: sums over hundreds of times would add up the noise of all of them."""
        pairs, counts = np.unique(keys, return_counts=True)
        best = np.argsort(-counts, kind="stable")[:k]
        ranked = []
        for pair, count in zip(pairs[best].tolist(), counts[best].tolist(), strict=True):
            places = self._places_domain.labels(divmod(pair, len(self._places_domain)))
            ranked.append(Answer(float(count), None, None, "estimate", about).ranked(places))
        return ranked

    def busiest(self, k: int) -> list[Ranking]:
        """The k bins with most visits, in the order of time; all of them where there are no more. Bins without an answer are left
        out, and nothing is listed where labels have no times."""
        answers = {} if self.domain.calendar is None else self.by_time()
        answers = {name: answer for name, answer in answers.items() if answer.kind != "not released"}
        largest = set(sorted(answers, key=lambda name: -answers[name].value)[:k])
        return [answer.ranked([name]) for name, answer in answers.items() if name in largest]

    def _visits_at(self, codes: NDArray[np.int64], about: str) -> Answer:
        if (measured := self._occurrences(codes)) is not None:
            return Answer(measured.value, measured.low, measured.high, measured.kind, about)
        if not self._released[codes].any():
            return Answer.not_released(about)
        return Answer(float(self._drawn[codes].sum()), None, None, "estimate", about)

    @cached_property
    def _drawn(self) -> NDArray[np.int64]:
        """How often every label occurs in the synthetic records."""
        return np.bincount(self.synthetic.items, minlength=len(self.domain))

    def _calendar(self) -> Calendar:
        if self.domain.calendar is None:
            raise CallError("the labels of this release have no times: publish with time bins to ask about times.")
        return self.domain.calendar

    @property
    def _places_domain(self) -> Domain:
        self._calendar()
        return self.domain.untimed

    def _at(self, place: int) -> NDArray[np.int64]:
        """The codes of a place at all bins."""
        bins = len(self._calendar())
        return place * bins + np.arange(bins)

    def _places_released(self, codes: Sequence[int]) -> bool:
        return all(self._released[self._at(code)].any() for code in codes)

    @property
    def _places(self) -> Flat:
        """The synthetic records without times."""
        return Flat(self.synthetic.items // np.int32(len(self._calendar())), self.synthetic.offsets)

    def are_places(self, labels: Sequence[str]) -> bool:
        """Whether all labels are places without a time; some with and some without are refused."""
        if self.domain.calendar is None or isinstance(labels, str):
            return False
        named = [timed_label(label, self.domain) is None and self.domain.untimed.code(label) is not None for label in labels]
        if any(named) and not all(named):
            alone = next(label for label, is_place in zip(labels, named, strict=True) if is_place)
            example = f"{alone}@{self.domain.calendar.names[0]}"
            raise CallError(f"{alone!r} has no time, but other labels have one: give it one, as in {example!r}, or all without.")
        return bool(named) and all(named)
