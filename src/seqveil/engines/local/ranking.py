"""The patterns of largest support, and no more of them than a public number.

A depth-first search in the manner of PrefixSpan: a pattern is known by where its earliest embedding ends in each record that
supports it, and its children by what follows there. Sets, whose items are sorted, are searched as sequences.

The search keeps at most `most` patterns. When it finds more it raises its least support until they are few enough, so at
its end it has exactly the patterns whose support exceeds the (most + 1)-th largest support there is. An order statistic of
numbers that each move by at most one, all in one direction, moves by at most one itself: what is read off here is therefore
as insensitive as a single support (wall/questions/longest.py). A visit beyond the first `most` displaces a pattern of
smaller support, so the search always ends, and in practice after a small multiple of `most` visits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat


@njit(cache=True)
def _family(items, offsets, record, place, least, stamp, count, last, met):  # type: ignore[no-untyped-def]
    """The children of a pattern with at least `least` support: symbols by falling support, and their projections.

    `count` is all zero before and after; `last[x]` holds the stamp of the projected record in which x was met last; `met` is
    room for the symbols that occur.
    """
    n = 0
    for j in range(len(record)):
        stamp += 1
        for p in range(place[j], offsets[record[j] + 1]):
            x = items[p]
            if last[x] != stamp:
                last[x] = stamp
                if count[x] == 0:
                    met[n] = x
                    n += 1
                count[x] += 1
    kept = 0
    for i in range(n):
        if count[met[i]] >= least:
            met[kept], met[i] = met[i], met[kept]
            kept += 1
    size = np.empty(kept, np.int64)
    for i in range(kept):
        size[i] = -count[met[i]]
    order = np.argsort(size, kind="mergesort")  # see tests/engines/test_kernels_sort.py
    symbols = np.empty(kept, np.int64)
    start = np.zeros(kept + 1, np.int64)
    for i in range(kept):
        symbols[i] = met[order[i]]
        start[i + 1] = start[i] - size[order[i]]
    for i in range(n):
        count[met[i]] = 0
    for i in range(kept):
        count[symbols[i]] = start[i] + 1  # where its next entry goes, plus one: 0 still means "not kept"
    records = np.empty(start[kept], record.dtype)
    places = np.empty(start[kept], np.int64)
    if kept:
        for j in range(len(record)):
            stamp += 1
            for p in range(place[j], offsets[record[j] + 1]):
                x = items[p]
                if last[x] != stamp:
                    last[x] = stamp
                    if count[x] > 0:
                        records[count[x] - 1] = record[j]
                        places[count[x] - 1] = p + 1
                        count[x] += 1
        for i in range(kept):
            count[symbols[i]] = 0
    return symbols, start, records, places, stamp


@njit(cache=True)
def _longer(array, size):  # type: ignore[no-untyped-def]
    out = np.empty(size, array.dtype)
    out[: len(array)] = array
    return out


@njit(cache=True)
def _search(items, offsets, labels, least, longest, most):  # type: ignore[no-untyped-def]
    records = len(offsets) - 1
    support, symbol, parent = np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.int64)
    tally = np.zeros(records + 1, np.int64)  # patterns so far, by support
    count, last, met = np.zeros(labels, np.int64), np.full(labels, -1, np.int64), np.empty(labels, np.int64)
    n, frequent = 0, 0
    symbols, start, record, place, stamp = _family(
        items, offsets, np.arange(records), offsets[:-1].copy(), least, 0, count, last, met
    )
    families = [(symbols, start, record, place)]
    above, cursor = [-1], [0]
    while len(families):
        # Invariant: `frequent` patterns have a support of at least `least`, and frequent <= most.
        symbols, start, record, place = families[-1]
        i = cursor[-1]
        if i == len(symbols) or start[i + 1] - start[i] < least:
            families.pop()
            above.pop()
            cursor.pop()
            continue
        cursor[-1] = i + 1
        if n == len(support):
            support, symbol, parent = _longer(support, 2 * n), _longer(symbol, 2 * n), _longer(parent, 2 * n)
        support[n], symbol[n], parent[n] = start[i + 1] - start[i], symbols[i], above[-1]
        n += 1
        tally[support[n - 1]] += 1
        frequent += 1
        while frequent > most:
            frequent -= tally[least]
            tally[least] = 0
            least += 1
        if len(families) < longest and support[n - 1] >= least:
            child_symbols, child_start, child_record, child_place, stamp = _family(
                items, offsets, record[start[i] : start[i + 1]], place[start[i] : start[i + 1]], least, stamp, count, last, met
            )
            families.append((child_symbols, child_start, child_record, child_place))
            above.append(n - 1)
            cursor.append(0)
    return support[:n].copy(), symbol[:n].copy(), parent[:n].copy(), least


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """All patterns with a support of at least `least`; a pattern is its parent's (-1: none) followed by its symbol."""

    support: NDArray[np.int64]
    length: NDArray[np.int64]
    symbol: NDArray[np.int64]
    parent: NDArray[np.int64]
    least: int

    def patterns(self) -> list[tuple[int, ...]]:
        """The patterns themselves; parents come before their children."""
        out: list[tuple[int, ...]] = []
        for symbol, parent in zip(self.symbol.tolist(), self.parent.tolist(), strict=True):
            out.append(((*out[parent], symbol)) if parent >= 0 else (symbol,))
        return out


def rank(flat: Flat, labels: int, *, least: int, longest: int, most: int) -> Ranking:
    """The patterns of at most `longest` items with a support of at least `least`, raised until they are at most `most`.

    >>> ranking = rank(Flat.of([[0, 1], [0, 1], [1, 0], [1]]), labels=2, least=1, longest=2, most=3)
    >>> sorted(zip(ranking.patterns(), ranking.support.tolist())), ranking.least       # (1, 0), with support 1, had to go
    ([((0,), 3), ((0, 1), 2), ((1,), 4)], 2)
    """
    support, symbol, parent, reached = _search(flat.items, flat.offsets, labels, max(least, 1), longest, most)
    length = np.ones(len(support), np.int64)
    for i in np.flatnonzero(parent >= 0).tolist():
        length[i] = length[parent[i]] + 1
    kept = support >= reached
    number = np.cumsum(kept) - 1
    above = parent[kept]
    return Ranking(
        support=support[kept],
        length=length[kept],
        symbol=symbol[kept],
        parent=np.where(above >= 0, number[np.maximum(above, 0)], -1),
        least=int(reached),
    )
