"""Exact mining of contiguous patterns, by occurrences or by documents. INTERNAL: reads raw data.

Level by level: a pattern cannot be more frequent than its first part, so only the positions of patterns that may still
reach the K-th best support are carried to the next level. Supports are counted by compiled loops over those positions.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.evaluate.patterns import Pattern, Patterns, ranked
from seqveil.tables.flat import Flat

By = Literal["occurrences", "documents"]
_DENSE = 20_000_000
_PER_KEY = 50
"""Up to so many possible keys of a level, in all and per position, are counted in an array; beyond it they are sorted."""


@njit(cache=True)
def _per_document(code, record, codes):  # type: ignore[no-untyped-def]
    """In how many records each code occurs; positions of a record follow each other."""
    count = np.zeros(codes, np.int64)
    seen = np.full(codes, -1, np.int64)
    for i in range(len(code)):
        if seen[code[i]] != record[i]:
            seen[code[i]] = record[i]
            count[code[i]] += 1
    return count


@njit(cache=True)
def _per_occurrence(code, codes):  # type: ignore[no-untyped-def]
    count = np.zeros(codes, np.int64)
    for c in code:
        count[c] += 1
    return count


@njit(cache=True)
def _steps(items, stop, at, node, labels):  # type: ignore[no-untyped-def]
    """The positions whose record goes on, and the key node·labels + next item of each."""
    kept = np.empty(len(at), np.int64)
    key = np.empty(len(at), np.int64)
    n = 0
    for i in range(len(at)):
        if at[i] + 1 < stop[i]:
            kept[n] = i
            key[n] = node[i] * labels + items[at[i] + 1]
            n += 1
    return kept[:n], key[:n]


def top_contiguous(
    flat: Flat,
    labels: int,
    k: int | None = 100,
    by: By = "occurrences",
    shortest: int = 2,
    least: int = 1,
    longest: int | None = None,
) -> Patterns:
    """The k most frequent runs of `shortest` to `longest` items with a support of at least `least`.

    Table 1 of [Chen 2012]: I2 → I3 occurs 6 times, in 5 of the 8 records.

    >>> table_1 = Flat.of([[1, 2, 0], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0, 1, 2], [2, 1], [2, 0, 1, 2]])
    >>> top_contiguous(table_1, labels=3, k=3)
    {(1, 2): 6, (2, 0): 4, (2, 1): 3}
    >>> top_contiguous(table_1, labels=3, k=1, by="documents")
    {(1, 2): 5}
    >>> top_contiguous(table_1, labels=3, k=2, shortest=1, longest=1)
    {(2,): 10, (1,): 9}
    """
    at = np.arange(len(flat.items))
    record = np.repeat(np.arange(len(flat)), flat.lengths)
    stop = flat.offsets[1:][record]
    node, level = _level(flat.items.astype(np.int64), record, by, labels)
    names: list[Pattern] = [(int(key),) for key, _ in level]
    best: dict[Pattern, int] = dict(zip(names, (s for _, s in level), strict=True)) if shortest <= 1 else {}
    while names and (longest is None or len(names[0]) < longest):
        # Invariant: `node` numbers the pattern of `names` that ends at each position of `at`.
        best = {p: s for p, s in best.items() if s >= least} if k is None else ranked(best, k)
        bar = least if k is None or len(best) < k else max(least, min(best.values()))
        kept, key = _steps(flat.items, stop, at, node, labels)
        at, stop, record = at[kept] + 1, stop[kept], record[kept]
        number, level = _level(key, record, by, len(names) * labels)
        supports = np.array([s for _, s in level], np.int64)
        alive = supports >= bar
        renumber = np.cumsum(alive) - 1
        on = alive[number] if len(number) else np.zeros(0, np.bool_)
        at, stop, record, node = at[on], stop[on], record[on], renumber[number[on]]
        names = [(*names[key // labels], key % labels) for (key, _), a in zip(level, alive, strict=True) if a]
        if names and len(names[0]) >= shortest:
            best.update(zip(names, supports[alive].tolist(), strict=True))
    return ranked({p: s for p, s in best.items() if s >= least}, k)


def _level(
    key: NDArray[np.int64], record: NDArray[np.int64], by: By, possible: int
) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
    """Each position's number among the keys that occur, and those keys with their supports."""
    if possible <= min(_DENSE, _PER_KEY * len(key)):
        there = np.zeros(possible, np.bool_)
        there[key] = True
        keys = np.flatnonzero(there)
        place = np.cumsum(there) - 1
        number = place[key]
    else:
        keys, number = np.unique(key, return_inverse=True)
    count = _per_document(number, record, len(keys)) if by == "documents" else _per_occurrence(number, len(keys))
    return number, list(zip(keys.tolist(), count.tolist(), strict=True))
