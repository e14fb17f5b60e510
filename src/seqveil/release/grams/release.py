"""GramRelease: a noisy N-gram model that answers count queries, and the artificial records made from it."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError, RunFailed
from seqveil.release.grams.answer import Answer
from seqveil.release.grams.columns import COLUMNS, GAPS, end_mark, from_columns, to_columns
from seqveil.release.grams.errorbars import interval
from seqveil.release.grams.lookup import Lookup
from seqveil.release.grams.markov import Markov
from seqveil.release.grams.ranking import largest
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


class GramRelease(Release):
    """Grams with consistent counts, and the records that realise them.

    >>> from seqveil.tables.domain import Domain
    >>> grams = GramTable.of([[0], [1], [0, 1], [1, 2]], count=[900.0, 800.0, 700.0, 60.0], scale=20.0, threshold=50)
    >>> trips = GramRelease(Domain.of(["home", "work"]), grams=grams, synthetic=Flat.of([[0, 1]]), l_max=5, n_max=2)
    >>> trips.count(["home", "work"])
    Answer(value=700, ±=60)
    >>> trips.count(["work", "&"])                       # just above its threshold: it may as well be 0
    Answer(value=60, low=0, high=114)
    >>> trips.count(["home", "work", "&"])
    Answer(value=52, estimate without error bar)
    >>> list(trips.synthesize())
    [['home', 'work']]
    """

    content: ClassVar[str] = "grams"

    def __init__(self, domain: Domain, *, grams: GramTable, synthetic: Flat | Callable[[], Flat], l_max: int, n_max: int) -> None:
        super().__init__(domain)
        grams.check(end=len(domain))
        self.grams = grams
        self.l_max = l_max
        self.n_max = n_max
        self._synthetic = synthetic

    @property
    def synthetic(self) -> Flat:
        """The published construction, as codes; read from its file when first wanted."""
        if not isinstance(self._synthetic, Flat):
            self._synthetic = self._synthetic()
        return self._synthetic

    @cached_property
    def _tree(self) -> Lookup:
        return Lookup.of(self.grams)

    @cached_property
    def _markov(self) -> Markov:
        return Markov(self.grams)

    @property
    def about(self) -> str:
        """Of which data the counts speak."""
        of_each = ""
        if self._manifest is not None and self._manifest.whom.name == "user":
            of_each = f", at most {self._manifest.whom.sequences:,} per user"
        return f"occurrences in records cut to their first {self.l_max:,} items{of_each}"

    def count(self, query: Sequence[str]) -> Answer:
        """How often the labels occur next to each other in this order; `&` as the last one is the end of a record."""
        gram = self._codes(query)
        row = self._tree.find(gram)
        if row is None or not self.grams.known[row]:
            value = self._markov.estimate(gram) if row is None else float(self.grams.count[row])
            return Answer(value, None, None, "estimate", self.about)
        return self.answers([row])[0]

    def answers(self, rows: Sequence[int]) -> list[Answer]:
        """The answers of rows of the table, all at once."""
        at = np.asarray(rows, np.int64)
        value, low, high = self._told(at)
        return [
            Answer(v, lo, hi, "count", self.about) if k else Answer(v, None, None, "estimate", self.about)
            for v, lo, hi, k in zip(value.tolist(), low.tolist(), high.tolist(), self.grams.known[at].tolist(), strict=True)
        ]

    def ranked(self, rows: Sequence[int] | NDArray[np.int64], n: int) -> list[int]:
        """The n of these rows with the largest answers, best first: in the order of the numbers that people are shown."""
        at, grams = np.asarray(rows, np.int64), self.grams
        answer = np.where(grams.known[at], grams.noisy[at], grams.count[at])
        return largest(n, at, grams.count[at], answer, lambda some: self._told(some)[0])

    def _told(self, at: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Value, low and high of rows; the ends mean nothing where a count was not asked."""
        grams = self.grams
        known = grams.known[at]
        low, high = interval(grams.noisy[at], np.where(known, grams.scale[at], 0.0), grams.threshold[at])
        # The consistent count uses what the grams around it say; it only yields where its own answer rules it out.
        return np.where(known, np.clip(grams.count[at], low, high), grams.count[at]), low, high

    def children(self, row: int) -> range:
        """The rows of the grams that continue the gram of a row by one symbol; -1 stands for the empty gram."""
        return self._tree.children(row)

    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of several counts, with an interval for the sum of their noise; an estimate if one of them is."""
        asked = [tuple(query) for query in queries]
        for query in asked:
            if asked.count(query) > 1:
                raise CallError(f"{' '.join(query)!r} is asked twice in one total: give every query once.")
        parts = [self.count(query) for query in asked]
        value = sum(part.value for part in parts)
        if not parts or any(part.kind == "estimate" for part in parts):
            return Answer(value, None, None, "estimate", self.about)
        rows = np.array([self._tree.find(self._codes(query)) for query in asked], np.int64)
        grams = self.grams
        low, high = total(grams.noisy[rows], grams.scale[rows], grams.threshold[rows], grams.lengths[rows])
        return Answer(min(max(value, low), high), low, high, "total", self.about)

    def _codes(self, query: Sequence[str]) -> list[int]:
        """The codes of a query, or an error that names the first label that cannot be asked."""
        if isinstance(query, str) or not query:
            raise CallError(f"{query!r} is not a query: give a list with at least one label, for example ['A', 'B'].")
        mark = end_mark(self.domain)
        codes = []
        for place, label in enumerate(query):
            if label == mark and place == len(query) - 1 and place > 0:
                codes.append(len(self.domain))
            elif label == mark:
                raise CallError(f"{' '.join(query)!r}: {mark!r} is the end of a record and follows at least one label.")
            elif (code := self.domain.code(label)) is not None:
                codes.append(code)
            else:
                raise CallError(f"{label!r} is not in the domain of this release{near(label, self.domain)}")
        return codes

    def synthesize(self, n: int | None = None, seed: int | None = None) -> Records:
        """The published records, or n records with the same make-up.

        Every published record is taken ⌊n / published⌋ times and the rest drawn without replacement, so that counts
        scale with n and suffer the least from drawing. Whatever is done here is post-processing: `seed` only repeats
        the draw.
        """
        if n is None:
            return Records(self.domain, self.synthetic)
        if n < 0:
            raise CallError(f"n = {n}: give a number of records of at least 0.")
        published = len(self.synthetic)
        if n and not published:
            raise RunFailed("This release holds no records to draw from: its noise left no gram long enough.")
        rng = np.random.default_rng(seed)
        whole, rest = divmod(n, published) if n else (0, 0)
        rows = np.concatenate([np.tile(np.arange(published), whole), rng.permutation(published)[:rest]])
        return Records(self.domain, self.synthetic.take(rng.permutation(rows)))

    def facts(self) -> dict[str, Any]:
        return {"l_max": self.l_max, "n_max": self.n_max}

    def tables(self) -> dict[str, pa.Table]:
        return {"grams": to_columns(self.grams, self.domain)}

    def extras(self) -> dict[str, bytes]:
        return {"synthetic.txt.gz": gzip.compress(lines_to(self.domain, self.synthetic), 6, mtime=0)}

    @classmethod
    def from_saved(cls, saved: Saved) -> Self:
        facts = stated_facts(saved.manifest, _FACTS)
        return cls(
            saved.domain,
            grams=from_columns(saved.table("grams", COLUMNS, GAPS), saved.domain),
            synthetic=lambda: lines_from(saved.text("synthetic.txt.gz"), saved.domain),
            **facts,
        )


_FACTS = Fields({"l_max": Whole(1, MOST_LENGTH), "n_max": Whole(1, MOST_LENGTH)})


def near(label: str, domain: Domain) -> str:
    """The labels that may have been meant."""
    from difflib import get_close_matches

    some = domain.labels(range(min(len(domain), 200_000)))
    close = get_close_matches(str(label), some, n=3, cutoff=0.6)
    if close:
        return f": did you mean {' or '.join(map(repr, close))}?"
    return f": its labels are {', '.join(map(repr, some[:3]))}{', …' if len(some) > 3 else ''}."
