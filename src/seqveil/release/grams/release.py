"""GramRelease: a noisy n-gram model that answers counts, and the synthetic records made from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from seqveil.errors import CallError
from seqveil.release.answers import Answer
from seqveil.release.answers.intervals import CONFIDENCE, bound_of_unseen
from seqveil.release.grams.columns import GAPS, columns, end_mark, from_columns, to_columns
from seqveil.release.grams.counted import CountedTree
from seqveil.release.grams.markov import Markov
from seqveil.release.grams.table import UNSELECTED, GramTable
from seqveil.release.labels import codes_of, refuse_no_query
from seqveil.release.limits import MOST_LENGTH
from seqveil.release.lines import saved_lines
from seqveil.release.manifest import stated_facts
from seqveil.release.saved import Saved
from seqveil.release.schema import Fields, Whole
from seqveil.tables.flat import Flat

if TYPE_CHECKING:
    import pyarrow as pa

    from seqveil.release.answers import Ranking
    from seqveil.tables.domain import Domain


class GramRelease(CountedTree):
    """N-grams with consistent counts, and the synthetic records that realise them.

    >>> from seqveil.tables.domain import Domain
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 3]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> places = Domain.of(["home", "work", "shop"])
    >>> trips = GramRelease(places, grams=grams, synthetic=Flat.of([[0, 1]]), l_max=5, n_max=2)
    >>> trips.count(["home", "work"])
    Answer(value=700, ±=60)
    >>> trips.count(["work", "&"])                       # just above its threshold: the true count may be 0
    Answer(value=60, low=0, high=114)
    >>> trips.count(["home", "work", "&"])
    Answer(value=52, estimate without error bar)
    >>> trips.count(["home", "shop"])                    # "shop" did not reach the threshold of 50
    Answer(not released, at most about 95)
    >>> [(row["pattern"], row["low"], row["high"]) for row in trips.top(1, shortest=2)]
    [(['home', 'work'], 640, 760)]
    >>> list(trips.synthesize())
    [['home', 'work']]
    """

    content: ClassVar[str] = "grams"
    description: ClassVar[str] = "noisy counts of short sequences and synthetic records"
    root: ClassVar[str] = "all items"  # grams occur at every item of a record

    def __init__(
        self,
        domain: Domain,
        *,
        grams: GramTable,
        synthetic: Flat | Callable[[], Flat],
        l_max: int,
        n_max: int,
        most: int | None = None,
    ) -> None:
        super().__init__(domain, grams, synthetic)
        self.l_max = l_max
        self.n_max = n_max
        self.most = most

    @property
    def cut(self) -> int:
        return self.l_max

    @property
    def grams(self) -> GramTable:
        """The n-grams and their counts."""
        return self.tree

    @cached_property
    def _markov(self) -> Markov:
        return Markov(self.grams)

    @property
    def about(self) -> str:
        """What is counted."""
        return f"occurrences in {self.whole_records}"

    def count(self, query: Sequence[str]) -> Answer:
        """How often the labels occur next to each other in this order; `&` as the last one is the end of a record."""
        gram = self._codes(query)
        row = self._lookup.find(gram)
        if row is not None:
            return self.answers([row])[0]
        labels = {code for code in gram if code < len(self.domain)}
        if labels.difference(self._lookup.last[self.children(-1).start : self.children(-1).stop].tolist()):
            # Unknown is not zero: nothing was released about a label that did not reach the threshold.
            return Answer.not_released(self.about, self._most_of_unseen)
        return Answer(self._markov.estimate(gram), None, None, "estimate", self.about)

    @cached_property
    def _most_of_unseen(self) -> int | None:
        """A bound on the count of every label without a row, and so of every gram that contains it.

        All labels were asked on the first level; one without a row failed every threshold that the others passed there. Each of
        these m laws gives a bound that holds with probability 1 - 5 %/m, so the smallest holds with 95 %.
        """
        rows, grams = self.children(-1), self.grams
        laws = np.unique(np.stack([grams.scale[rows.start : rows.stop], grams.threshold[rows.start : rows.stop]]), axis=1)
        measured = grams.measured[rows.start : rows.stop].all()
        if not len(rows) or not measured or laws[1].min() <= UNSELECTED:
            return None
        alpha = (1.0 - CONFIDENCE) / laws.shape[1]
        return min(bound_of_unseen(float(scale), int(threshold), alpha, grams.gaussian) for scale, threshold in laws.T)

    def directly_follows(self, k: int | None = None) -> list[Ranking]:
        """How often one label comes right after another: the n-grams of two labels, with their intervals."""
        return self.top(len(self.domain) ** 2 if k is None else k, shortest=2, longest=2)

    def _row(self, query: Sequence[str]) -> int | None:
        return self._lookup.find(self._codes(query))

    def _codes(self, query: Sequence[str]) -> list[int]:
        """The codes of a query, or an error that names the first label that cannot be asked."""
        refuse_no_query(query)
        mark = end_mark(self.domain)
        ends = query[-1] == mark and len(query) > 1
        labels = query[:-1] if ends else query
        if mark in labels:
            raise CallError(f"{' '.join(query)!r}: {mark!r} is the end of a record, so it comes last, after at least one label.")
        return codes_of(labels, self.domain) + [len(self.domain)] * ends

    def sizes(self) -> dict[str, int]:
        return {**super().sizes(), "n-grams with counts": len(self.grams)}

    def facts(self) -> dict[str, Any]:
        return {"l_max": self.l_max, "n_max": self.n_max, **({} if self.most is None else {"cap": self.most})}

    def tables(self) -> dict[str, pa.Table]:
        return {"grams": to_columns(self.grams, self.domain)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        gaussian = saved.manifest.zcdp is not None
        grams = from_columns(saved.table("grams", columns(gaussian), GAPS), saved.domain)
        bounds = {"l_max": facts["l_max"], "n_max": facts["n_max"], "most": facts.get("cap")}
        return cls(saved.domain, grams=grams, synthetic=partial(saved_lines, saved), **bounds)


_FACTS = Fields(
    {"l_max": Whole(1, MOST_LENGTH), "n_max": Whole(1, MOST_LENGTH), "cap": Whole(1, 2**53)}, optional=frozenset({"cap"})
)
