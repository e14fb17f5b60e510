"""How close published sets are to the raw ones: the workloads of [Chen thesis, §4.4]. INTERNAL: reads raw data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.evaluate.count_queries import relative_error
from seqveil.evaluate.patterns import Patterns
from seqveil.evaluate.ranking import released_patterns
from seqveil.release.sets import SetModelRelease, SetRelease
from seqveil.release.sets.frequent import WeightedSets
from seqveil.tables.flat import Flat

QUERIES = 50_000
CLASSES = 5
LARGEST_K = 100
"""The thesis draws 50,000 queries in five classes; class i has lengths uniform in 1..i·max|D|/5."""

SMALL = 20
"""Up to so many labels all queries are answered at once, by superset sums."""


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Distinct sets with weights: how many records are each set, or what a release says of that."""

    flat: Flat
    weight: NDArray[np.int64]
    records: int

    @classmethod
    def raw(cls, flat: Flat) -> Weighted:
        """The distinct sets of raw data.

        >>> both = Weighted.raw(Flat.of([[0, 1], [1], [0, 1]]))
        >>> both.weight.tolist(), both.records
        ([2, 1], 3)
        """
        seen: dict[bytes, int] = {}
        number = np.fromiter((seen.setdefault(codes.tobytes(), len(seen)) for codes in flat), np.int64, len(flat))
        first = np.unique(number, return_index=True)[1]
        return cls(flat.take(first), np.bincount(number, minlength=len(first)).astype(np.int64), len(flat))

    @classmethod
    def released(cls, release: SetRelease | SetModelRelease) -> Weighted:
        """What the synthetic sets of a release hold."""
        if isinstance(release, SetModelRelease):
            return cls.raw(release.synthetic)
        return cls(release.sets.flat, release.sets.copies, release.published)

    @classmethod
    def answered(cls, release: SetRelease) -> Weighted:
        """What a release answers: sums of noisy counts, negative ones included."""
        return cls(release.sets.flat, release.sets.noisy, release.published)


def set_queries(labels: int, largest: int, number: int, seed: int = 0) -> Flat:
    """Itemsets with a length uniform in 1..largest and distinct items uniform over the domain.

    >>> queries = set_queries(17, 3, number=1000)
    >>> len(queries), int(queries.lengths.min()), int(queries.lengths.max())
    (1000, 1, 3)
    """
    random = np.random.default_rng([seed, labels, largest])
    lengths = np.minimum(random.integers(1, max(largest, 1) + 1, number), labels)
    return Flat.of(np.sort(random.choice(labels, n, replace=False)) for n in lengths.tolist())


@njit(cache=True)
def _contained(items, offsets, weight, starts, rows, queries, edges):  # type: ignore[no-untyped-def]
    """Per query, the weight of the sets that hold it: the sets of its rarest item are looked through."""
    answers = np.zeros(len(edges) - 1, np.int64)
    for q in range(len(edges) - 1):
        rarest = queries[edges[q]]
        for j in range(edges[q] + 1, edges[q + 1]):
            x = queries[j]
            if starts[x + 1] - starts[x] < starts[rarest + 1] - starts[rarest]:
                rarest = x
        for i in range(starts[rarest], starts[rarest + 1]):
            at, stop = offsets[rows[i]], offsets[rows[i] + 1]
            j = edges[q]
            while j < edges[q + 1] and at < stop:
                if items[at] == queries[j]:
                    j += 1
                elif items[at] > queries[j]:
                    break
                at += 1
            if j == edges[q + 1]:
                answers[q] += weight[rows[i]]
    return answers


def _masks(flat: Flat) -> NDArray[np.int64]:
    """Every set as the sum of its items' bits."""
    owner = np.repeat(np.arange(len(flat)), flat.lengths)
    return np.bincount(owner, weights=2.0**flat.items, minlength=len(flat)).astype(np.int64)


def superset_sums(sets: Weighted, labels: int) -> NDArray[np.int64]:
    """For each of the 2^labels sets, the weight of all sets that contain it: one pass per label."""
    sums = np.zeros(2**labels, np.int64)
    np.add.at(sums, _masks(sets.flat), sets.weight)
    for label in range(labels):
        # Invariant: sums[s] is the weight of the sets that equal s from `label` on and contain it before.
        without, with_it = sums.reshape(-1, 2, 2**label)[:, 0], sums.reshape(-1, 2, 2**label)[:, 1]
        without += with_it
    return sums


def containing(sets: Weighted, queries: Flat, labels: int) -> NDArray[np.int64]:
    """How many records contain each query.

    >>> containing(Weighted.raw(Flat.of([[0, 1], [1], [0, 1, 2]])), Flat.of([[1], [0, 2], [2]]), labels=3).tolist()
    [3, 1, 1]
    """
    if labels <= SMALL:
        return superset_sums(sets, labels)[_masks(queries)]
    flat = sets.flat
    row = np.repeat(np.arange(len(flat)), flat.lengths)
    order = np.argsort(flat.items, kind="stable")
    starts = np.searchsorted(flat.items[order], np.arange(labels + 1))
    return np.asarray(_contained(flat.items, flat.offsets, sets.weight, starts, row[order], queries.items, queries.offsets))


class Workload:
    """The queries and true answers of one raw data set, made once for many releases.

    >>> raw = Weighted.raw(Flat.of([[0, 1]] * 8 + [[1]] * 2))
    >>> half, workload = Weighted(raw.flat, raw.weight // 2, 5), Workload(raw, labels=2, queries=50)
    >>> workload.utility(raw, 3), workload.utility(half, 3), set(workload.errors(raw).values())
    (1.0, 0.5, {0.0})
    """

    def __init__(self, raw: Weighted, labels: int, queries: int = QUERIES, seed: int = 0) -> None:
        self.raw = raw
        self.labels = labels
        longest = int(raw.flat.lengths.max(initial=1))
        shares = [100 * i // CLASSES for i in range(1, CLASSES + 1)]
        self._queries = {p: set_queries(labels, p * longest // 100, queries // CLASSES, seed) for p in shares}
        self._truth = {p: containing(raw, asked, labels) for p, asked in self._queries.items()}

    def errors(self, published: Weighted) -> dict[int, float]:
        """Mean relative error per class of query lengths, by the largest length in per cent of max|D|; s = 0.1 % of |D|."""
        answers = {p: containing(published, asked, self.labels) for p, asked in self._queries.items()}
        return {p: float(relative_error(answers[p], truth, self.raw.records).mean()) for p, truth in self._truth.items()}

    def utility(self, published: Weighted, k: int) -> float:
        """The utility of the top k itemsets of published sets."""
        return self.utility_of(dict(WeightedSets(published.flat, np.maximum(published.weight, 0), self.labels).frequent(k)), k)

    def utility_of(self, supports: Patterns, k: int) -> float:
        """1 − mean of |support − published support| / support over the true top k; one that is not published counts 0."""
        lost = [abs(support - supports.get(itemset, 0)) / support for itemset, support in self._top[:k]]
        return 1.0 - float(np.mean(lost)) if lost else 1.0

    @cached_property
    def _top(self) -> list[tuple[tuple[int, ...], int]]:
        return WeightedSets(self.raw.flat, self.raw.weight, self.labels).frequent(LARGEST_K)


def measure(release: SetRelease | SetModelRelease, workload: Workload) -> dict[str, Any]:
    """Everything that can be said about a release of sets, against the raw data."""
    published, raw, labels = Weighted.released(release), workload.raw, workload.labels
    asked = set_queries(labels, min(3, labels), 60, seed=1)
    truth = containing(raw, asked, labels).tolist()
    answers = [release.count(release.domain.labels(codes)) for codes in asked]
    covered = [a.low <= t <= a.high for a, t in zip(answers, truth, strict=True) if a.low is not None and a.high is not None]
    return {
        "count_error": workload.errors(published),
        "top_k_utility": {k: workload.utility(published, k) for k in (20, 60, LARGEST_K)},
        "top_k_utility_released": {k: workload.utility_of(released_patterns(release, k), k) for k in (20, 60, LARGEST_K)},
        "records_kept": published.records / max(raw.records, 1),
        "intervals_covered": float(np.mean(covered)) if covered else 1.0,
    }
