"""The exploration tree (paper §4.1, Algorithm 1): grams in one array, level after level, as the wall answered them.

The root is node 0, a level's nodes follow each other, sorted by parent and then symbol; `node` is what the private tree calls
them. So `parent·(|I|+1) + symbol` rises over the whole tree, and a child is found by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import Children


@dataclass(slots=True, eq=False)
class ExplorationTree:
    """What is known after some levels. `labels` is |I|, which is also the code of the terminator `&`."""

    labels: int
    parent: NDArray[np.int64] = field(default_factory=lambda: np.array([-1], np.int64))
    symbol: NDArray[np.int64] = field(default_factory=lambda: np.array([-1], np.int64))
    node: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    noisy: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    scale: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    threshold: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    suffix: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    first: NDArray[np.int64] = field(default_factory=lambda: np.array([1], np.int64))  # children of v: first[v]:last[v]
    last: NDArray[np.int64] = field(default_factory=lambda: np.array([1], np.int64))
    levels: list[int] = field(default_factory=lambda: [0, 1])  # level i is levels[i]:levels[i + 1]

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def height(self) -> int:
        """The deepest level that has nodes."""
        return len(self.levels) - 2

    @property
    def deepest(self) -> NDArray[np.int64]:
        """The nodes of the deepest level."""
        return np.arange(self.levels[-2], self.levels[-1])

    def grow(self, *answers: Children) -> None:
        """Add the next level from one or more answers about the level above. Suffix links and families become known."""
        if not any(len(answer) for answer in answers):
            return
        n = len(self)
        above = np.arange(self.levels[-2], self.levels[-1])
        called = np.argsort(self.node[above])
        parent, symbol, node, noisy, scale, threshold = (
            np.concatenate(column)
            for column in zip(*((c.parent, c.rank, c.node, c.noisy, c.scale, c.threshold) for c in answers), strict=True)
        )
        parent = above[called[np.searchsorted(self.node[above][called], parent)]]
        order = np.lexsort((symbol, parent))
        self.parent = np.concatenate([self.parent, parent[order]])
        self.symbol = np.concatenate([self.symbol, symbol[order].astype(np.int64)])
        self.node = np.concatenate([self.node, node[order]])
        self.noisy = np.concatenate([self.noisy, noisy[order]])
        self.scale = np.concatenate([self.scale, scale[order]])
        self.threshold = np.concatenate([self.threshold, threshold[order]])
        self.levels.append(len(self))
        everyone = np.arange(len(self))
        self.first = np.searchsorted(self.parent[1:], everyone) + 1
        self.last = np.searchsorted(self.parent[1:], everyone, "right") + 1
        self.suffix = np.concatenate([self.suffix, self._suffixes(everyone[n:])])

    def child(self, node: NDArray[np.int64], symbol: NDArray[np.int64]) -> NDArray[np.int64]:
        """The child of each node with the given symbol, or 0 where there is none."""
        key = self.parent[1:] * (self.labels + 1) + self.symbol[1:]
        wanted = node * (self.labels + 1) + symbol
        at = np.searchsorted(key, wanted)
        found = (at < len(key)) & (key[np.minimum(at, len(key) - 1)] == wanted) if len(key) else np.zeros(len(at), bool)
        return np.where(found, at + 1, 0)

    def _suffixes(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each node the longest proper suffix of its gram that the tree knows; the root is the empty one."""
        link = np.zeros(len(nodes), np.int64)
        symbol = self.symbol[nodes]
        at = self.parent[nodes]
        open_ = np.flatnonzero(at > 0)
        while len(open_):
            # Invariant: `at` spells the longest suffix of the parent's gram not yet tried for the nodes still open.
            at[open_] = self.suffix[at[open_]]
            link[open_] = self.child(at[open_], symbol[open_])
            open_ = open_[(link[open_] == 0) & (at[open_] > 0)]
        return link

    def known(self, nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a family is known: some child of the node passed. A family without one stays unknown."""
        return np.asarray(self.first[nodes] < self.last[nodes])

    def markov_context(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The longest proper suffix of each gram whose family is known: where the Markov chain reads probabilities."""
        context = self.suffix[nodes]
        while True:
            unknown = (context > 0) & ~self.known(context)
            if not unknown.any():
                return context
            context = np.where(unknown, self.suffix[context], context)
