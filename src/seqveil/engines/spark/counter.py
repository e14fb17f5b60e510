"""Counters of trees over shards: the steps down the tree are sent along with every question.

An executor keeps nothing between two questions. It opens the local engine's counter on every shard, follows the same steps, and
counts. That is more work than remembering where every record stands, by a factor of the depth at most, and it leaves nothing that
could be lost with an executor.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seqveil.engines.local.engine import ENGINE as LOCAL
from seqveil.engines.protocol import Counts, Scores
from seqveil.engines.spark.passes import Sums, asked, local_table
from seqveil.tables.flat import Flat
from seqveil.tables.shards import Shard
from seqveil.tables.spark import SparkTable

Opening = tuple[str, tuple[Any, ...], dict[str, Any]]
"""The method of the local engine that opens a counter, and its parameters by place and by name."""

Steps = tuple[tuple[NDArray[np.int64], NDArray[Any], Any], ...]
"""(parents, ranks, split) of every level on the way down."""


class SparkCounter:
    """The sum of one local counter per shard. `public` is a local counter without records: it knows how nodes divide."""

    def __init__(self, table: SparkTable, opening: Opening, steps: Steps, public: Any) -> None:
        self._table = table
        self._opening = opening
        self._steps = steps
        self._public = public
        self._counts: dict[bytes, NDArray[np.int64]] = {}
        self._families: tuple[NDArray[np.int64], Any, Counts] | None = None

    @classmethod
    def root(cls, table: SparkTable, name: str, *parameters: Any, **named: Any) -> Self:
        """The counter that a method of the engine opens, with the parameters that it takes."""
        nobody = local_table(table.kind, len(table.domain), Shard(Flat.of([])))
        return cls(table, (name, parameters, named), (), getattr(LOCAL, name)(nobody, *parameters, **named))

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        widths: list[int] = self._public.fan_out(nodes, split)
        return widths

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        scores: Scores = self._public.scores(nodes)
        return scores

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        key = nodes.tobytes()
        if key not in self._counts:
            sums = asked(self._table, partial(_count, self._opening, self._steps, nodes))
            counts = np.zeros(len(nodes), np.int64)
            counts[sums.a] = sums.n
            self._counts[key] = counts
        return self._counts[key]

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        if self._families is None or split is not None or np.setdiff1d(nodes, self._families[0]).size:
            caps = self._public.children(nodes, split).most is not None  # and it refuses what a local counter refuses
            sums = asked(self._table, partial(_children, self._opening, self._steps, nodes, split))
            counts = Counts(sums.a, sums.b, sums.n, int(sums.h.max(initial=0)) if caps else None)
            if split is not None:
                return counts
            self._families = nodes, split, counts
        return _restricted(self._families[0], self._families[2], nodes)

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> Self:
        below = self._public.descend(parents, ranks, split)
        return type(self)(self._table, self._opening, (*self._steps, (parents, ranks, split)), below)


class SparkRegions(SparkCounter):
    """Regions of the pairs of vertices of a graph. Splits are scored here, from counts of edges by block of the grid of cuts."""

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        sums = asked(self._table, partial(_blocks, self._opening, self._steps, nodes))
        scores: Scores = self._public.scores_of(nodes, Counts(sums.a, sums.b, sums.n))
        return scores

    def region(self, node: int) -> NDArray[np.int64]:
        region: NDArray[np.int64] = self._public.region(node)
        return region

    def occupied(self, node: int) -> NDArray[np.int64]:
        return asked(self._table, partial(_occupied, self._opening, self._steps, node)).a


def _restricted(had: NDArray[np.int64], counts: Counts, nodes: NDArray[np.int64]) -> Counts:
    """The families of some nodes, in the order in which they are asked now."""
    if np.array_equal(had, nodes):
        return counts
    order = np.argsort(had)
    where = order[np.searchsorted(had[order], nodes)]
    starts = np.searchsorted(counts.parent, np.arange(len(had) + 1))
    rows = Flat(np.arange(len(counts.rank)), starts).take(where)  # type: ignore[arg-type]
    return Counts(np.repeat(np.arange(len(nodes)), rows.lengths), counts.rank[rows.items], counts.count[rows.items], counts.most)


def _reached(table: Any, opening: Opening, steps: Steps) -> Any:
    counter = getattr(LOCAL, opening[0])(table, *opening[1], **opening[2])
    for parents, ranks, split in steps:
        counter = counter.descend(parents, ranks, split)
    return counter


def _count(opening: Opening, steps: Steps, nodes: NDArray[np.int64], table: Any) -> Sums:
    counts = _reached(table, opening, steps).count(nodes)
    where = np.flatnonzero(counts)
    return Sums.of(where, n=counts[where])


def _children(opening: Opening, steps: Steps, nodes: NDArray[np.int64], split: Any, table: Any) -> Sums:
    counts = _reached(table, opening, steps).children(nodes, split)
    return Sums.of(counts.parent, counts.rank, counts.count, counts.most or 0)


def _occupied(opening: Opening, steps: Steps, node: int, table: Any) -> Sums:
    return Sums.of(_reached(table, opening, steps).occupied(node))


def _blocks(opening: Opening, steps: Steps, nodes: NDArray[np.int64], table: Any) -> Sums:
    blocks = _reached(table, opening, steps).blocks(nodes)
    return Sums.of(blocks.parent, blocks.rank, blocks.count)
