"""Supports of itemsets in records truncated to l_max items: the smart truncation of [Zeng 2012], as
[Xu 2015, §VII-F] describes it.

Of a set that is too long the items without any candidate go first; of the others those stay that occur in the most
candidates the set contains. Which of equal items stay is drawn by a generator that the set itself seeds, so that no label
is favoured for its place in the domain. All of it is a function of one record and the public candidates: local.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.shrinking import delete_irrelevant
from seqveil.engines.local.subsequences import PatternTrie, walk
from seqveil.engines.protocol import Tally
from seqveil.tables.flat import Flat


@njit(cache=True)
def _kept_items(sequence, n, l_max, weight):  # type: ignore[no-untyped-def]
    """Positions of the l_max items of largest weight, equal ones in an order that the record seeds."""
    state = np.uint64(14695981039346656037)
    for p in range(n):
        state = (state ^ np.uint64(sequence[p] + 1)) * np.uint64(1099511628211)
    shuffled = np.arange(n)
    for p in range(n - 1, 0, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        q = np.int64((state >> np.uint64(11)) % np.uint64(p + 1))
        shuffled[p], shuffled[q] = shuffled[q], shuffled[p]
    heavy = np.empty(n, np.int64)
    for i in range(n):
        heavy[i] = -weight[sequence[shuffled[i]]]
    return shuffled[np.argsort(heavy, kind="mergesort")[:l_max]]


@njit(cache=True)
def _count(items, offsets, l_max, most, patterns, trie):  # type: ignore[no-untyped-def]
    parent, pattern, edge, reach = trie
    n_patterns = len(patterns)
    counts = np.zeros(n_patterns, np.int64)
    seen = np.full(len(parent), -1, np.int64)
    inside = np.empty(n_patterns, np.int64)
    weight = np.zeros(len(edge), np.int64)
    kept_in = np.full(len(edge), -1, np.int64)
    heaviest = 0
    for r in range(len(offsets) - 1):
        sequence = items[offsets[r] : offsets[r + 1]].copy()
        n = len(sequence)
        if n > l_max:
            n = delete_irrelevant(sequence, n, edge)
        contained = walk(sequence, 0, n, r, parent, pattern, edge, reach, seen, inside)
        if n > l_max:
            for i in range(contained):
                for x in patterns[inside[i]]:
                    weight[x] += 1
            for p in _kept_items(sequence, n, l_max, weight):
                kept_in[sequence[p]] = r
            for p in range(n):
                weight[sequence[p]] = 0
        added = 0
        for i in range(contained):
            whole = added < most
            if n > l_max:
                for x in patterns[inside[i]]:
                    whole = whole and kept_in[x] == r
            if whole:
                counts[inside[i]] += 1
                added += 1
        heaviest = max(heaviest, added)
    return counts, heaviest


def truncated_supports(flat: Flat, patterns: NDArray[np.integer], labels: int, *, l_max: int, most: int) -> Tally:
    """Supports of distinct ascending itemsets of one size in ascending records truncated to l_max items.

    >>> one = Flat.of([[0, 1, 2, 3]])
    >>> truncated_supports(one, np.array([[0, 2], [0, 3], [2, 3]]), labels=4, l_max=3, most=3).dense(3).tolist()
    [1, 1, 1]
    >>> truncated_supports(one, np.array([[0, 2], [0, 3], [1, 3]]), labels=4, l_max=2, most=1).dense(3).tolist()
    [0, 1, 0]
    """
    fixed = np.ascontiguousarray(patterns, np.int64)
    tree = PatternTrie.of(fixed, labels)
    trie = (tree.parent, tree.pattern, tree.edge, tree.reach)
    counts, heaviest = _count(flat.items, flat.offsets, l_max, most, fixed, trie)
    return Tally.of(counts, int(heaviest))
