"""Taxonomy: a context-free tree over the labels of a domain. Public: made from their order or from a file, never from data.

Internal nodes are sets of their leaves and need no meaning of their own [Chen thesis, Def. 4.1]. Where labels are the values of
attributes, of which a record has at most one each, there is one tree per attribute (docs/mechanisms/diffpart.md, 'Rows').
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.granularity import Granularities

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """Nodes 0..labels-1 are the leaves; inner nodes follow, children before parents, the root last.

    Leaf i is the label with the code `code[i]`. Node v covers the leaves low[v]..high[v]-1. Inner node v has the children
    child[start[v-labels]:start[v-labels+1]] in the order of their leaves; `bit` numbers them within v, leaves first, and
    leaf_bits[v-labels] of them are leaves. `internal[v]` is |InternalNodes(v)| and `height[v]` the longest way down to a leaf.
    With `attributes`, the children of the root are the trees of attributes, and of each a record has one value or none.

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
    code: Ints
    attributes: bool = False

    @property
    def root(self) -> int:
        return len(self.low) - 1

    def children(self, node: int) -> list[int]:
        """The children of a node in the order of their leaves."""
        row = node - self.labels
        return [] if row < 0 else self.child[self.start[row] : self.start[row + 1]].tolist()

    def width(self, nodes: Ints) -> Ints:
        """How many children each inner node has."""
        return np.asarray(self.start[nodes - self.labels + 1] - self.start[nodes - self.labels])

    @property
    def trunk(self) -> Ints:
        """Where every record begins: the root, or the trees of all attributes."""
        return np.array(self.children(self.root) if self.attributes else [self.root], np.int64)

    @property
    def optional(self) -> NDArray[np.bool_]:
        """By inner node: whether a record that is to be divided there may have nothing below it, as with whole attributes."""
        optional = np.zeros(len(self.low) - self.labels, np.bool_)
        if self.attributes:
            optional[self.trunk - self.labels] = True
        return optional

    @classmethod
    def balanced(cls, labels: int, fan_out: int) -> Taxonomy:
        """Group `fan_out` neighbours from one level to the next until one is left.

        Groups of a level differ by at most one member; a group of one would say nothing new, so its member moves up.

        >>> tree = Taxonomy.balanced(17, fan_out=10)
        >>> [(int(tree.low[v]), int(tree.high[v])) for v in (17, 18, 19)]
        [(0, 8), (8, 17), (0, 17)]
        """
        return cls.grouped([], labels, fan_out)

    @classmethod
    def from_file(cls, path: str, domain: Domain, fan_out: int) -> Taxonomy:
        """The groups of a file (`Granularities.from_file` says how they are written)."""
        return cls.grouped(Granularities.from_file(path, domain).member[:-1], len(domain), fan_out)

    @classmethod
    def grouped(cls, groups: Sequence[Ints], labels: int, fan_out: int, attributes: bool = False) -> Taxonomy:
        """From the group of every label, the coarsest grouping first; groups stand in the order of their first labels.

        Where more than `fan_out` groups or labels meet in one group, neighbours among them are grouped first. With
        `attributes`, the coarsest groups are attributes.

        >>> tree = Taxonomy.grouped([np.array([0, 1, 0, 1])], 4, fan_out=10)
        >>> tree.code.tolist(), [tree.children(v) for v in (4, 5, 6)]
        ([0, 2, 1, 3], [[0, 1], [2, 3], [4, 5]])
        """
        keys = [_first_codes(group) for group in groups]
        code = np.lexsort([np.arange(labels), *keys[::-1]])
        growing = _Growing(labels)
        for depth in range(len(keys), 0, -1):
            changes = [np.diff(key[code], prepend=-1) != 0 for key in keys[:depth]]
            growing.gather(np.flatnonzero(np.any(changes, axis=0)), fan_out, labels if attributes and depth == 1 else 0)
        growing.gather(np.zeros(1, np.int64), *((labels, 3 * labels) if attributes else (fan_out, labels)))
        tree = cls._of(labels, np.concatenate(growing.members), np.concatenate(growing.sizes))
        return replace(tree, code=code, attributes=attributes)

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
        return cls(labels, low, high, height, internal, start, child, bit, leaf_bits, np.arange(labels))


def _first_codes(group: Ints) -> Ints:
    """Every label's group, named by the first code in it."""
    first = np.full(int(group.max(initial=-1)) + 1, len(group), np.int64)
    np.minimum.at(first, group, np.arange(len(group)))
    return np.asarray(first[group])


class _Growing:
    """A tree that grows from its leaves: `_level` are the nodes that have no parent yet, `_first` is the first leaf of each."""

    def __init__(self, labels: int) -> None:
        self._level = self._first = np.arange(labels)
        self._nodes = labels
        self.members: list[Ints] = []
        self.sizes: list[Ints] = []

    def gather(self, begins: Ints, fan_out: int, wrapped: int) -> None:
        """One node for each group of leaves, which begin at the leaves `begins`. A group that is one node already stays as it is,
        but is put into a node of its own if its number is below `wrapped`."""
        edges = np.append(np.searchsorted(self._first, begins), len(self._level))
        divided = (np.diff(edges) > 1) | (self._level[edges[:-1]] < wrapped)
        while divided.any():
            edges = self._step(edges, divided, fan_out)
            divided = np.diff(edges) > 1

    def _step(self, edges: Ints, divided: NDArray[np.bool_], fan_out: int) -> Ints:
        """At most `fan_out` neighbours of one group get a parent; where the groups begin and end among what is left."""
        wide = np.diff(edges)
        parts = -(-wide // fan_out)
        group = np.repeat(np.arange(len(wide)), parts)
        nth = np.arange(len(group)) - np.repeat(np.cumsum(parts) - parts, parts)
        begin = edges[group] + nth * wide[group] // parts[group]
        size = np.diff(np.append(begin, len(self._level)))
        real = (size > 1) | (divided & (wide == 1))[group]
        self.members.append(self._level[np.repeat(real, size)])
        self.sizes.append(size[real])
        self._level = np.where(real, self._nodes + np.cumsum(real) - 1, self._level[begin])
        self._first = self._first[begin]
        self._nodes += int(real.sum())
        return np.concatenate([[0], np.cumsum(parts)])
