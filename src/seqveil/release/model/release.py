"""RecordRelease: a model of whole records. It answers n-grams, first and last labels, trips and lengths, and holds records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from seqveil.errors import CallError
from seqveil.release.answers import Answer, Ranking
from seqveil.release.answers.ranking import check_range, of_length
from seqveil.release.answers.table import refuse_no_queries, refuse_repeated
from seqveil.release.capabilities import Ranked, Summable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_LENGTH
from seqveil.release.lines import saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.model.columns import (
    COUNTED,
    GAPS,
    from_grams,
    from_labels,
    from_lengths,
    to_grams,
    to_labels,
    to_lengths,
)
from seqveil.release.model.tables import Counted, SequenceCounts
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Whole
from seqveil.release.sequenced import SequenceRelease

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

_LABEL, _TRIP = ("label",), ("first", "last")


class RecordRelease(SequenceRelease, Summable, Ranked):
    """What a model of whole records was fitted to and says, and the synthetic records that were drawn from it.

    Tables: `grams` (1 to n_max labels next to each other), `firsts` and `lasts` (how many records begin or end with a label),
    `trips` (with a pair of first and last label), `lengths` (row l - 1: with l items). What they do not list is estimated from
    the synthetic records.
    """

    content: ClassVar[str] = "record-model"
    description: ClassVar[str] = "a model of whole records: noisy counts of what they consist of, and synthetic records"

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

    @property
    def cut(self) -> int:
        return self.l_max

    @property
    def about(self) -> str:
        """What is counted."""
        return f"occurrences in records of at most {self.l_max:,} items{self._per_user}"

    def count(self, query: Sequence[str]) -> Answer:
        """How often the labels occur next to each other in this order."""
        refuse_no_query(query)
        row = self.grams.find(codes_of(query, self.domain))
        if row is not None:
            return self.grams.counted.answers([row], self.about)[0]
        return Answer(0.0, None, None, "estimate", self.about)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise; an estimate if one of them is."""
        asked = [tuple(query) for query in queries]
        refuse_no_queries(asked)
        refuse_repeated(asked)
        parts = [self.count(query) for query in asked]
        rows = [row for query in asked if (row := self.grams.find(codes_of(query, self.domain))) is not None]
        if len(rows) < len(asked):
            return Answer(sum(part.value for part in parts), None, None, "estimate", self.about)
        return self.grams.counted.total(rows, [len(query) for query in asked], self.about)

    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k sequences of `shortest` to `longest` labels with the largest counts, best first.

        All numbers are those that `count` answers. Of equal counts the shorter sequence comes first, then the order of the domain
        decides.
        """
        check_range(k, shortest, longest)
        counted = self.grams.counted
        best = counted.largest(of_length(self.grams.lengths, shortest, longest), k)
        answers = counted.answers(best, self.about)
        return [a.ranked(self.domain.labels(self.grams.sequence(row))) for row, a in zip(best, answers, strict=True)]

    def sizes(self) -> dict[str, int]:
        return {**super().sizes(), "n-grams with counts": len(self.grams)}

    def facts(self) -> dict[str, Any]:
        return {"l_max": self.l_max, "n_max": self.n_max}

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
        return cls(
            domain,
            grams=from_grams(saved.table("grams", {"gram": "labels", **COUNTED}, GAPS), domain),
            firsts=from_labels(saved.table("firsts", {"label": "label", **COUNTED}, GAPS), domain, _LABEL),
            lasts=from_labels(saved.table("lasts", {"label": "label", **COUNTED}, GAPS), domain, _LABEL),
            trips=from_labels(saved.table("trips", {"first": "label", "last": "label", **COUNTED}, GAPS), domain, _TRIP),
            lengths=from_lengths(saved.table("lengths", {"length": "whole", **COUNTED}, GAPS)),
            synthetic=partial(saved_lines, saved),
            **facts,
        )


_FACTS = Fields({"l_max": Whole(1, MOST_LENGTH), "n_max": Whole(1, MOST_LENGTH)})
