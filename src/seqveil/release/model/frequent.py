"""Which sequences occur often in records: level by level, since a sequence occurs no more often than its parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]
Names = NDArray[np.int32]

_SMALL = 1 << 20
"""Numbers up to about here are counted in a table with a row for each."""


def frequent(flat: Flat, least: float, shortest: int, longest: int) -> Iterator[tuple[NDArray[np.int32], Ints]]:
    """For every length, the contiguous sequences that occur `least` times or more, in lexicographic order, and how often.

    >>> records = Flat.of([[0, 1, 1], [0, 1]])
    >>> [(matrix.tolist(), number.tolist()) for matrix, number in frequent(records, 2, 1, 3)]
    [([[0], [1]], [2, 3]), ([[0, 1]], [2])]
    """
    begins = np.zeros(len(flat.items) + 1, np.bool_)
    begins[flat.offsets] = True
    name = np.append(flat.items, -1).astype(np.int32)  # which frequent sequence starts at an item; none is -1
    size = int(name.max()) + 1
    for length in range(1, longest + 1):
        if length > 1:
            name, size = _joined(name, begins, size)
        number, first = np.zeros(size, np.int64), np.zeros(size, np.int64)
        _tally(name, number, first)
        often = number >= max(least, 1)
        if not often.any():
            return
        if length >= shortest:
            yield flat.items[first[often][:, None] + np.arange(length)], number[often]
        size = int(often.sum())
        _rename(name, np.append(np.where(often, np.cumsum(often) - 1, -1), -1).astype(np.int32))


def _joined(name: Names, begins: NDArray[np.bool_], size: int) -> tuple[Names, int]:
    """Sequences that overlap in all but one item make one that is longer by one; their names, and how many names there may be.

    Where there may be many more pairs of names than items, they are numbered anew, in the same order.
    """
    if size * size <= min(4 * len(name) + _SMALL, np.iinfo(np.int32).max):
        _join(name, begins, size)
        return name, size * size
    left, right = name[:-1].astype(np.int64), name[1:]
    whole = np.flatnonzero((left >= 0) & (right >= 0) & ~begins[1:])
    distinct, at = np.unique(left[whole] * size + right[whole], return_inverse=True)
    joined = np.full(len(name), -1, np.int32)
    joined[whole] = at
    return joined, len(distinct)


@njit(cache=True, nogil=True)
def _join(name, begins, size):  # type: ignore[no-untyped-def]
    """In place. A sequence must not reach into the next record; between longer ones none can begin: nothing has a name there.

    Without a branch, since the processor cannot foresee whether a name is there.
    """
    left = np.int64(name[0])
    for i in range(len(name) - 1):
        right = np.int64(name[i + 1])
        whole = (left >= 0) & (right >= 0) & (not begins[i + 1])
        name[i] = left * size + right if whole else -1
        left = right


@njit(cache=True, nogil=True)
def _tally(name, number, first):  # type: ignore[no-untyped-def]
    """Backwards, so that the first place is what remains."""
    for i in range(len(name) - 1, -1, -1):
        k = name[i]
        if k >= 0:
            first[k] = i
            number[k] += 1


@njit(cache=True, nogil=True)
def _rename(name, to):  # type: ignore[no-untyped-def]
    """The last entry of `to` is for items that have no name."""
    none = len(to) - 1
    for i in range(len(name)):
        k = name[i]
        name[i] = to[k if k >= 0 else none]
