"""Counters of trees over shards: the steps down the tree are sent along with every question.

An executor keeps nothing between two questions. It opens the local engine's counter on every shard, follows the same steps, and
counts. That is more work than remembering where every record stands, by a factor of the depth at most, and it leaves nothing that
could be lost with an executor.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.protocol import Counter, Counts, Scores
from seqveil.engines.spark.passes import Sums, asked, local_table
from seqveil.tables.flat import Flat
from seqveil.tables.shards import Shard
from seqveil.tables.spark import SparkTable

Steps = tuple[tuple[NDArray[np.int64], NDArray[Any], Any], ...]
"""(parents, ranks, split) of every level on the way down."""


class SparkCounter:
    """The sum of one local counter per shard. `public` is a local counter without records: it knows how nodes divide."""

    def __init__(self, table: SparkTable, opening: tuple[str, Any], steps: Steps, public: Counter) -> None:
        self._table = table
        self._opening = opening
        self._steps = steps
        self._public = public
        self._counts: dict[bytes, NDArray[np.int64]] = {}
        self._families: tuple[NDArray[np.int64], Any, Counts] | None = None

    @classmethod
    def root(cls, table: SparkTable, name: str, parameter: Any) -> SparkCounter:
        """The counter that a method of the engine opens, with the one parameter that it takes."""
        nobody = local_table(table.kind, len(table.domain), Shard(Flat.of([])))
        return cls(table, (name, parameter), (), getattr(LOCAL, name)(nobody, parameter))

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        return self._public.fan_out(nodes, split)

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        return self._public.scores(nodes)

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        key = nodes.tobytes()
        if key not in self._counts:
            found = asked(self._table, partial(_count, self._opening, self._steps, nodes))
            counts = np.zeros(len(nodes), np.int64)
            counts[found.a] = found.n
            self._counts[key] = counts
        return self._counts[key]

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        if self._families is None or split is not None or np.setdiff1d(nodes, self._families[0]).size:
            self._public.children(nodes, split)  # refuses what a local counter refuses
            found = asked(self._table, partial(_children, self._opening, self._steps, nodes, split))
            counts = Counts(found.a, found.b, found.n)
            if split is not None:
                return counts
            self._families = nodes, split, counts
        return _restricted(self._families[0], self._families[2], nodes)

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> SparkCounter:
        below = self._public.descend(parents, ranks, split)
        return SparkCounter(self._table, self._opening, (*self._steps, (parents, ranks, split)), below)


def _restricted(had: NDArray[np.int64], counts: Counts, nodes: NDArray[np.int64]) -> Counts:
    """The families of some nodes, in the order in which they are asked now."""
    if np.array_equal(had, nodes):
        return counts
    order = np.argsort(had)
    where = order[np.searchsorted(had[order], nodes)]
    starts = np.searchsorted(counts.parent, np.arange(len(had) + 1))
    rows = Flat(np.arange(len(counts.rank)), starts).take(where)  # type: ignore[arg-type]
    return Counts(np.repeat(np.arange(len(nodes)), rows.lengths), counts.rank[rows.items], counts.count[rows.items])


def _reached(table: Any, opening: tuple[str, Any], steps: Steps) -> Counter:
    counter: Counter = getattr(LOCAL, opening[0])(table, opening[1])
    for parents, ranks, split in steps:
        counter = counter.descend(parents, ranks, split)
    return counter


def _count(opening: tuple[str, Any], steps: Steps, nodes: NDArray[np.int64], table: Any) -> Sums:
    counts = _reached(table, opening, steps).count(nodes)
    where = np.flatnonzero(counts)
    return Sums.of(where, n=counts[where])


def _children(opening: tuple[str, Any], steps: Steps, nodes: NDArray[np.int64], split: Any, table: Any) -> Sums:
    counts = _reached(table, opening, steps).children(nodes, split)
    return Sums.of(counts.parent, counts.rank, counts.count)
