"""The trie of some public patterns, and its heavy paths.

A pattern that begins with another one stands below it. Of the patterns right below a pattern, the *heavy* one is that with most
patterns at or below it (the first of equals). Following heavy ones divides the patterns into heavy paths; whoever walks down
changes to another path at most log2(patterns) times, because the patterns below are then at most half as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """Node 0 is the empty string; `edge` holds node·labels + label, ascending, and `child` where that leads.

    `pattern[node]` is the pattern that ends at a node, or -1; `above[p]` the longest pattern that p begins with, but for itself,
    or -1; `heavy[p]` the pattern that goes on with the heavy path of p, or -1; `shortest` the length of the shortest pattern.

    >>> trie = Trie.of([(0, 1), (0, 1, 1), (0, 1, 0), (0, 1, 0, 0)], labels=2)
    >>> trie.above.tolist(), trie.heavy.tolist()
    ([-1, 0, 0, 2], [2, -1, 3, -1])
    """

    labels: int
    edge: NDArray[np.int64]
    child: NDArray[np.int64]
    pattern: NDArray[np.int64]
    above: NDArray[np.int64]
    heavy: NDArray[np.int64]
    shortest: int

    @classmethod
    def of(cls, patterns: Sequence[Sequence[int]], labels: int) -> Trie:
        """Patterns must be distinct and not empty."""
        edges: dict[int, int] = {}
        ends = [-1]
        above: list[int] = []
        for p, codes in enumerate(patterns):
            node = 0
            for code in codes:
                key = node * labels + int(code)
                if key not in edges:
                    edges[key] = len(ends)
                    ends.append(-1)
                node = edges[key]
            if node == 0 or ends[node] >= 0:
                raise CallError("patterns must be distinct, and none of them empty.")
            ends[node] = p
        for codes in patterns:
            node, last = 0, -1
            for code in codes[:-1]:
                node = edges[node * labels + int(code)]
                last = ends[node] if ends[node] >= 0 else last
            above.append(last)
        edge = np.array(sorted(edges), np.int64)
        child = np.array([edges[key] for key in edge.tolist()], np.int64)
        shortest = min(map(len, patterns), default=1)
        return cls(labels, edge, child, np.array(ends, np.int64), np.array(above, np.int64), _heavy(patterns, above), shortest)

    def __len__(self) -> int:
        return len(self.above)

    @property
    def slots(self) -> int:
        """One for each pattern."""
        return len(self)

    @property
    def paths(self) -> int:
        """How many heavy paths there are: each has one pattern that no other goes on from."""
        return int((self.heavy < 0).sum())

    def below(self) -> NDArray[np.bool_]:
        """Entry (p, q): whether pattern q begins with pattern p; every pattern begins with itself."""
        return self._reached(self.above)

    def along(self) -> NDArray[np.bool_]:
        """Entry (p, q): whether q is p, or follows it on its heavy path."""
        return self._reached(np.where(self._is_heavy(), self.above, -1))

    def _is_heavy(self) -> NDArray[np.bool_]:
        return np.asarray((self.above >= 0) & (self.heavy[self.above] == np.arange(len(self))))

    def _reached(self, above: NDArray[np.int64]) -> NDArray[np.bool_]:
        reached = np.eye(len(above), dtype=np.bool_)
        at = above.copy()
        while (at >= 0).any():
            rows = np.flatnonzero(at >= 0)
            reached[at[rows], rows] = True
            at[rows] = above[at[rows]]
        return reached


def _heavy(patterns: Sequence[Sequence[int]], above: list[int]) -> NDArray[np.int64]:
    size = np.ones(len(above), np.int64)
    heavy = np.full(len(above), -1, np.int64)
    by_length = sorted(range(len(above)), key=lambda p: (-len(patterns[p]), p))
    for p in by_length:  # longer ones first: whatever is below p has been added to it
        if above[p] >= 0:
            size[above[p]] += size[p]
    for p in sorted(range(len(above)), key=lambda p: (-int(size[p]), p)):
        if above[p] >= 0 and heavy[above[p]] < 0:
            heavy[above[p]] = p
    return heavy
