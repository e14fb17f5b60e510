"""How close one release of simulated data came to it, by what the release can do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from seqveil.evaluate.cells import largest_errors, total_variation
from seqveil.evaluate.patterns import Pattern, Patterns, ranked
from seqveil.evaluate.ranking import released_patterns
from seqveil.evaluate.sets import SMALL, Weighted, superset_sums
from seqveil.planning.target import Target
from seqveil.planning.truth import Reading, Truth, share_of
from seqveil.release.capabilities import Synthetic
from seqveil.release.histogram import HistogramRelease
from seqveil.release.histogram.axes import Table
from seqveil.release.sets import SetModelRelease, SetRelease
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat

Outcome = dict[str, float]
"""Measures by name; those that make no sense for a release are missing."""

STRONGEST = 20
"""Errors are those of so many of the most frequent labels and pairs: of the others nobody expects a close count."""

KS = (20, 100)
"""The K of the top K."""

TARGET, EMPTY, ENDS = "target", "empty", ("first", "last", "trip")


def outcome_of(release: Any, truth: Truth, target: Target) -> Outcome:
    """Everything that a plan reports about one release."""
    if isinstance(release, HistogramRelease):
        return _of_cells(release, truth.records, target)
    reading, says = Reading.of(release), saying_of(release)
    measured: Outcome = {EMPTY: float(release.empty)}
    for name, length in (("labels", 1), ("pairs", 2)):
        if reading.counts(length):
            measured[name] = float(np.median(_errors(says, truth.only(reading, length, STRONGEST))))
    for k in ks_of(release):
        measured[f"top_{k}"] = share_of(truth.top(reading, k), says.top(k, reading.shortest))
    if isinstance(release, Synthetic):
        shape = truth.shape(release.synthetic)
        # A set has no first and no last label.
        measured |= {name: value for name, value in shape.items() if release.form == "sequences" or name not in ENDS}
    if (reached := _reached(says, reading, truth, target, measured)) is not None:
        measured[TARGET] = reached
    return measured


_TABLES: dict[str, Table] = {"labels": "label", "lengths": "length", "first": "first", "last": "last", "trip": "od"}
"""The table of a histogram that a target is about; the top cells are those of the table that was named first."""


def _of_cells(release: HistogramRelease, records: Flat, target: Target) -> Outcome:
    """Errors of the largest cells of every table, and what the target is about."""
    measured: Outcome = {EMPTY: 0.0}
    for table in release.cells:
        errors = largest_errors(release, table, records)
        measured[f"cells_{table}"] = float(np.median(errors)) if len(errors) else 0.0
    asked = next(iter(release.cells)) if target.what == "top" else _TABLES.get(target.what)
    if asked in release.cells:
        close = largest_errors(release, asked, records, target.k) <= target.within
        measured[TARGET] = (
            total_variation(release, asked, records) if target.is_shape else float(np.mean(close)) if len(close) else 1.0
        )
    return measured


def ks_of(release: Any) -> list[int]:
    """The K that a release can have: a miner that was asked for 60 patterns has no top 100."""
    most = release.manifest.mechanism.parameters.get("top") or max(KS)
    return [k for k in KS if k <= most] or [most]


class Saying(Protocol):
    """What a release says about patterns: the count of one, NaN where there is none, and the most frequent ones."""

    def count(self, pattern: Pattern) -> float: ...
    def top(self, k: int, shortest: int) -> set[Pattern]: ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What the release answers itself."""

    release: Any

    def count(self, pattern: Pattern) -> float:
        return float(self.release.count(self.release.domain.labels(list(pattern))).value)

    def top(self, k: int, shortest: int) -> set[Pattern]:
        return set(released_patterns(self.release, k, shortest))


@dataclass(frozen=True, slots=True)
class Contained:
    """What the synthetic sets of a release hold: the same counts without their intervals, which a plan does not need."""

    sets: WeightedSets

    def count(self, pattern: Pattern) -> float:
        return float(self.sets.support(list(pattern)))

    def top(self, k: int, shortest: int) -> set[Pattern]:
        return {itemset for itemset, _ in self.sets.frequent(k, shortest=shortest)}


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """The same for a domain so small that all its itemsets are counted at once; the bits of an index are the itemset."""

    sums: NDArray[np.int64]

    def count(self, pattern: Pattern) -> float:
        return float(self.sums[sum(1 << item for item in pattern)])

    def top(self, k: int, shortest: int) -> set[Pattern]:
        index = np.arange(1, len(self.sums))
        index = index[(np.bitwise_count(index) >= shortest) & (self.sums[1:] > 0)]
        best = index[np.argsort(-self.sums[index], kind="stable")]
        best = best[self.sums[best] >= self.sums[best[:k]].min(initial=np.iinfo(np.int64).max)]
        items = [tuple(bit for bit in range(int(one).bit_length()) if one >> bit & 1) for one in best.tolist()]
        return set(ranked(dict(zip(items, self.sums[best].tolist(), strict=True)), k))


def saying_of(release: Any) -> Saying:
    """How to ask a release."""
    labels = len(release.domain)
    if isinstance(release, SetRelease) and labels <= SMALL:
        return Summed(superset_sums(Weighted.released(release), labels))
    if isinstance(release, SetRelease):
        return Contained(WeightedSets(release.sets.flat, release.sets.copies, labels))
    if isinstance(release, SetModelRelease):
        return Contained(WeightedSets(release.synthetic, np.ones(len(release.synthetic), np.int64), labels))
    return Answered(release)


def _errors(says: Saying, truth: Patterns) -> list[float]:
    """The relative errors of the counts of patterns; 1 for one that is not released, and for no patterns at all."""
    answers = [(says.count(pattern), count) for pattern, count in truth.items()]
    return [1.0 if math.isnan(value) else abs(value - count) / count for value, count in answers] or [1.0]


def _reached(says: Saying, reading: Reading, truth: Truth, target: Target, measured: Outcome) -> float | None:
    """The share of the target's patterns that are as close as wanted; of a shape, its total variation."""
    if target.is_shape:
        return measured.get(target.what)
    length = {"labels": 1, "pairs": 2}.get(target.what)
    if length is not None and not reading.counts(length):
        return None
    wanted = truth.top(reading, target.k) if length is None else truth.only(reading, length, target.k)
    return float(np.mean([error <= target.within for error in _errors(says, wanted)]))


def met(target: Target, reached: float) -> bool:
    """Whether a target is met.

    >>> met(Target(), 0.95), met(Target(), 0.9), met(Target("lengths", within=0.05), 0.04)
    (True, False, True)
    """
    return reached <= target.within if target.is_shape else reached >= target.share - 1e-9
