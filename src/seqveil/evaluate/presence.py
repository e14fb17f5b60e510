"""Queries about whole records: "visited all of these stations" [Chen thesis, Def. 6.5], and "began like this". INTERNAL."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.evaluate.trie import QueryTrie
from seqveil.tables.bisection import place_of
from seqveil.tables.flat import Flat


@njit(cache=True)
def _holding(items, offsets, weight, rows, first_row, wanted, stops):  # type: ignore[no-untyped-def]
    """The weight of the sets that hold every item of each query; only sets with the query's rarest item are read."""
    answer = np.zeros(len(stops) - 1, np.int64)
    for q in range(len(answer)):
        rarest = -1
        for w in range(stops[q], stops[q + 1]):
            x = wanted[w]
            if rarest < 0 or first_row[x + 1] - first_row[x] < first_row[rarest + 1] - first_row[rarest]:
                rarest = x
        if rarest < 0:
            answer[q] = weight.sum()
            continue
        for r in range(first_row[rarest], first_row[rarest + 1]):
            k = rows[r]
            holds = True
            for w in range(stops[q], stops[q + 1]):
                if place_of(items, offsets[k], offsets[k + 1], wanted[w]) < 0:
                    holds = False
                    break
            if holds:
                answer[q] += weight[k]
    return answer


def visited_all(flat: Flat, queries: Flat, labels: int) -> NDArray[np.int64]:
    """|{S ∈ D : L ⊆ ls(S)}|: how many records hold every item of each query, in any order [Chen thesis, Def. 6.5].

    Table 1 of [Chen 2012]: all 8 records hold I2 and I3, and 5 of them I1 too.

    >>> table_1 = Flat.of([[1, 2, 0], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0, 1, 2], [2, 1], [2, 0, 1, 2]])
    >>> visited_all(table_1, Flat.of([[0, 1, 2], [2, 1], [0], [0, 0]]), labels=3).tolist()
    [5, 8, 5, 5]
    """
    sets, _, weight = _distinct(_sets(flat, labels), labels)
    asked, number, _ = _distinct(_sets(queries, labels), labels)
    record = np.repeat(np.arange(len(sets)), sets.lengths)
    order = np.argsort(sets.items, kind="stable")
    first_row = np.searchsorted(sets.items[order], np.arange(labels + 1))
    answer = _holding(sets.items, sets.offsets, weight, record[order], first_row, asked.items, asked.offsets)
    return np.asarray(answer[number])


def _sets(flat: Flat, labels: int) -> Flat:
    """Every record as its distinct items, rising."""
    record = np.repeat(np.arange(len(flat)), flat.lengths)
    key = np.sort(record * labels + flat.items)
    key = key[np.concatenate([[True], key[1:] != key[:-1]])] if len(key) else key
    return Flat((key % labels).astype(np.int32), np.searchsorted(key, np.arange(len(flat) + 1) * labels))


def _distinct(sets: Flat, labels: int) -> tuple[Flat, NDArray[np.int64], NDArray[np.int64]]:
    """The different sets, the number of each row's set among them, and how many rows have it: few sets are many records."""
    _, first, number, weight = np.unique(
        QueryTrie.of(sets, labels).end, return_index=True, return_inverse=True, return_counts=True
    )
    return sets.take(first), number, weight


def beginning_with(flat: Flat, queries: Flat, labels: int) -> NDArray[np.int64]:
    """How many records begin with each query: what a prefix tree counts [Chen thesis, §6.3].

    >>> table_1 = Flat.of([[1, 2, 0], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0, 1, 2], [2, 1], [2, 0, 1, 2]])
    >>> beginning_with(table_1, Flat.of([[1, 2], [2], [1, 2, 0], [0]]), labels=3).tolist()
    [4, 4, 3, 0]
    """
    trie = QueryTrie.of(queries, labels)
    return np.asarray(_begin(flat.items, flat.offsets, trie.symbol, trie.first, trie.last)[trie.end])


@njit(cache=True)
def _begin(items, offsets, symbol, first, last):  # type: ignore[no-untyped-def]
    visits = np.zeros(len(symbol), np.int64)
    for k in range(len(offsets) - 1):
        node = 0
        visits[0] += 1
        for p in range(offsets[k], offsets[k + 1]):
            node = place_of(symbol, first[node], last[node], items[p])
            if node < 0:
                break
            visits[node] += 1
    return visits
