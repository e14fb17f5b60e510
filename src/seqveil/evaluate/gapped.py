"""Exact mining of subsequences with gaps, by documents. INTERNAL: reads raw data.

Best first: a pattern's support is at most that of its first part, so if the open pattern with the largest support is always
the next one to be extended, patterns leave the queue in the order of the ranking, and no pattern below the K-th is ever
extended. A pattern's projection is the position after its earliest match in every record that holds it (PrefixSpan, Pei et
al., ICDE 2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush, heapreplace

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.evaluate.patterns import Pattern, Patterns, ranked
from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Records that hold a pattern: where each one goes on after the earliest match, and where it stops."""

    at: NDArray[np.int64]
    stop: NDArray[np.int64]


@njit(cache=True)
def _supports(items, at, stop, labels):  # type: ignore[no-untyped-def]
    """In how many records each item still follows."""
    count = np.zeros(labels, np.int64)
    seen = np.full(labels, -1, np.int64)
    for i in range(len(at)):
        distinct = 0
        for p in range(at[i], stop[i]):
            x = items[p]
            if seen[x] != i:
                seen[x] = i
                count[x] += 1
                distinct += 1
                if distinct == labels:
                    break
    return count


@njit(cache=True)
def _project(items, at, stop, item):  # type: ignore[no-untyped-def]
    """The records in which the item still follows, and the position after its first place there."""
    kept = np.empty(len(at), np.int64)
    after = np.empty(len(at), np.int64)
    n = 0
    for i in range(len(at)):
        for p in range(at[i], stop[i]):
            if items[p] == item:
                kept[n] = i
                after[n] = p + 1
                n += 1
                break
    return kept[:n], after[:n]


def top_gapped(
    flat: Flat, labels: int, k: int | None = 100, shortest: int = 2, least: int = 1, longest: int | None = None
) -> Patterns:
    """The k subsequences of `shortest` to `longest` items that most records hold, gaps allowed, with at least `least` of them.

    Table 1 of [Chen 2012]: I2 … I1 is held by 231, 231, 321 and 23123.

    >>> table_1 = Flat.of([[1, 2, 0], [1, 2], [2, 1], [1, 2, 0], [2, 1, 0], [1, 2, 0, 1, 2], [2, 1], [2, 0, 1, 2]])
    >>> top_gapped(table_1, labels=3, k=4)
    {(1, 2): 5, (2, 0): 5, (2, 1): 5, (1, 0): 4}
    """
    items = flat.items
    queue: list[tuple[int, int, Pattern, Projection]] = []
    best: list[int] = []  # the k largest supports met so far: what the last of them cannot reach is never queued
    supports: dict[Pattern, int] = {}
    worst = 0
    _extend((), Projection(flat.offsets[:-1], flat.offsets[1:]), items, labels, queue, best, k, shortest, least)
    while queue:
        # Invariant: no pattern that is still to come has a larger support than the one that leaves the queue now.
        negative, _, pattern, parent = heappop(queue)
        if len(pattern) >= shortest:
            if k is not None and len(supports) >= k and -negative < worst:
                break
            worst = supports[pattern] = -negative
        if longest is not None and len(pattern) >= longest:
            continue
        kept, after = _project(items, parent.at, parent.stop, pattern[-1])
        _extend(pattern, Projection(after, parent.stop[kept]), items, labels, queue, best, k, shortest, least)
    return ranked(supports, k)


def holding_gapped(flat: Flat, queries: Flat, labels: int) -> NDArray[np.int64]:
    """How many records hold each query as a subsequence, gaps allowed.

    >>> holding_gapped(Flat.of([[0, 1, 2], [2, 0], [0, 2]]), Flat.of([[0, 2], [2]]), labels=3).tolist()
    [2, 3]
    """
    counts = []
    for query in queries:
        at, stop = flat.offsets[:-1], flat.offsets[1:]
        for item in query.tolist():
            kept, at = _project(flat.items, at, stop, item)
            stop = stop[kept]
        counts.append(len(at))
    return np.array(counts, np.int64)


def _extend(
    pattern: Pattern,
    projection: Projection,
    items: NDArray[np.int32],
    labels: int,
    queue: list[tuple[int, int, Pattern, Projection]],
    best: list[int],
    k: int | None,
    shortest: int,
    least: int,
) -> None:
    """Queue the extensions of a pattern that may still be among the best."""
    supports = _supports(items, projection.at, projection.stop, labels)
    bar = best[0] if k is not None and len(best) >= k else least
    for item in np.flatnonzero(supports >= max(bar, least)).tolist():
        support = int(supports[item])
        heappush(queue, (-support, len(pattern), (*pattern, item), projection))
        if k is not None and len(pattern) + 1 >= shortest:
            heappush(best, support) if len(best) < k else heapreplace(best, max(support, best[0]))
