"""Supports of patterns of any lengths in whole records, of which each counts for at most `most` of the patterns it contains.

Which ones is a function of the record and the public order of the patterns alone, hence *local*. The first in that order count;
or, where the order means nothing (`fair`), consecutive ones from a place that the record itself draws, so that no pattern is
favoured for its place.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.subsequences import PatternTrie, walk
from seqveil.engines.protocol import Tally
from seqveil.tables.flat import Flat


@njit(cache=True)
def drawn(items, start, stop, n):  # type: ignore[no-untyped-def]
    """A number of 0..n-1 that the record itself seeds."""
    state = np.uint64(14695981039346656037)
    for p in range(start, stop):
        state = (state ^ np.uint64(items[p] + 1)) * np.uint64(1099511628211)
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    return np.int64((state >> np.uint64(11)) % np.uint64(n))


@njit(cache=True)
def _count(items, offsets, most, fair, patterns, trie):  # type: ignore[no-untyped-def]
    parent, pattern, edge, reach = trie
    counts = np.zeros(patterns, np.int64)
    seen = np.full(len(parent), -1, np.int64)
    inside = np.empty(patterns, np.int64)
    heaviest = 0
    for r in range(len(offsets) - 1):
        n = walk(items, offsets[r], offsets[r + 1], r, parent, pattern, edge, reach, seen, inside)
        at = 0
        if n > most:
            inside[:n] = np.sort(inside[:n])
            at = drawn(items, offsets[r], offsets[r + 1], n) if fair else 0
        added = min(n, most)
        for i in range(added):
            counts[inside[(at + i) % n]] += 1
        heaviest = max(heaviest, added)
    return counts, heaviest


@njit(cache=True)
def _contained(items, offsets, bounds, patterns, trie):  # type: ignore[no-untyped-def]
    parent, pattern, edge, reach = trie
    counts = np.zeros(len(bounds) + 1, np.int64)
    seen = np.full(len(parent), -1, np.int64)
    inside = np.empty(patterns, np.int64)
    for r in range(len(offsets) - 1):
        n = walk(items, offsets[r], offsets[r + 1], r, parent, pattern, edge, reach, seen, inside)
        counts[np.searchsorted(bounds, n)] += 1
    return counts


def clipped_supports(flat: Flat, patterns: NDArray[np.integer], labels: int, *, most: int, fair: bool) -> Tally:
    """Supports of distinct patterns, padded with -1 to one length; a record adds to at most `most` of those it contains.

    >>> mixed = np.array([[0, 1], [1, -1], [0, -1]])
    >>> clipped_supports(Flat.of([[0, 1], [1]]), mixed, labels=2, most=2, fair=False).dense(3).tolist()   # 0 comes last
    [1, 2, 0]
    """
    count, heaviest = _count(flat.items, flat.offsets, most, fair, len(patterns), _trie(patterns, labels))
    return Tally.of(count, int(heaviest))


def contained(flat: Flat, patterns: NDArray[np.integer], labels: int, bounds: NDArray[np.int64]) -> Tally:
    """Records by the number of patterns they contain: slot j holds those of at most bounds[j], and of more than the bound before.

    >>> mixed = np.array([[0, 1], [1, -1], [0, -1]])
    >>> contained(Flat.of([[0, 1], [1], [2]]), mixed, labels=3, bounds=np.array([0, 2])).dense(3).tolist()   # 3, 1 and 0 of them
    [1, 1, 1]
    """
    counts = _contained(flat.items, flat.offsets, bounds, len(patterns), _trie(patterns, labels))
    return Tally.of(counts, int(min(1, len(flat))))


def _trie(patterns: NDArray[np.integer], labels: int) -> tuple[NDArray[np.int64], ...]:
    tree = PatternTrie.of(np.ascontiguousarray(patterns, np.int64), labels)
    return tree.parent, tree.pattern, tree.edge, tree.reach
