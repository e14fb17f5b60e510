"""Questions about records, answered by one pass over them: compiled, without an index, a few nanoseconds per item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import njit

from seqveil.release.ofrecords import Question
from seqveil.tables.flat import Flat


def occurrences(flat: Flat, pattern: Sequence[int]) -> int:
    """How often a pattern occurs as a contiguous run of items.

    >>> occurrences(Flat.of([[0, 0, 0], [0], [1, 0, 0]]), [0, 0])
    3
    """
    return _scan(_occurrences, flat, pattern)


def begins(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records begin with a pattern.

    >>> begins(Flat.of([[0, 1], [0], [0, 1, 2]]), [0, 1])
    2
    """
    return _between(flat, head=pattern)


def ends(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records end with a pattern.

    >>> ends(Flat.of([[0, 1], [1], [0, 1, 2]]), [1])
    2
    """
    return _between(flat, tail=pattern)


def whole(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records are a pattern and nothing else.

    >>> whole(Flat.of([[0, 1], [0], [0, 1, 2]]), [0, 1])
    1
    """
    return _between(flat, head=pattern, most=len(pattern))


def visits(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records contain all items of a pattern, in any order; an item that is given twice counts once.

    >>> visits(Flat.of([[0, 1], [1, 2, 0], [1, 1]]), [0, 1])
    2
    """
    return _scan(_visits, flat, sorted(set(pattern)))


def visits_in_order(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records contain the items of a pattern in this order, with anything in between.

    >>> visits_in_order(Flat.of([[0, 2, 1], [1, 0], [0, 1]]), [0, 1])
    2
    """
    return _scan(_visits_in_order, flat, pattern)


def both_ends(flat: Flat, pattern: Sequence[int]) -> int:
    """How many records begin with the first item of a pair and end with the second; a record of one item does both.

    >>> both_ends(Flat.of([[0, 2, 0], [0], [0, 1]]), [0, 0])
    2
    """
    return _between(flat, head=pattern[:1], tail=pattern[1:])


BY_QUESTION: dict[Question, Callable[[Flat, Sequence[int]], int]] = {
    "begins": begins,
    "ends": ends,
    "whole": whole,
    "visits": visits,
    "visits_in_order": visits_in_order,
    "first": begins,
    "last": ends,
    "od": both_ends,
}
"""How the records answer each question."""


def _scan(kernel: Any, flat: Flat, pattern: Sequence[int]) -> int:
    return int(kernel(flat.items, flat.offsets, np.array(pattern, np.int32)))


def _between(flat: Flat, head: Sequence[int] = (), tail: Sequence[int] = (), most: int = 1 << 62) -> int:
    """How many records of at most `most` items begin with `head` and end with `tail`, which may overlap."""
    return int(_bounded(flat.items, flat.offsets, np.array(head, np.int32), np.array(tail, np.int32), most))


@njit(cache=True)
def _equal(items, start, pattern):  # type: ignore[no-untyped-def]
    for k in range(len(pattern)):  # noqa: SIM110 - compiled code has no generators
        if items[start + k] != pattern[k]:
            return False
    return True


@njit(cache=True)
def _occurrences(items, offsets, pattern):  # type: ignore[no-untyped-def]
    count, size, head = 0, len(pattern), pattern[0]
    for r in range(len(offsets) - 1):
        for start in range(offsets[r], offsets[r + 1] - size + 1):
            if items[start] == head and _equal(items, start, pattern):
                count += 1
    return count


@njit(cache=True)
def _bounded(items, offsets, head, tail, most):  # type: ignore[no-untyped-def]
    count, least = 0, max(len(head), len(tail))
    for r in range(len(offsets) - 1):
        start, stop = offsets[r], offsets[r + 1]
        if least <= stop - start <= most and _equal(items, start, head) and _equal(items, stop - len(tail), tail):
            count += 1
    return count


@njit(cache=True)
def _visits(items, offsets, pattern):  # type: ignore[no-untyped-def]
    count, size = 0, len(pattern)
    seen = np.full(size, -1, np.int64)  # the last record in which each item was met
    for r in range(len(offsets) - 1):
        missing = size
        for i in range(offsets[r], offsets[r + 1]):
            for k in range(size):
                if items[i] == pattern[k] and seen[k] != r:
                    seen[k] = r
                    missing -= 1
            if missing == 0:
                count += 1
                break
    return count


@njit(cache=True)
def _visits_in_order(items, offsets, pattern):  # type: ignore[no-untyped-def]
    count, size = 0, len(pattern)
    for r in range(len(offsets) - 1):
        k = 0
        for i in range(offsets[r], offsets[r + 1]):
            if items[i] == pattern[k]:
                k += 1
                if k == size:
                    count += 1
                    break
    return count
