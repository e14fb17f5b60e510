"""LevelTree: noisy n-grams or prefixes in flat arrays, level after level, as the wall answered them.

The root is node 0. A level's nodes follow each other, sorted by parent and then symbol; so parents rise over the whole tree, and
so do the pairs of parent and symbol.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import Children

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True, eq=False)
class LevelTree:
    """A tree over `labels` labels, whose number is also the symbol of the end of a record, in trees that count ends.

    `noisy`, `scale` and `threshold` are a node's answer, its noise and what it had to reach; `count` is the best estimate, which
    begins as the answer. `private` is the node's number in the private tree, or -1 where the wall was never asked and the count
    follows from others: such a node has no answer.

    >>> tree = LevelTree(labels=2)
    >>> tree.add(np.array([0, 0]), np.array([1, 0]), noisy=np.array([4, 5]))         # b:4, a:5
    >>> tree.add(np.array([1]), np.array([1]), noisy=np.array([3]))                  # ab:3
    >>> tree.symbol.tolist(), tree.noisy.tolist(), tree.levels, tree.height
    ([-1, 0, 1, 1], [0, 5, 4, 3], [0, 1, 3, 4], 2)
    >>> tree.child(np.array([1, 2]), np.array([1, 1])).tolist()
    [3, 0]
    """

    labels: int
    parent: Ints = field(default_factory=lambda: np.array([-1], np.int64))
    symbol: Ints = field(default_factory=lambda: np.array([-1], np.int64))
    private: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    noisy: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    scale: Floats = field(default_factory=lambda: np.zeros(1))
    threshold: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    count: Floats = field(default_factory=lambda: np.zeros(1))
    first: Ints = field(default_factory=lambda: np.array([1], np.int64))  # children of v: first[v]:last[v]
    last: Ints = field(default_factory=lambda: np.array([1], np.int64))
    levels: list[int] = field(default_factory=lambda: [0, 1])  # level i is levels[i]:levels[i + 1]
    suffix: Ints = field(default_factory=lambda: np.zeros(1, np.int64))  # of as many nodes as trees.suffixes has linked

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def height(self) -> int:
        """The deepest level that has nodes."""
        return len(self.levels) - 2

    @property
    def deepest(self) -> Ints:
        """The nodes of the deepest level."""
        return self.level(self.height)

    def level(self, depth: int) -> Ints:
        """The nodes of a level; none below the deepest."""
        return np.arange(self.levels[depth], self.levels[depth + 1]) if depth <= self.height else np.zeros(0, np.int64)

    @property
    def depth(self) -> Ints:
        """How many symbols lead to every node."""
        return np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels))

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Whether a node has an answer of the wall."""
        return np.asarray(self.private >= 0)

    def child(self, node: Ints, symbol: Ints) -> Ints:
        """The child of each node with the given symbol, or 0 where there is none."""
        key = self.parent * (self.labels + 1) + self.symbol  # rises over the whole tree; the root's is negative
        wanted = node * (self.labels + 1) + symbol
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, at, 0)

    def grow(self, *answers: Children) -> None:
        """Add the next level from answers about nodes of the deepest one."""
        names = ("parent", "rank", "noisy", "scale", "threshold", "node")
        parent, rank, *answer = (np.concatenate([getattr(a, name) for a in answers]) for name in names)
        above = self.deepest
        self.add(above[positions(self.private[above], parent)], rank.astype(np.int64), *answer)

    def add(
        self,
        parent: Ints,
        symbol: Ints,
        noisy: Ints,
        scale: Floats | None = None,
        threshold: Ints | None = None,
        private: Ints | None = None,
    ) -> None:
        """Add the next level, in any order, with its answers; left out, these are exact and were not selected."""
        order, size = np.lexsort((symbol, parent)), len(parent)
        self._append(
            parent=parent[order],
            symbol=symbol[order],
            private=np.arange(size) if private is None else private[order],
            noisy=noisy[order],
            scale=np.zeros(size) if scale is None else scale[order],
            threshold=np.zeros(size, np.int64) if threshold is None else threshold[order],
            count=noisy[order].astype(np.float64),
        )

    def add_estimated(self, parent: Ints, symbol: Ints, count: Floats, source: LevelTree, origin: Ints) -> None:
        """Add the next level in order: node i has the answer of node origin[i] of the source, or none where that is -1."""
        asked = origin >= 0
        of = np.where(asked, origin, 0)  # the root, whose answer is all zeros
        answer = {name: getattr(source, name)[of] for name in ("noisy", "scale", "threshold")}
        self._append(parent=parent, symbol=symbol, count=count, private=np.where(asked, source.private[of], -1), **answer)

    def _append(self, **columns: NDArray) -> None:
        size, new = len(self), len(columns["parent"])
        if not new:
            return
        for name, column in columns.items():
            setattr(self, name, np.concatenate([getattr(self, name), column]))
        start, none = self.levels[-2], np.full(new, size + new)
        above = np.arange(start, size)
        self.first = np.concatenate([self.first[:start], size + np.searchsorted(columns["parent"], above), none])
        self.last = np.concatenate([self.last[:start], size + np.searchsorted(columns["parent"], above, "right"), none])
        self.levels.append(size + new)

    def with_counts(self, count: Floats) -> LevelTree:
        """The same nodes and answers with other estimates."""
        return replace(self, count=count, levels=[*self.levels])


def positions(of: Ints, wanted: Ints) -> Ints:
    """Where each wanted number stands among distinct numbers.

    >>> positions(np.array([7, 3, 5]), np.array([5, 7])).tolist()
    [2, 0]
    """
    order = np.argsort(of)
    return np.asarray(order[np.searchsorted(of, wanted, sorter=order)])
