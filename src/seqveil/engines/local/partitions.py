"""Counts of sub-partitions, cut by cut, over flat sorted sets.

A partition is divided by cutting one taxonomy node u: a record goes where the children of u that cover some of its items
say. These children as bits make the *mask* of a record, never 0 because u covers an item of every record here. The counter
keeps record numbers grouped by partition, so one cut costs one pass over the records that are still in the tree.

`split` has a row (u, family) per node. Family 0 is every sub-partition, rank = mask − 1. Where some children of u are leaves of
the taxonomy and some are not, leaves have the low bits, so that a mask below 2**leaves chooses leaves alone: family 1 are
those (rank = mask − 1), family 2 all others (rank = mask − 2**leaves), and family 3 routes a node into these two parts.

Where the taxonomy has attributes, a record goes to one child of u alone: the one that covers its first item below u, or, where
u is a whole attribute, to none of them. This *step*, 0 for none and otherwise 1 + the child's bit, takes the place of the mask.
Families are the same ("none" counts among the leaves), and a rank is the step less the first step of its family.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import CallError
from seqveil.tables.flat import Flat
from seqveil.tables.taxonomy import Taxonomy

EVERY, LEAVES, OTHERS, ROUTE = range(4)
"""Which sub-partitions of a cut a family holds."""

WIDEST = 62
"""Most children of a node: a mask is an int64."""

_TALLIED = 16
"""Up to 2**16 masks are tallied in an array; more are sorted."""


@njit(cache=True)
def _masks(items, offsets, records, edges, bits):  # type: ignore[no-untyped-def]
    """Which children (edges[i]..edges[i+1] in codes, numbered bits[i]) cover some item of each record."""
    masks = np.zeros(len(records), np.int64)
    low, high = edges[0], edges[-1]
    for r in range(len(records)):
        start, stop = offsets[records[r]], offsets[records[r] + 1]
        a, b = start, stop
        while a < b:  # the first item that u covers
            middle = (a + b) // 2
            if items[middle] < low:
                a = middle + 1
            else:
                b = middle
        mask, child = np.int64(0), 0
        while a < stop and items[a] < high:
            while items[a] >= edges[child + 1]:
                child += 1
            mask |= np.int64(1) << bits[child]
            a += 1
        masks[r] = mask
    return masks


@njit(cache=True)
def _steps(items, offsets, records, edges, bits):  # type: ignore[no-untyped-def]
    """1 + the number of the child that covers the first item of each record below u; 0 where u covers none."""
    steps = np.zeros(len(records), np.int64)
    for r in range(len(records)):
        inside = items[offsets[records[r]] : offsets[records[r] + 1]]
        at = np.searchsorted(inside, edges[0])
        if at < len(inside) and inside[at] < edges[-1]:
            steps[r] = 1 + bits[np.searchsorted(edges, inside[at], side="right") - 1]
    return steps


@njit(cache=True)
def _ranks(masks, family, leaves):  # type: ignore[no-untyped-def]
    """Ranks in place of masks."""
    for r in range(len(masks)):
        if family == 3:
            masks[r] = 0 if masks[r] < np.int64(1) << leaves else 1
        else:
            masks[r] -= np.int64(1) << leaves if family == 2 else 1
    return masks


@njit(cache=True)
def _node_ranks(items, offsets, records, cut, family, tree):  # type: ignore[no-untyped-def]
    """The rank of every record of one node under its cut."""
    labels, low, high, start, child, bit, leaf_bits, optional, attributes = tree
    row = cut - labels
    a, b = start[row], start[row + 1]
    edges = np.empty(b - a + 1, np.int64)
    for i in range(a, b):
        edges[i - a] = low[child[i]]
    edges[b - a] = high[cut]
    if not attributes:
        return _ranks(_masks(items, offsets, records, edges, bit[a:b]), family, leaf_bits[row])
    steps = _steps(items, offsets, records, edges, bit[a:b])
    if family == 3:
        return (steps > leaf_bits[row]).astype(np.int64)
    return steps - (leaf_bits[row] + 1 if family == 2 else (0 if optional[row] else 1))


@njit(cache=True)
def _tallied(ranks, wide, tally):  # type: ignore[no-untyped-def]
    """Distinct ranks, ascending, and how often each occurs; `tally` is all zero before and after."""
    if wide > len(tally):
        ordered = np.sort(ranks)
        fresh = np.ones(len(ordered), np.bool_)
        fresh[1:] = ordered[1:] != ordered[:-1]
        first = np.flatnonzero(fresh)
        return ordered[first], np.diff(np.append(first, len(ordered)))
    distinct = np.empty(min(len(ranks), wide), np.int64)
    n = 0
    for rank in ranks:
        if tally[rank] == 0:
            distinct[n] = rank
            n += 1
        tally[rank] += 1
    distinct = np.sort(distinct[:n])
    count = np.empty(n, np.int64)
    for i in range(n):
        count[i] = tally[distinct[i]]
        tally[distinct[i]] = 0
    return distinct, count


@njit(cache=True)
def _count_children(items, offsets, records, segment, nodes, cuts, families, widths, tree, tally):  # type: ignore[no-untyped-def]
    most = 0
    for i in range(len(nodes)):
        most += min(segment[nodes[i] + 1] - segment[nodes[i]], widths[i])
    parent, rank, count = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    end = 0
    for i in range(len(nodes)):
        # Invariant: the first `end` outputs are sorted by parent, then rank.
        inside = records[segment[nodes[i]] : segment[nodes[i] + 1]]
        ranks = _node_ranks(items, offsets, inside, cuts[i], families[i], tree)
        distinct, copies = _tallied(ranks, widths[i], tally)
        for j in range(len(distinct)):
            parent[end], rank[end], count[end] = i, distinct[j], copies[j]
            end += 1
    return parent[:end].copy(), rank[:end].copy(), count[:end].copy()


@njit(cache=True)
def _follow(items, offsets, records, segment, parents, ranks, cuts, families, tree):  # type: ignore[no-untyped-def]
    """Records grouped by child; `parents` ascend, and `ranks` ascend within one parent. Others are left behind."""
    child_of = np.full(len(records), -1, np.int64)
    size = np.zeros(len(parents) + 1, np.int64)
    first = 0
    while first < len(parents):
        last = first
        while last < len(parents) and parents[last] == parents[first]:
            last += 1
        start, stop = segment[parents[first]], segment[parents[first] + 1]
        reached = _node_ranks(items, offsets, records[start:stop], cuts[first], families[first], tree)
        where = first + np.searchsorted(ranks[first:last], reached)
        for r in range(len(reached)):
            if where[r] < last and ranks[where[r]] == reached[r]:
                child_of[start + r] = where[r]
                size[where[r] + 1] += 1
        first = last
    segments = np.cumsum(size)
    following = np.empty(segments[-1], records.dtype)
    cursor = segments[:-1].copy()
    for r in range(len(records)):
        if child_of[r] >= 0:
            following[cursor[child_of[r]]] = records[r]
            cursor[child_of[r]] += 1
    return following, segments


@njit(cache=True)
def _gather(items, offsets, records):  # type: ignore[no-untyped-def]
    starts = np.zeros(len(records) + 1, np.int64)
    for r in range(len(records)):
        starts[r + 1] = starts[r] + offsets[records[r] + 1] - offsets[records[r]]
    gathered = np.empty(starts[-1], items.dtype)
    for r in range(len(records)):
        first = offsets[records[r]]
        for j in range(starts[r], starts[r + 1]):
            gathered[j] = items[first + j - starts[r]]
    return gathered, starts


def _gathered(flat: Flat, records: NDArray[np.int32]) -> Flat:
    """The records, one after the other."""
    return Flat(*_gather(flat.items, flat.offsets, records))


class PartitionCounter:
    """Records grouped by the partition they are in."""

    def __init__(self, flat: Flat, taxonomy: Taxonomy, records: NDArray[np.int32], segment: NDArray[np.int64]) -> None:
        self._flat = flat
        self._taxonomy = taxonomy
        self._records = records
        self._segment = segment

    @classmethod
    def root(cls, flat: Flat, taxonomy: Taxonomy) -> PartitionCounter:
        """All records in one partition, whose cut is the trunk of the taxonomy; empty records are in none."""
        records = np.flatnonzero(flat.lengths).astype(np.int32)
        flat = _placed(flat, taxonomy)
        return cls(flat, taxonomy, records, np.array([0, len(records)], np.int64))

    def fan_out(self, nodes: NDArray[np.int64], split: Any = None) -> list[int]:
        widths: list[int] = _fan_out(self._taxonomy, *_columns(split)).tolist()
        return widths

    def children(self, nodes: NDArray[np.int64], split: Any = None) -> Counts:
        cuts, families = _columns(split)
        widths = _fan_out(self._taxonomy, cuts, families)
        tally = np.zeros(min(int(widths.max(initial=1)), 1 << _TALLIED), np.int64)
        tree = _arrays(self._taxonomy)
        flat = self._flat
        return Counts(
            *_count_children(flat.items, flat.offsets, self._records, self._segment, nodes, cuts, families, widths, tree, tally)
        )

    def count(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._segment[nodes + 1] - self._segment[nodes])

    def scores(self, nodes: NDArray[np.int64]) -> Scores:
        raise CallError("which node of a partition is cut is decided by the taxonomy alone: there is nothing to choose.")

    def descend(self, parents: NDArray[np.int64], ranks: NDArray[Any], split: Any = None) -> PartitionCounter:
        ranks = ranks.astype(np.int64)
        order = np.lexsort((ranks, parents))
        cuts, families = _columns(split)
        flat, tree = self._flat, _arrays(self._taxonomy)
        records, segment = _follow(
            flat.items, flat.offsets, self._records, self._segment,
            parents[order], ranks[order], cuts[order], families[order], tree,
        )  # fmt: skip
        if not np.array_equal(order, np.arange(len(order))):
            rows = Flat(records, segment).take(np.argsort(order))
            records, segment = rows.items, rows.offsets
        # Records of one node stand together from here on: reading them where they were costs more, the more records there are.
        return PartitionCounter(_gathered(flat, records), self._taxonomy, np.arange(len(records), dtype=np.int32), segment)


def _columns(split: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.ascontiguousarray(split[:, 0]), np.ascontiguousarray(split[:, 1])


def _fan_out(taxonomy: Taxonomy, cuts: NDArray[np.int64], families: NDArray[np.int64]) -> NDArray[np.int64]:
    width, leaves = taxonomy.width(cuts), taxonomy.leaf_bits[cuts - taxonomy.labels]
    if taxonomy.attributes:
        none = taxonomy.optional[cuts - taxonomy.labels].astype(np.int64)
        every, leaves, others = width + none, leaves + none, width - leaves
    else:
        every, leaves = (np.int64(1) << width) - 1, (np.int64(1) << leaves) - 1
        others = every - leaves
    sizes = np.stack([every, leaves, others, np.full(len(cuts), 2)])
    return np.asarray(sizes[families, np.arange(len(cuts))])


def _placed(flat: Flat, taxonomy: Taxonomy) -> Flat:
    """Codes as leaves of the taxonomy, ascending within every record."""
    if np.array_equal(taxonomy.code, np.arange(taxonomy.labels)):
        return flat
    leaf = np.argsort(taxonomy.code)[flat.items].astype(flat.items.dtype)
    owner = np.repeat(np.arange(len(flat)), flat.lengths)
    return Flat(leaf[np.lexsort((leaf, owner))], flat.offsets)


def _arrays(t: Taxonomy) -> tuple[Any, ...]:
    return t.labels, t.low, t.high, t.start, t.child, t.bit, t.leaf_bits, t.optional, t.attributes
