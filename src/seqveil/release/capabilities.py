"""What a release can do, as types: ask `isinstance(release, Countable)`, never for the name of a method.

    Countable     count(query)                 a number with its error bar
    └── Summable  total(queries)               a sum of such numbers, with an error bar of its own
    Ranked        top(k)                       the largest released counts, best first
    Synthetic     synthesize()                 synthetic records (or edges) as they were published
    ├── Shaped    begins(labels), od(), …      OfRecords, with estimates from synthetic records (in `shaped.py`)
    └── Drawable  draw(n), synthesize(n)       any number of new records
        └── Supporting  supported()            records without what noise may have made
    OfRecords     first(label), od(), …        questions about whole records (in `ofrecords.py`)
    Degrees       at_least(d)                  how many vertices have d edges or more
    Pictured      picture(), drawing()         the release as a picture, in text and as SVG

All of it is post-processing of released numbers, and costs no privacy budget.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from seqveil.errors import CallError, RunFailed
from seqveil.release.records import Records
from seqveil.surface import parameter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seqveil.release.answers import Answer, Ranking
    from seqveil.release.model.supported import Supported
    from seqveil.tables.domain import Domain
    from seqveil.tables.flat import Flat

Form = Literal["sequences", "sets", "edges"]


class Countable(ABC):
    """Answers counts of patterns."""

    @property
    @abstractmethod
    def about(self) -> str:
        """What is counted, in words that follow "Counts are"."""

    @abstractmethod
    def count(self, query: Sequence[str]) -> Answer:
        """The count of one pattern, given as a list of labels."""


class Summable(Countable):
    """Answers sums of counts, too."""

    @abstractmethod
    def total(self, queries: Iterable[Sequence[str]]) -> Answer:
        """The sum of the counts of several patterns, with an interval for the sum of their noise."""


class Ranked(ABC):
    """Lists its most frequent patterns."""

    @property
    @abstractmethod
    def about(self) -> str:
        """What is counted, in words that follow "Counts are"."""

    @abstractmethod
    def top(self, k: int, *, longest: int | None = None, shortest: int = 1) -> list[Ranking]:
        """The k patterns of `shortest` to `longest` labels with the largest released counts, best first.

        Values and intervals are those that `count` answers. Ties are broken in a fixed order.
        """


class Synthetic(ABC):
    """Holds synthetic records, whose labels have an order or none, or the edges of a synthetic graph."""

    form: ClassVar[Form]
    domain: Domain

    @property
    @abstractmethod
    def synthetic(self) -> Flat:
        """The published records, as codes."""

    def synthesize(self) -> Records:
        """The published records."""
        return Records(self.domain, self.synthetic)


class Drawable(Synthetic):
    """Draws any number of new records from what was released."""

    def draw(self, n: int, seed: int | None = None) -> Records:
        """n records with the distribution of the published ones.

        Every published record is taken ⌊n / published⌋ times and the rest is drawn without replacement, so that counts scale
        with n and drawing adds as little error as possible. A `seed` only repeats the draw.
        """
        return self._copies(self.synthetic, n, seed)

    def _copies(self, flat: Flat, n: int, seed: int | None) -> Records:
        if n < 0:
            raise CallError(f"n = {n}: the number of records is at least 0.")
        published = len(flat)
        if n and not published:
            raise RunFailed("This release holds no synthetic records to draw from: no count was large enough beside the noise.")
        rng = np.random.default_rng(seed)
        whole, rest = divmod(n, published) if n else (0, 0)
        rows = np.concatenate([np.tile(np.arange(published), whole), rng.permutation(published)[:rest]])
        return Records(self.domain, flat.take(rng.permutation(rows)))

    def synthesize(self, n: int | None = None, seed: int | None = None) -> Records:
        """The published records, or n new ones (`draw`)."""
        return super().synthesize() if n is None else self.draw(n, seed)


class Supporting(Drawable):
    """Knows of first labels, last labels and steps whether noise could plausibly have made them."""

    @abstractmethod
    def supported(self) -> Supported:
        """As many records as were published, without those that noise may have made, and how many of these there were."""

    def draw(self, n: int, seed: int | None = None, *, supported: bool = False) -> Records:
        """n records with the distribution of the published ones or, if `supported`, of those in `supported`."""
        return self._copies(self._clear() if supported else self.synthetic, n, seed)

    def synthesize(self, n: int | None = None, seed: int | None = None, *, supported: bool = False) -> Records:
        """The published records, or n new ones (`draw`); if `supported`, without what noise may have made.

        A miner that turns every step into a rule needs `supported` records. Rare true paths are lost with the false ones.
        """
        if n is not None:
            return self.draw(n, seed, supported=supported)
        return Records(self.domain, self._clear() if supported else self.synthetic)

    def _clear(self) -> Flat:
        flat = self.supported().flat
        if not len(flat) and len(self.synthetic):
            raise RunFailed(
                "No published record is supported: noise could have made a first label, last label or step of each. Draw "
                f"without {parameter('supported', 'True')}, or publish more records, with a larger ε or fewer labels."
            )
        return flat


class Degrees(ABC):
    """Answers how many edges the vertices of a graph have."""

    domain: Domain

    @property
    @abstractmethod
    def degrees(self) -> NDArray[np.int64]:
        """The number of edges of every vertex of the synthetic graph."""

    @abstractmethod
    def at_least(self, d: int) -> Answer:
        """How many vertices have d edges or more."""


class Pictured(ABC):
    """Can be drawn."""

    @abstractmethod
    def picture(self) -> list[str]:
        """Lines of text for a terminal."""

    @abstractmethod
    def drawing(self) -> str | None:
        """An SVG file, or None where this release has nothing to draw."""
