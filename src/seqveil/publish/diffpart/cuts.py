"""Hierarchy cuts of many partitions at once, and which node of each is cut next. Public: made from noisy answers alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat
from seqveil.tables.taxonomy import Taxonomy


@njit(cache=True)
def _specialise(items, offsets, parent, cut, mask, labels, start, child, bit):  # type: ignore[no-untyped-def]
    """The cut of partition `parent[k]` with `cut[k]` replaced by those of its children that `mask[k]` chooses."""
    n = len(parent)
    starts = np.zeros(n + 1, np.int64)
    for k in range(n):
        chosen = 0
        rest = mask[k]
        while rest:
            rest &= rest - 1
            chosen += 1
        starts[k + 1] = starts[k] + offsets[parent[k] + 1] - offsets[parent[k]] - 1 + chosen
    specialised = np.empty(starts[n], np.int32)
    for k in range(n):
        out = starts[k]
        for j in range(offsets[parent[k]], offsets[parent[k] + 1]):
            if items[j] != cut[k]:
                specialised[out] = items[j]
                out += 1
        row = cut[k] - labels
        for j in range(start[row], start[row + 1]):
            if (mask[k] >> bit[j]) & 1:
                specialised[out] = child[j]
                out += 1
    return specialised, starts


@njit(cache=True)
def _tallest(items, offsets, height, weight):  # type: ignore[no-untyped-def]
    """Per cut: the last node of the largest height, how many nodes are not labels, and the cuts to come."""
    n = len(offsets) - 1
    chosen, inner, cuts = np.empty(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.float64)
    for k in range(n):
        best = items[offsets[k]]
        for j in range(offsets[k], offsets[k + 1]):
            node = items[j]
            cuts[k] += weight[node]
            inner[k] += height[node] > 0
            if height[node] > height[best] or (height[node] == height[best] and node > best):
                best = node
        chosen[k] = best
    return chosen, inner, np.ceil(cuts).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Partitions that are not leaves: their numbers in the private tree, their cuts, and how they are divided next.

    The node that is cut is the last of the largest height: a function of the hierarchy cut alone, never of counts
    (docs/soundness.md, 'The choice of a cut'). For rows it is chosen privately afterwards. `cuts` are the cuts to come, by
    which ε is divided; `inner` are the nodes of the hierarchy cut that are not labels.
    """

    node: NDArray[np.int64]
    cut: Flat
    chosen: NDArray[np.int64]
    inner: NDArray[np.int64]
    cuts: NDArray[np.int64]

    @classmethod
    def of(cls, node: NDArray[np.int64], cut: Flat, taxonomy: Taxonomy, weight: NDArray[np.float64]) -> Partition:
        return cls(node, cut, *_tallest(cut.items, cut.offsets, taxonomy.height, weight))

    def __len__(self) -> int:
        return len(self.node)

    def leaf_children(self, taxonomy: Taxonomy) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether all, and whether some, of the next sub-partitions are leaf partitions."""
        row = self.chosen - taxonomy.labels
        leaves = taxonomy.leaf_bits[row]
        all_leaves = leaves == taxonomy.width(self.chosen)
        return (self.inner == 1) & all_leaves, (self.inner == 1) & ((leaves > 0) | taxonomy.optional[row])

    def choices(self, taxonomy: Taxonomy) -> tuple[NDArray[np.int64], Flat]:
        """The partitions in which several nodes are the tallest, and these nodes."""
        height = taxonomy.height[self.cut.items]
        owner = np.repeat(np.arange(len(self)), self.cut.lengths)
        tallest = height == taxonomy.height[self.chosen][owner]
        number = np.bincount(owner[tallest], minlength=len(self))
        rows = np.flatnonzero(number > 1)
        offsets = np.concatenate([[0], np.cumsum(number)]).astype(np.int64)
        return rows, Flat(self.cut.items[tallest], offsets).take(rows)


def specialise(parents: Partition, which: NDArray[np.int64], mask: NDArray[np.int64], taxonomy: Taxonomy) -> Flat:
    """The cuts of sub-partitions: of the partition at position which[k], the children in mask[k] replace the cut node.

    >>> taxonomy = Taxonomy.balanced(4, fan_out=2)
    >>> whole = Partition.of(np.array([0]), Flat.of([[taxonomy.root]]), taxonomy, taxonomy.internal.astype(float))
    >>> [c.tolist() for c in specialise(whole, np.array([0, 0]), np.array([1, 3]), taxonomy)]
    [[4], [4, 5]]
    """
    t, cut = taxonomy, parents.cut
    specialised = _specialise(cut.items, cut.offsets, which, parents.chosen[which], mask, t.labels, t.start, t.child, t.bit)
    return Flat(*specialised)
