"""Counts and densities of the regions of an upper triangle, from the sparse list of edges.

Edges are kept grouped by the region they lie in and sorted by (row, column) within it; no matrix is ever formed. All
splitting points of a region are scored in one sweep over its rows: the edges above the cut are counted per column block
and summed from the left, so the cost is (splitting points + edges) and the memory one row of cuts.

A score depends on edges by the *block* they lie in alone, the cell of the grid of cuts. So where edges lie in many places, their
counts by block are added up, and scored like edges that stand in the first corner of their block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import CallError
from seqveil.tables.triangle import cells_between, count_splits, is_legal, numbers_at, quadrants, root, steps_of

SENSITIVITY = 1
"""One edge moves the score of a splitting point by at most this (see wall/questions/density.py)."""

_Edges = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Rows and columns of edges, and how many times each of them is there."""

BITS = 31
"""Sizes of regions are shortened to this many bits of the least size, so that no product leaves int64."""


@njit(cache=True)
def _quadrant_counts(low, high, segment, nodes, split):  # type: ignore[no-untyped-def]
    counts = np.zeros((len(nodes), 4), np.int64)
    for k in range(len(nodes)):
        for e in range(segment[nodes[k]], segment[nodes[k] + 1]):
            counts[k, 2 * (low[e] >= split[k, 0]) + (high[e] >= split[k, 1])] += 1
    return counts


@njit(cache=True)
def _follow(low, high, segment, parents, ranks, split):  # type: ignore[no-untyped-def]
    """The edges of the named children, in the order of the children; order within a child is kept."""
    size = np.zeros(len(parents) + 1, np.int64)
    for write in range(2):
        if write:
            segments = np.cumsum(size)
            rows, columns = np.empty(segments[-1], low.dtype), np.empty(segments[-1], high.dtype)
        for k in range(len(parents)):
            at = segments[k] if write else 0
            for e in range(segment[parents[k]], segment[parents[k] + 1]):
                if 2 * (low[e] >= split[k, 0]) + (high[e] >= split[k, 1]) == ranks[k]:
                    if write:
                        rows[at], columns[at] = low[e], high[e]
                    at += 1
            if not write:
                size[k + 1] = at
    return rows, columns, segments


@njit(cache=True)
def _scaled(count, size, least, shift):  # type: ignore[no-untyped-def]
    """⌊least · density⌋; one edge more or less moves it by at most 1, because size ≥ least. Exact integers."""
    return (count * (least >> shift)) // (size >> shift)


@njit(cache=True)
def _score_splits(low, high, times, region, least, step, shift, out):  # type: ignore[no-untyped-def]
    """Scores of the legal splits of one region in their public order; `low`, `high` are its edges, sorted, each so many times."""
    top, bottom, left, right = region[0], region[1], region[2], region[3]
    by_row, by_column = steps_of(region, step)
    blocks = (right - left + by_column - 1) // by_column
    everywhere, above = np.zeros(blocks, np.int64), np.zeros(blocks, np.int64)
    total = 0
    for e in range(len(high)):
        everywhere[(high[e] - left) // by_column] += times[e]
        total += times[e]
    at, edge, passed = 0, 0, 0
    for row in range(top + by_row, bottom, by_row):
        while edge < len(low) and low[edge] < row:
            above[(high[edge] - left) // by_column] += times[edge]
            passed += times[edge]
            edge += 1
        # Invariant: `above` counts the edges in rows before `row`, by block of columns; `passed` of them there are.
        upper_left, all_left = 0, 0
        for block in range(blocks - 1):
            upper_left += above[block]
            all_left += everywhere[block]
            column = left + (block + 1) * by_column
            if not is_legal(region, row, column, least):
                continue
            counts = (upper_left, passed - upper_left, all_left - upper_left, total - passed - all_left + upper_left)
            sizes = (
                cells_between(top, row, left, column),
                cells_between(top, row, column, right),
                cells_between(row, bottom, left, column),
                cells_between(row, bottom, column, right),
            )
            densest, sparsest = -1, least + 1
            for k in range(4):
                if sizes[k] > 0:
                    density = _scaled(counts[k], sizes[k], least, shift)
                    densest, sparsest = max(densest, density), min(sparsest, density)
            out[at] = densest - sparsest
            at += 1


class DensityCounter:
    """Edges grouped by region. `least[d]` is the size that every part of a region at depth d must have."""

    def __init__(
        self,
        low: NDArray[np.int32],
        high: NDArray[np.int32],
        segment: NDArray[np.int64],
        regions: NDArray[np.int64],
        depth: int,
        least: tuple[int, ...],
        step: int,
    ) -> None:
        self._low, self._high, self._segment = low, high, segment
        self._regions = regions
        self._depth, self._least, self._step = depth, least, step

    @classmethod
    def root(
        cls, low: NDArray[np.int32], high: NDArray[np.int32], vertices: int, least: tuple[int, ...], step: int
    ) -> DensityCounter:
        """All edges in one region."""
        return cls(low, high, np.array([0, len(low)], np.int64), root(vertices)[None], 0, least, step)

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        return [4] * len(nodes)

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        counts = _quadrant_counts(self._low, self._high, self._segment, nodes, _points(split))
        parent, rank = np.nonzero(counts)
        return Counts(parent, rank, counts[parent, rank])

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._segment[nodes + 1] - self._segment[nodes])

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        def edges(k: int) -> _Edges:
            of = slice(self._segment[nodes[k]], self._segment[nodes[k] + 1])
            return self._low[of], self._high[of], np.ones(of.stop - of.start, np.int64)

        return self._scored(nodes, edges)

    def blocks(self, nodes: NDArray[np.int64]) -> Counts:
        """The edges of some regions by the block of the grid of cuts that they lie in, row by row: what scores are made of."""
        parts = [(np.zeros(0, np.int64),) * 3]
        for k, node in enumerate(nodes.tolist()):
            of, region = slice(self._segment[node], self._segment[node + 1]), self._regions[node]
            by_row, by_column = steps_of(region, self._step)
            rows, columns = (self._low[of] - region[0]) // by_row, (self._high[of] - region[2]) // by_column
            block, times = np.unique(rows * self._wide(region) + columns, return_counts=True)
            parts.append((np.full(len(block), k), block, times))
        parent, rank, count = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Counts(parent, rank, count)

    def scores_of(self, nodes: NDArray[np.int64], blocks: Counts) -> Scores:
        """The scores of splits from the sums of `blocks` over all places where edges lie."""
        segment = np.searchsorted(blocks.parent, np.arange(len(nodes) + 1))

        def edges(k: int) -> _Edges:
            of, region = slice(segment[k], segment[k + 1]), self._regions[nodes[k]]
            by_row, by_column = steps_of(region, self._step)
            rows, columns = np.divmod(blocks.rank[of], self._wide(region))
            return region[0] + rows * by_row, region[2] + columns * by_column, blocks.count[of]

        return self._scored(nodes, edges)

    def _wide(self, region: NDArray[np.int64]) -> int:
        """More than there are blocks in a row of the grid of cuts."""
        return int(region[3] - region[2]) + 1

    def _scored(self, nodes: NDArray[np.int64], edges: Callable[[int], _Edges]) -> Scores:
        if self._depth >= len(self._least):
            raise CallError(f"regions at depth {self._depth} are leaves: they have no split to choose.")
        least = self._least[self._depth]
        shift = max(0, least.bit_length() - BITS)
        start = np.concatenate([[0], np.cumsum(count_splits(self._regions[nodes], least, self._step))])
        scores = np.empty(start[-1], np.int64)
        for k, node in enumerate(nodes.tolist()):
            _score_splits(*edges(k), self._regions[node], least, self._step, shift, scores[start[k] : start[k + 1]])
        return Scores(start, scores, SENSITIVITY)

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[np.int64], split: Any = None) -> DensityCounter:
        points = _points(split)
        low, high, segment = _follow(self._low, self._high, self._segment, parents, ranks, points)
        regions = quadrants(self._regions[parents], points)[np.arange(len(ranks)), ranks]
        return DensityCounter(low, high, segment, regions, self._depth + 1, self._least, self._step)

    def occupied(self, node: int) -> NDArray[np.int64]:
        """The numbers of a region's cells that hold an edge, ascending."""
        edges = slice(self._segment[node], self._segment[node + 1])
        top, bottom, left, right = self._regions[node].tolist()
        return np.asarray(numbers_at(top, bottom, left, right, self._low[edges], self._high[edges]))

    def region(self, node: int) -> NDArray[np.int64]:
        """The region of a node; public."""
        return np.asarray(self._regions[node])


def _points(split: Any) -> NDArray[np.int64]:
    if split is None:
        raise CallError("a region is divided around a splitting point: give split = an array of (row, column).")
    return np.asarray(split, np.int64).reshape(-1, 2)
