"""Records as such: how many, how long, whose; cut, bounded, divided into parts. Flat arrays, one pass each."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Uniform
from seqveil.tables.flat import Flat
from seqveil.tables.lots import draw_key, part_of_owners, part_of_records

Table = TypeVar("Table")


@njit(cache=True)
def _cut(items, offsets, l_max):  # type: ignore[no-untyped-def]
    starts = np.zeros(len(offsets), np.int64)
    for k in range(len(offsets) - 1):
        starts[k + 1] = starts[k] + min(offsets[k + 1] - offsets[k], l_max)
    kept = np.empty(starts[-1], items.dtype)
    for k in range(len(offsets) - 1):
        for j in range(starts[k + 1] - starts[k]):
            kept[starts[k] + j] = items[offsets[k] + j]
    return kept, starts


def cut(flat: Flat, l_max: int) -> Flat:
    """The first l_max items of every record.

    >>> [record.tolist() for record in cut(Flat.of([[1, 2, 3], [], [0]]), 2)]
    [[1, 2], [], [0]]
    """
    return flat if longest(flat) <= l_max else Flat(*_cut(flat.items, flat.offsets, l_max))


def longest(flat: Flat) -> int:
    """The length of the longest record."""
    return int(flat.lengths.max(initial=0))


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


def lengths(flat: Flat, most: int) -> NDArray[np.int64]:
    """Records per length 0..most; longer ones count as `most`.

    >>> lengths(Flat.of([[1, 2, 3], [], [0]]), 2).tolist()
    [1, 1, 1]
    """
    return np.bincount(np.minimum(flat.lengths, most), minlength=most + 1)


def itemsets(sets: Flat) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different sets (code c is bit c), less one, ascending, and how often each occurs; sets are ascending records."""
    owner = np.repeat(np.arange(len(sets)), sets.lengths)
    bits = np.int64(1) << sets.items.astype(np.int64)
    # Items of a set are distinct, so adding their bits is joining them; up to 2^53 that is exact in bincount's floats.
    mask = np.bincount(owner, weights=bits, minlength=len(sets)).astype(np.int64)
    slot, count = np.unique(mask[mask > 0] - 1, return_counts=True)
    return slot, count
