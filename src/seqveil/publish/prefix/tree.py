"""PrefixTree: noisy prefixes in one array, level after level, as the wall answered them.

The root is node 0; a level's nodes follow each other, sorted by parent and then symbol.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from seqveil.release.grams import GramTable


@dataclass(slots=True, eq=False)
class PrefixTree:
    """What is known after some levels; `private` is a node's number in the private tree. Groups have no place here."""

    parent: NDArray[np.int64] = field(default_factory=lambda: np.array([-1], np.int64))
    symbol: NDArray[np.int64] = field(default_factory=lambda: np.array([-1], np.int64))
    noisy: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    scale: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    threshold: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
    private: NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))
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

    @property
    def depth(self) -> NDArray[np.int64]:
        """How many labels every node's prefix has."""
        return np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels))

    def families(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The children of every node v are first[v]:last[v]."""
        everyone = np.arange(len(self))
        return np.searchsorted(self.parent[1:], everyone) + 1, np.searchsorted(self.parent[1:], everyone, "right") + 1

    def grow(
        self,
        parent: NDArray[np.int64],
        symbol: NDArray[np.int64],
        noisy: NDArray[np.int64],
        scale: NDArray[np.float64],
        threshold: NDArray[np.int64],
        private: NDArray[np.int64],
    ) -> None:
        """Add the next level."""
        order = np.lexsort((symbol, parent))
        self.parent = np.concatenate([self.parent, parent[order]])
        self.symbol = np.concatenate([self.symbol, symbol[order]])
        self.noisy = np.concatenate([self.noisy, noisy[order]])
        self.scale = np.concatenate([self.scale, scale[order]])
        self.threshold = np.concatenate([self.threshold, threshold[order]])
        self.private = np.concatenate([self.private, private[order]])
        self.levels.append(len(self))

    def table(self, count: NDArray[np.float64]) -> GramTable:
        """The tree in the shape of a release, with these estimates; the root has no line there."""
        lengths = self.depth[1:]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        symbols = np.empty(offsets[-1], np.int32)
        node, at = np.arange(1, len(self)), offsets[1:] - 1
        while len(node):
            symbols[at] = self.symbol[node]
            node, at = self.parent[node], at - 1
            node, at = node[node > 0], at[node > 0]
        return GramTable(
            symbols=symbols,
            offsets=offsets,
            parent=np.where(self.parent[1:] > 0, self.parent[1:] - 1, -1),
            count=count[1:],
            noisy=self.noisy[1:],
            known=np.ones(len(self) - 1, np.bool_),
            scale=self.scale[1:],
            threshold=self.threshold[1:],
        )
