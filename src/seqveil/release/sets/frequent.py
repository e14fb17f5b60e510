"""Most frequent itemsets of weighted sets, and the rules between them. Exact, best first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]

MOST_SEARCHED = 20_000
"""Itemsets that are looked at in one search, unless more are asked for."""


@njit(cache=True)
def _supports(items, offsets, weight, rows, after, tally):  # type: ignore[no-untyped-def]
    """Add up, per item beyond `after`, the weight of the rows that hold it."""
    for row in rows:
        for j in range(offsets[row + 1] - 1, offsets[row] - 1, -1):
            if items[j] <= after:
                break
            tally[items[j]] += weight[row]


class WeightedSets:
    """Sets with weights, indexed by item.

    >>> baskets = WeightedSets(Flat.of([[0, 1], [0], [1, 2]]), np.array([5, 3, 1]), labels=3)
    >>> baskets.support([0]), baskets.support([0, 1]), baskets.frequent(3)
    (8, 5, [((0,), 8), ((1,), 6), ((0, 1), 5)])
    """

    def __init__(self, flat: Flat, weight: Ints, labels: int) -> None:
        self._flat = flat
        self._weight = weight
        self._labels = labels

    @cached_property
    def _lists(self) -> tuple[Ints, Ints]:
        """Rows grouped by item: where each group starts, and the rows, ascending."""
        flat = self._flat
        row = np.repeat(np.arange(len(flat)), flat.lengths)
        order = np.argsort(flat.items, kind="stable")
        start = np.searchsorted(flat.items[order], np.arange(self._labels + 1))
        return start, row[order]

    def holding(self, item: int) -> Ints:
        """The rows that hold an item."""
        start, rows = self._lists
        return rows[start[item] : start[item + 1]]

    def rows(self, itemset: list[int]) -> Ints:
        """The rows that hold every one of these items."""
        lists = sorted((self.holding(item) for item in itemset), key=len)
        common = lists[0]
        for other in lists[1:]:
            if not len(common):
                break
            at = np.minimum(np.searchsorted(other, common), len(other) - 1)
            common = common[other[at] == common]
        return common

    def support(self, itemset: list[int]) -> int:
        """The weight of all rows that hold the itemset."""
        return int(self._weight[self.rows(itemset)].sum())

    def frequent(
        self, most: int, least: int = 1, shortest: int = 1, longest: int | None = None
    ) -> list[tuple[tuple[int, ...], int]]:
        """The `most` itemsets of `shortest` to `longest` items with the largest support, at least `least`; ties by length, then
        by codes. The search ends after `MOST_SEARCHED` itemsets, so that many items per set cannot make it endless.

        An itemset is reached from the one without its last item, whose support is no smaller: so what is on top of the heap is
        next in the order, and only the itemsets before the last one listed, and their one-item extensions, are ever counted.
        """
        heap: list[tuple[int, int, tuple[int, ...]]] = [
            (-s, 1, (item,)) for item, s in self._extensions(np.arange(len(self._flat)), -1, least)
        ]
        heapq.heapify(heap)
        listed: list[tuple[tuple[int, ...], int]] = []
        for _ in range(max(most, MOST_SEARCHED)):
            if not heap or len(listed) >= most:
                break
            support, size, itemset = heapq.heappop(heap)
            if size >= shortest:
                listed.append((itemset, -support))
            if size == longest:
                continue
            for item, s in self._extensions(self.rows(list(itemset)), itemset[-1], least):
                heapq.heappush(heap, (-s, size + 1, (*itemset, item)))
        return listed

    def _extensions(self, rows: Ints, after: int, least: int) -> list[tuple[int, int]]:
        tally = np.zeros(self._labels, np.int64)
        _supports(self._flat.items, self._flat.offsets, self._weight, rows, after, tally)
        items = np.flatnonzero(tally >= max(least, 1))
        return list(zip(items.tolist(), tally[items].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Rule:
    """Records with all of `antecedent` have `consequent` too: with `confidence`, `lift` times its share in all records."""

    antecedent: tuple[int, ...]
    consequent: int
    support: int
    confidence: float
    lift: float


def rules(frequent: list[tuple[tuple[int, ...], int]], everybody: int) -> list[Rule]:
    """Rules with one label on the right, the strongest first: by confidence, then by support. Lift above 1 only.

    >>> rules([((0,), 8), ((1,), 6), ((0, 1), 6)], everybody=10)[0]
    Rule(antecedent=(1,), consequent=0, support=6, confidence=1.0, lift=1.25)
    """
    support = dict(frequent)
    strong = []
    for itemset, both in frequent:
        for consequent in itemset if len(itemset) > 1 else ():
            antecedent = tuple(item for item in itemset if item != consequent)
            confidence = both / support[antecedent]
            lift = confidence * everybody / support[(consequent,)]
            if lift > 1:
                strong.append(Rule(antecedent, consequent, both, confidence, lift))
    return sorted(strong, key=lambda rule: (-rule.confidence, -rule.support, rule.antecedent, rule.consequent))
