"""Records as such: how many, how long, whose; bounded, divided into parts, copied. Flat arrays, one pass each."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Uniform
from seqveil.tables.flat import Flat
from seqveil.tables.lots import draw_key, part_of_owners, part_of_records

Table = TypeVar("Table")

Scope = tuple[NDArray[np.integer], NDArray[np.integer], int, int, int]
"""Items, offsets, low, high, l_max: what a kernel walks. Records are cut to l_max, and have from low to high items then."""

ANY = 2**62
"""More items than any record has."""


@njit(cache=True)
def _kept(items, offsets, low, high, l_max):  # type: ignore[no-untyped-def]
    size = 0
    total = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if low <= n <= high:
            size += 1
            total += n
    starts = np.zeros(size + 1, np.int64)
    copied = np.empty(total, items.dtype)
    at = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if low <= n <= high:
            for j in range(n):
                copied[starts[at] + j] = items[offsets[k] + j]
            starts[at + 1] = starts[at] + n
            at += 1
    return copied, starts


def kept(scope: Scope) -> Flat:
    """A copy of the records that belong, cut.

    >>> records = Flat.of([[1, 2, 3], [], [0]])
    >>> [record.tolist() for record in kept((records.items, records.offsets, 1, 2, 2))]
    [[1, 2], [0]]
    """
    return Flat(*_kept(*scope))


def whole(flat: Flat) -> Scope:
    """All records as they are, empty ones too."""
    return flat.items, flat.offsets, 0, ANY, ANY


@njit(cache=True)
def _lengths(offsets, low, high, l_max, most):  # type: ignore[no-untyped-def]
    counts = np.zeros(most + 1, np.int64)
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if low <= n <= high:
            counts[min(n, most)] += 1
    return counts


@njit(cache=True)
def _longest(offsets, low, high, l_max):  # type: ignore[no-untyped-def]
    longest = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        longest = max(longest, n if low <= n <= high else 0)
    return longest


def longest(scope: Scope) -> int:
    """The length of the longest record."""
    return int(_longest(*scope[1:]))


def most_owned(owners: NDArray[np.int64]) -> int:
    """How often the most frequent owner occurs.

    >>> most_owned(np.array([7, -2, 7])), most_owned(np.array([], np.int64))
    (2, 0)
    """
    if not len(owners):
        return 0
    low, high = int(owners.min()), int(owners.max())
    if high - low < 4 * len(owners):  # the usual case, numbered without large gaps: no sorting
        return int(np.bincount(owners - low).max())
    return int(np.unique(owners, return_counts=True)[1].max())


def bounded(table: Any, m: int, uniform: Uniform) -> Any:
    """At most m records of each owner, those with the smallest lots (tables/bound.py)."""
    return table if table.owners is None else table.bounded(m, draw_key(uniform))


def parts(table: Any, n: int, uniform: Uniform) -> list[Any]:
    """One part for every owner, or for every record where records have no owners, by lots (tables/lots.py)."""
    key = draw_key(uniform)
    if table.owners is not None:
        part = part_of_owners(table.owners, table.names, n, key)
    else:
        part = part_of_records(_plain(table), n, key)
    return [table.take(np.flatnonzero(part == i)) for i in range(n)]


def _plain(table: Any) -> Flat:
    """Records as such; an edge is the record of its two ends."""
    if hasattr(table, "flat"):
        flat: Flat = table.flat
        return flat
    return Flat(np.stack([table.low, table.high], axis=1).reshape(-1), np.arange(len(table) + 1) * 2)


def lengths(scope: Scope, most: int) -> NDArray[np.int64]:
    """Records per length 0..most; longer ones count as `most`.

    >>> lengths(whole(Flat.of([[1, 2, 3], [], [0]])), 2).tolist()
    [1, 1, 1]
    """
    counts: NDArray[np.int64] = _lengths(*scope[1:], most)
    return counts


def itemsets(sets: Flat) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different sets (code c is bit c), less one, ascending, and how often each occurs; sets are ascending records."""
    owner = np.repeat(np.arange(len(sets)), sets.lengths)
    bits = np.int64(1) << sets.items.astype(np.int64)
    # Items of a set are distinct, so adding their bits is joining them; up to 2^53 that is exact in bincount's floats.
    mask = np.bincount(owner, weights=bits, minlength=len(sets)).astype(np.int64)
    slot, count = np.unique(mask[mask > 0] - 1, return_counts=True)
    return slot, count
