"""Supports of many patterns with gaps at once: a trie of the patterns, walked along every record.

A record supports a pattern when the pattern's items occur in it in this order, with anything between them. The walk keeps
the set of trie nodes whose path is a subsequence of what was read so far; an item x read can only reach nodes labelled x,
so one step looks at those alone. Nothing is enumerated: a record costs (its length) × (nodes per label), however many
subsequences it has. Records are independent of each other, so parts of the data may be counted apart and added.

A sorted set contains an itemset exactly when it supports it as a sequence, so itemsets are counted here too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally
from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False)
class PatternTrie:
    """Distinct patterns as a trie (the CS-tree of [Xu 2015]); node 0 is the root. Shorter patterns are padded with -1.

    Nodes are numbered level by level, the children of one node next to each other and sorted by symbol:
    `first[v]:last[v]`. `reach[edge[x]:edge[x + 1]]` are the nodes labelled x, the deepest first. `pattern[v]` is the number
    of the pattern that ends at v, or -1, and `leaf` its inverse.

    >>> trie = PatternTrie.of(np.array([[0, 1, 2], [1, 2, 3], [1, 3, 0], [1, 3, 1]]), labels=4)   # Figure 1
    >>> len(trie.symbol), trie.symbol[trie.first[0] : trie.last[0]].tolist()
    (10, [0, 1])
    >>> trie.symbol[trie.leaf].tolist()
    [2, 3, 0, 1]
    """

    symbol: NDArray[np.int64]
    parent: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    leaf: NDArray[np.int64]
    pattern: NDArray[np.int64]
    edge: NDArray[np.int64]
    reach: NDArray[np.int64]

    @classmethod
    def of(cls, patterns: NDArray[np.integer], labels: int) -> PatternTrie:
        """Built level by level: a node is a distinct (parent, symbol)."""
        parents, symbols, depths = [np.array([-1])], [np.array([-1])], [np.array([0])]
        at = np.zeros(len(patterns), np.int64)
        size = 1
        for depth in range(patterns.shape[1]):
            longer = patterns[:, depth] >= 0
            distinct, number = np.unique(at[longer] * labels + patterns[longer, depth], return_inverse=True)
            parents.append(distinct // labels)
            symbols.append(distinct % labels)
            depths.append(np.full(len(distinct), depth + 1))
            at[longer] = size + number.reshape(-1)
            size += len(distinct)
        parent, symbol, depth_of = np.concatenate(parents), np.concatenate(symbols), np.concatenate(depths)
        everyone = np.arange(size)
        pattern = np.full(size, -1, np.int64)
        pattern[at] = np.arange(len(patterns))
        order = np.lexsort((-depth_of[1:], symbol[1:])) + 1
        return cls(
            symbol=symbol,
            parent=parent,
            first=np.searchsorted(parent[1:], everyone) + 1,
            last=np.searchsorted(parent[1:], everyone, "right") + 1,
            leaf=at,
            pattern=pattern,
            edge=np.searchsorted(symbol[order], np.arange(labels + 1)),
            reach=order,
        )


@njit(cache=True)
def walk(items, start, stop, stamp, parent, pattern, edge, reach, seen, inside):  # type: ignore[no-untyped-def]
    """Patterns in items[start:stop], in the order in which they are completed: into `inside`; returns how many.

    `seen[v] == stamp` marks the nodes reached. Nodes of one label are visited deepest first, so that an item is used once.
    """
    n = 0
    for p in range(start, stop):
        x = items[p]
        for e in range(edge[x], edge[x + 1]):
            v = reach[e]
            if seen[v] != stamp and (parent[v] == 0 or seen[parent[v]] == stamp):
                seen[v] = stamp
                if pattern[v] >= 0:
                    inside[n] = pattern[v]
                    n += 1
    return n


@njit(cache=True)
def _count(items, offsets, parent, pattern, edge, reach, patterns):  # type: ignore[no-untyped-def]
    counts = np.zeros(patterns, np.int64)
    seen = np.full(len(parent), -1, np.int64)
    inside = np.empty(patterns, np.int64)
    heaviest = 0
    for r in range(len(offsets) - 1):
        contained = walk(items, offsets[r], offsets[r + 1], r, parent, pattern, edge, reach, seen, inside)
        heaviest = max(heaviest, contained)
        for i in range(contained):
            counts[inside[i]] += 1
    return counts, heaviest


def supports(flat: Flat, patterns: NDArray[np.integer], labels: int) -> Tally:
    """In how many records each of some distinct patterns of one length occurs, gaps allowed.

    >>> supports(Flat.of([[0, 1, 0, 2], [1, 0], [2, 0, 1]]), np.array([[0, 1], [1, 0], [0, 0]]), labels=3).dense(3).tolist()
    [2, 2, 1]
    """
    trie = PatternTrie.of(patterns, labels)
    counts, heaviest = _count(flat.items, flat.offsets, trie.parent, trie.pattern, trie.edge, trie.reach, len(patterns))
    return Tally.of(counts, int(heaviest))
