"""Occurrences of many contiguous queries at once: a trie of the queries, walked from every position of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.bisection import place_of
from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False)
class QueryTrie:
    """Children of node v are first[v]:last[v], sorted by symbol; query q ends at node `end[q]`; node 0 is the root."""

    symbol: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    end: NDArray[np.int64]

    @classmethod
    def of(cls, queries: Flat, labels: int) -> QueryTrie:
        """Built level by level: a node is a distinct (parent, symbol)."""
        parents, symbols = [np.array([-1])], [np.array([-1])]
        end = np.zeros(len(queries), np.int64)
        at = np.zeros(len(queries), np.int64)
        lengths = queries.lengths
        size, depth = 1, 0
        active = np.flatnonzero(lengths > 0)
        while len(active):
            key = at[active] * labels + queries.items[queries.offsets[active] + depth]
            distinct, number = np.unique(key, return_inverse=True)
            parents.append(distinct // labels)
            symbols.append(distinct % labels)
            at[active] = size + number
            size += len(distinct)
            depth += 1
            done = active[lengths[active] == depth]
            end[done] = at[done]
            active = active[lengths[active] > depth]
        parent = np.concatenate(parents)
        everyone = np.arange(size)
        first = np.searchsorted(parent[1:], everyone) + 1
        return cls(np.concatenate(symbols), first, np.searchsorted(parent[1:], everyone, "right") + 1, end)


@njit(cache=True)
def _walk(items, offsets, symbol, first, last, root):  # type: ignore[no-untyped-def]
    visits = np.zeros(len(symbol), np.int64)
    for k in range(len(offsets) - 1):
        for p in range(offsets[k], offsets[k + 1]):
            node = root[items[p]]
            j = p + 1
            while node > 0:
                visits[node] += 1
                if j == offsets[k + 1]:
                    break
                node = place_of(symbol, first[node], last[node], items[j])
                j += 1
    return visits


def occurrences(flat: Flat, queries: Flat, labels: int) -> NDArray[np.int64]:
    """How often each query occurs as a contiguous run of items.

    Table 1 of [Chen 2012]: I2 → I3 occurs 6 times in 231, 23, 32, 231, 321, 23123, 32, 3123.

    >>> data = [[1, 2, 0], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0, 1, 2], [2, 1], [2, 0, 1, 2]]
    >>> occurrences(Flat.of(data), Flat.of([[1, 2], [0], [2, 0, 1, 2], [0, 0]]), labels=3).tolist()
    [6, 5, 2, 0]
    """
    trie = QueryTrie.of(queries, labels)
    root = np.zeros(labels, np.int64)
    ones = np.arange(trie.first[0], trie.last[0])
    root[trie.symbol[ones]] = ones
    visits = _walk(flat.items, flat.offsets, trie.symbol, trie.first, trie.last, root)
    return np.asarray(visits[trie.end])
