"""The exact answers of one simulated table, each computed once for any number of releases."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from seqveil.evaluate.mined import lengths_of, top_true
from seqveil.evaluate.patterns import Pattern, Patterns
from seqveil.evaluate.shape import size_and_ends
from seqveil.release.patterns import PatternRelease
from seqveil.release.prefixes import PrefixRelease
from seqveil.release.sets import SetModelRelease, SetRelease
from seqveil.tables.flat import Flat

AT_ONCE = 100
"""Patterns that are mined at once: who asks for the top 20 will ask for the top 100, too."""


class Reading(NamedTuple):
    """What a release counts.

    Args:
        form: what a pattern is, as mined releases name it.
        cut: where records are cut first.
        shortest, longest: the lengths of the patterns that are ranked.
        single: whether single labels are counted, too.
        share: the least share of the records that a pattern must be in to be released; 0 where there is none.
    """

    form: str
    cut: int | None
    shortest: int
    longest: int | None
    single: bool = True
    share: float = 0.0

    @classmethod
    def of(cls, release: Any) -> Reading:
        """Patterns that are mined say what they are; published sequences are read as n-grams of 2 labels and more."""
        if isinstance(release, PatternRelease):
            shortest, longest = lengths_of(release)
            share = release.manifest.mechanism.parameters.get("support") or 0.0
            return cls(release.kind, None, shortest, longest, shortest == 1, share)
        if isinstance(release, SetRelease | SetModelRelease):
            return cls("itemset", None, 1, None)
        if isinstance(release, PrefixRelease):
            return cls("prefix", None, 2, None)
        return cls("substring", getattr(release, "l_max", None), 2, getattr(release, "n_max", None))

    def counts(self, length: int) -> bool:
        """Whether patterns of this length are counted at all."""
        least = 1 if self.single else self.shortest
        return least <= length and (self.longest is None or length <= self.longest)


class Truth:
    """The patterns and the shape of simulated records."""

    def __init__(self, table: Any) -> None:
        self._flat: Flat = table.flat
        self._labels = len(table.domain)
        self._cut: dict[int | None, Flat] = {None: self._flat}
        self._top: dict[tuple[Reading, int], Patterns] = {}

    @property
    def records(self) -> Flat:
        """The simulated records, uncut."""
        return self._flat

    def top(self, reading: Reading, k: int) -> Patterns:
        """The k most frequent patterns, as the release counts them."""
        most = max(k, AT_ONCE)
        if (reading, most) not in self._top:
            flat = self._truncated(reading.cut)
            best = top_true(reading.form, flat, self._labels, most, reading.shortest, reading.longest)
            least = reading.share * len(self._flat)
            self._top[reading, most] = {pattern: count for pattern, count in best.items() if count >= least}
        return dict(islice(self._top[reading, most].items(), k))

    def only(self, reading: Reading, length: int, k: int) -> Patterns:
        """The k most frequent patterns of one length."""
        return self.top(reading._replace(shortest=length, longest=length), k)

    def shape(self, synthetic: Flat) -> dict[str, float]:
        """Number, lengths and ends of synthetic records against the simulated ones, uncut."""
        return size_and_ends(self._flat, synthetic, self._labels)

    def _truncated(self, cut: int | None) -> Flat:
        if cut not in self._cut:
            assert cut is not None
            self._cut[cut] = self._flat.truncate(cut)
        return self._cut[cut]


def share_of(truth: Patterns, listed: set[Pattern]) -> float:
    """The share of the true patterns that are among those listed.

    >>> share_of({(0, 1): 9, (1, 2): 8}, {(0, 1), (2, 2)}), share_of({}, set())
    (0.5, 1.0)
    """
    return len(truth.keys() & listed) / len(truth) if truth else 1.0
