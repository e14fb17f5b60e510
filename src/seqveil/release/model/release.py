"""RecordRelease: a model of whole records. It answers n-grams, first and last labels, trips and lengths, and holds records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from seqveil.errors import CallError
from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range, of_length
from seqveil.release.answers.totals import total_of
from seqveil.release.capabilities import Ranked, Summable, Supporting
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_LENGTH
from seqveil.release.lines import saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.model.columns import (
    GAPS,
    counted,
    from_grams,
    from_labels,
    from_lengths,
    to_grams,
    to_labels,
    to_lengths,
)
from seqveil.release.model.frequent import frequent
from seqveil.release.model.supported import Supported, supported
from seqveil.release.model.tables import Counted, SequenceCounts
from seqveil.release.ofrecords import Question
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Whole
from seqveil.release.sequenced import SequenceRelease
from seqveil.release.shaped import Listed

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

_LABEL, _TRIP = ("label",), ("first", "last")


class RecordRelease(SequenceRelease, Supporting, Summable, Ranked):
    """What a model of whole records was fitted to and says, and the synthetic records that were drawn from it.

    Tables: `grams` (1 to n_max labels next to each other), `firsts` and `lasts` (how many records begin or end with a label),
    `trips` (with a pair of first and last label), `length_counts` (row l - 1: with l items). What they do not list is estimated
    from the synthetic records.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> grams = SequenceCounts.of([[0], [1], [0, 1]], Counted.of([900.0, 800.0, 700.0], [907, 789, 712], [10.0, 4.0]))
    >>> firsts = SequenceCounts.of([[0]], Counted.of([690.0], [688], [5.0]))
    >>> lasts = SequenceCounts.of([[1]], Counted.of([701.0], [705], [5.0]))
    >>> pairs = SequenceCounts.of([[0, 1]], Counted.of([640.0], [655], [20.0]))
    >>> trips = RecordRelease(
    ...     Domain.of(["home", "work"]), grams=grams, firsts=firsts, lasts=lasts, trips=pairs,
    ...     lengths=Counted.of([60.0, 700.0], [62, 693], [5.0]), synthetic=Flat.of([[0, 1], [1]]), l_max=2, n_max=2)
    >>> trips.count(["home", "work"]), trips.begins(["home"])
    (Answer(value=700, low=680, high=744), Answer(value=690, low=673, high=703))
    >>> trips.trip("home", "work"), trips.length(2)
    (Answer(value=640, low=595, high=715), Answer(value=700, low=678, high=708))
    >>> trips.visits(["work", "home"]), trips.size()
    (Answer(value=1, estimate without error bar), Answer(value=760, low=734, high=776))
    """

    content: ClassVar[str] = "record-model"
    description: ClassVar[str] = "noisy counts of n-grams, of first and last labels and of lengths, and synthetic records"

    def __init__(
        self,
        domain: Domain,
        *,
        grams: SequenceCounts,
        firsts: SequenceCounts,
        lasts: SequenceCounts,
        trips: SequenceCounts,
        lengths: Counted,
        synthetic: Flat | Callable[[], Flat],
        l_max: int,
        n_max: int,
        cap: int | None = None,
        cap_of_labels: int | None = None,
    ) -> None:
        super().__init__(domain, synthetic)
        grams.check(len(domain), 1, n_max)
        firsts.check(len(domain), 1, 1)
        lasts.check(len(domain), 1, 1)
        trips.check(len(domain), 2, 2)
        lengths.check()
        if len(lengths) > l_max:
            raise CallError(f"not a table of lengths: records of more than {l_max:,} items are counted.")
        self.grams, self.firsts, self.lasts, self.trips, self.length_counts = grams, firsts, lasts, trips, lengths
        self.l_max, self.n_max = l_max, n_max
        self.caps = {} if cap is None or cap_of_labels is None else {"cap": cap, "cap_of_labels": cap_of_labels}
        self._kept: tuple[float, int, list[tuple[NDArray[np.int32], NDArray[np.int64]]]] | None = None

    @property
    def cut(self) -> int:
        return self.l_max

    @property
    def about(self) -> str:
        """What is counted."""
        return f"occurrences in {self.whole_records}"

    def count(self, query: Sequence[str]) -> Answer:
        """How often the labels occur next to each other in this order."""
        refuse_no_query(query)
        codes = codes_of(query, self.domain)
        if (row := self.grams.find(codes)) is not None:
            return self.answers([row])[0]
        if not self._released[codes].all():
            return Answer.not_released(self.about)
        from seqveil.release.scanning import occurrences

        return Answer(float(occurrences(self.synthetic, codes)), None, None, "estimate", self.about)

    def answers(self, rows: Iterable[int]) -> list[Answer]:
        """The answers of rows of the n-grams, all at once."""
        return self.grams.counted.answers(rows, self.about)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise; an estimate if one of them is."""

        def row_of(query: Sequence[str]) -> int | None:
            return self.grams.find(codes_of(query, self.domain))

        return total_of(self, queries, row_of, lambda rows, lengths: self.grams.counted.total(rows, lengths, self.about))

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k sequences of `shortest` to `longest` labels (n_max without `longest`) with the largest counts, best first.

        All numbers are those that `count` answers: sequences that the n-grams do not list compete as they occur in the synthetic
        records. Of equal counts listed ones come first, then the shorter sequence, then the order of the domain decides.
        """
        check_range(k, shortest, longest)
        most = longest if longest is not None else max(self.n_max, shortest)
        best = self.grams.counted.largest(of_length(self.grams.lengths, shortest, most), k)
        if not k:
            return []
        listed = [(self.grams.sequence(row), answer) for row, answer in zip(best, self.answers(best), strict=True)]
        least = listed[-1][1].value if len(listed) == k else 0.0
        ranked = sorted([*listed, *self._unlisted(least, shortest, most)], key=lambda pair: -pair[1].value)
        return [answer.ranked(self.domain.labels(codes)) for codes, answer in ranked[:k]]

    def directly_follows(self, k: int | None = None) -> list[Ranking]:
        """How often one label comes right after another: the n-grams of two labels, with their intervals."""
        return self.top(len(self.domain) ** 2 if k is None else k, shortest=2, longest=2)

    def supported(self) -> Supported:
        """As many records as were published, whose first label, last label and steps all stand out from the noise."""
        return supported(self.synthetic, self.firsts, self.lasts, self.grams, len(self.domain))

    def _unlisted(self, least: float, shortest: int, longest: int) -> Iterator[tuple[tuple[int, ...], Answer]]:
        """What the n-grams do not list, as `count` answers it, if it occurs more often than `least` in the records."""
        for matrix, number in self._often(max(least, 1.0), longest)[shortest - 1 :]:
            often = number > least
            for codes, value in zip(map(tuple, matrix[often].tolist()), number[often].tolist(), strict=True):
                if self.grams.find(codes) is None:
                    yield codes, Answer(float(value), None, None, "estimate", self.about)

    def _often(self, least: float, longest: int) -> list[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """By length, the sequences of the records that occur `least` times or more, and rarer ones if they were wanted before."""
        if self._kept is None or least < self._kept[0] or longest > self._kept[1]:
            self._kept = least, longest, list(frequent(self.synthetic, least, 1, longest))
        return self._kept[2][:longest]

    def _occurrences(self, codes: NDArray[np.int64]) -> Answer | None:
        rows: list[int] = []
        for code in codes.tolist():
            if (row := self.grams.find([code])) is None or not self.grams.counted.measured[row]:
                return None
            rows.append(row)
        if len(rows) == 1:
            return self.answers(rows)[0]
        return self.grams.counted.total(rows, [1] * len(rows), self.about)

    def size(self) -> Answer:
        """How many records there are, as the lengths add up to; empty ones are not counted."""
        if not len(self.length_counts):
            return super().size()
        every = range(len(self.length_counts))
        return self.length_counts.total(every, [0] * len(every), self.whole_records)

    def _table(self, question: Question) -> SequenceCounts | None:
        """The table with one row for each possible answer to a question about ends of records."""
        tables = {"begins": self.firsts, "first": self.firsts, "ends": self.lasts, "last": self.lasts, "od": self.trips}
        return tables.get(question)

    def _measured(self, question: Question, codes: Sequence[int]) -> Answer | None:
        table = self._table(question)
        row = None if table is None else table.find(codes)
        return None if table is None or row is None else table.counted.answers([row], "")[0]

    def _listed(self, question: Question) -> Listed:
        table = self._table(question)
        if table is None:
            return super()._listed(question)
        width, counted = (2 if question == "od" else 1), table.counted
        keys = table.symbols.reshape(-1, width).astype(np.int64) @ np.array([len(self.domain), 1][-width:])
        return Listed(keys, counted.count, lambda rows: counted.answers(rows, ""))

    def _length(self, n: int) -> Answer:
        listed = n <= len(self.length_counts)
        return self.length_counts.answers([n - 1], self._about_length(n))[0] if listed else super()._length(n)

    def lengths(self) -> dict[int, Answer]:
        """How many records have so many items, for every length that was measured or occurs, shortest first."""
        answers = self.length_counts.answers(range(len(self.length_counts)), "")
        listed = {n: replace(answer, about=self._about_length(n)) for n, answer in enumerate(answers, 1)}
        return listed | {n: answer for n, answer in super().lengths().items() if n not in listed}

    def _occurring(self) -> NDArray[np.bool_]:
        listed = np.bincount(self.grams.symbols, minlength=len(self.domain)) > 0
        return np.asarray(super()._occurring() | listed)

    def sizes(self) -> dict[str, int]:
        return {**super().sizes(), "n-grams with counts": len(self.grams)}

    def facts(self) -> dict[str, Any]:
        return {"l_max": self.l_max, "n_max": self.n_max, **self.caps}

    def tables(self) -> dict[str, pa.Table]:
        return {
            "grams": to_grams(self.grams, self.domain),
            "firsts": to_labels(self.firsts, self.domain, _LABEL),
            "lasts": to_labels(self.lasts, self.domain, _LABEL),
            "trips": to_labels(self.trips, self.domain, _TRIP),
            "lengths": to_lengths(self.length_counts),
        }

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts, domain = stated_facts(saved.manifest, _FACTS), saved.domain
        columns = counted(gaussian=saved.manifest.zcdp is not None)
        return cls(
            domain,
            grams=from_grams(saved.table("grams", {"gram": "labels", **columns}, GAPS), domain),
            firsts=from_labels(saved.table("firsts", {"label": "label", **columns}, GAPS), domain, _LABEL),
            lasts=from_labels(saved.table("lasts", {"label": "label", **columns}, GAPS), domain, _LABEL),
            trips=from_labels(saved.table("trips", {"first": "label", "last": "label", **columns}, GAPS), domain, _TRIP),
            lengths=from_lengths(saved.table("lengths", {"length": "whole", **columns}, GAPS)),
            synthetic=partial(saved_lines, saved),
            **facts,
        )


_FACTS = Fields(
    {"l_max": Whole(1, MOST_LENGTH), "n_max": Whole(1, MOST_LENGTH), "cap": Whole(1, 2**53), "cap_of_labels": Whole(1, 2**53)},
    optional=frozenset({"cap", "cap_of_labels"}),
)
