"""Taxonomy: a context-free tree over the labels of a domain. Public: made from their order alone, never from data.

Internal nodes are sets of their leaves and need no meaning of their own [Chen thesis, Def. 4.1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """Nodes 0..labels-1 are the leaves (codes); inner nodes follow, children before parents, the root last.

    Node v covers the codes low[v]..high[v]-1. Inner node v has the children child[start[v-labels]:start[v-labels+1]] in
    the order of their codes; `bit` numbers them within v, leaves first, and leaf_bits[v-labels] of them are leaves.
    `internal[v]` is |InternalNodes(v)| and `height[v]` the longest way down to a leaf.

    >>> tree = Taxonomy.balanced(4, fan_out=2)
    >>> tree.root, tree.children(tree.root), tree.internal[tree.root], tree.height[tree.root]
    (6, [4, 5], np.int64(3), np.int64(2))
    """

    labels: int
    low: Ints
    high: Ints
    height: Ints
    internal: Ints
    start: Ints
    child: Ints
    bit: Ints
    leaf_bits: Ints

    @property
    def root(self) -> int:
        return len(self.low) - 1

    def children(self, node: int) -> list[int]:
        """The children of a node in the order of their codes."""
        row = node - self.labels
        return [] if row < 0 else self.child[self.start[row] : self.start[row + 1]].tolist()

    def width(self, nodes: Ints) -> Ints:
        """How many children each inner node has."""
        return np.asarray(self.start[nodes - self.labels + 1] - self.start[nodes - self.labels])

    @classmethod
    def balanced(cls, labels: int, fan_out: int) -> Taxonomy:
        """Group `fan_out` neighbours from one level to the next until one is left.

        Groups of a level differ by at most one member; a group of one would say nothing new, so its member moves up.

        >>> tree = Taxonomy.balanced(17, fan_out=10)
        >>> [(int(tree.low[v]), int(tree.high[v])) for v in (17, 18, 19)]
        [(0, 8), (8, 17), (0, 17)]
        """
        level = np.arange(labels)
        members: list[Ints] = []
        sizes: list[Ints] = []
        nodes = labels
        while len(level) > 1 or nodes == labels:
            groups = -(-len(level) // fan_out)
            size = np.diff(np.arange(groups + 1) * len(level) // groups)
            real = (size > 1) | (labels == 1)
            above = np.where(real, nodes + np.cumsum(real) - 1, level[np.cumsum(size) - 1])
            members.append(level[np.repeat(real, size)])
            sizes.append(size[real])
            level, nodes = above, nodes + int(real.sum())
        return cls._of(labels, np.concatenate(members), np.concatenate(sizes))

    @classmethod
    def nested(cls, groups: Sequence[Any]) -> Taxonomy:
        """From nested lists of the codes 0, 1, 2, … in order.

        >>> tree = Taxonomy.nested([[0, 1], 2])
        >>> tree.children(tree.root), int(tree.leaf_bits[-1])
        ([3, 2], 1)
        """
        members: list[list[int]] = []

        def visit(group: Sequence[Any]) -> int:
            inside = [visit(g) if isinstance(g, Sequence) else int(g) for g in group]
            members.append(inside)
            return -len(members)  # a provisional name: the final one needs the number of labels

        visit(groups)
        leaves = sorted(c for inside in members for c in inside if c >= 0)
        if leaves != list(range(len(leaves))):
            raise ValueError("the codes of a taxonomy must be 0, 1, 2, … each once")
        child = np.array([c if c >= 0 else len(leaves) - 1 - c for inside in members for c in inside], np.int64)
        return cls._of(len(leaves), child, np.array([len(inside) for inside in members], np.int64))

    @classmethod
    def _of(cls, labels: int, child: Ints, sizes: Ints) -> Taxonomy:
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        inner = len(sizes)
        low = np.concatenate([np.arange(labels), np.zeros(inner, np.int64)])
        high = np.concatenate([np.arange(1, labels + 1), np.zeros(inner, np.int64)])
        height, internal = np.zeros(labels + inner, np.int64), np.zeros(labels + inner, np.int64)
        first = 0
        while first < inner:
            # Invariant: everything is known of the nodes before `first`; take those whose children all lie before it.
            last = int(np.searchsorted(np.maximum.accumulate(child), labels + first))
            last = int(np.searchsorted(start, last, "right")) - 1
            rows, nodes = np.arange(first, last), labels + np.arange(first, last)
            cut = slice(start[first], start[last])
            at = start[rows] - start[first]
            low[nodes], high[nodes] = low[child[start[rows]]], high[child[start[rows + 1] - 1]]
            height[nodes] = 1 + np.maximum.reduceat(height[child[cut]], at)
            internal[nodes] = 1 + np.add.reduceat(internal[child[cut]], at)
            first = last
        owner = np.repeat(np.arange(inner), sizes)
        order = np.lexsort((np.arange(len(child)), child >= labels, owner))
        bit = np.empty(len(child), np.int64)
        bit[order] = np.arange(len(child)) - start[owner]
        leaf_bits = np.bincount(owner[child < labels], minlength=inner)
        return cls(labels, low, high, height, internal, start, child, bit, leaf_bits)
