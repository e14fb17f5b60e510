"""Which sequences occur often in records: level by level, since a sequence occurs no more often than its parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]

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
    name = np.append(flat.items, -1).astype(np.int64)  # which frequent sequence starts at an item; none is -1
    size = int(name.max()) + 1
    for length in range(1, longest + 1):
        if length > 1:
            _join(name, begins, size)
            size *= size
        size = _made_small(name, size)
        number, first = np.zeros(size, np.int64), np.zeros(size, np.int64)
        _tally(name, number, first)
        often = number >= max(least, 1)
        if not often.any():
            return
        if length >= shortest:
            yield flat.items[first[often][:, None] + np.arange(length)], number[often]
        size = int(often.sum())
        _rename(name, np.where(often, np.cumsum(often) - 1, -1))


def _made_small(name: Ints, size: int) -> int:
    """Number anew, in the same order, where there may be many more numbers than items; how many there are then."""
    if size <= 4 * len(name) + _SMALL:
        return size
    at = np.flatnonzero(name >= 0)
    distinct, name[at] = np.unique(name[at], return_inverse=True)
    return len(distinct)


@njit(cache=True, nogil=True)
def _join(name, begins, size):  # type: ignore[no-untyped-def]
    """Sequences that overlap in all but one item make one that is longer by one, if it does not reach into the next record.

    Between longer ones no record can begin: there, nothing has a name.
    """
    for i in range(len(name) - 1):
        whole = name[i] >= 0 and name[i + 1] >= 0 and not begins[i + 1]
        name[i] = name[i] * size + name[i + 1] if whole else -1


@njit(cache=True, nogil=True)
def _tally(name, number, first):  # type: ignore[no-untyped-def]
    for i in range(len(name)):
        k = name[i]
        if k >= 0:
            if number[k] == 0:
                first[k] = i
            number[k] += 1


@njit(cache=True, nogil=True)
def _rename(name, to):  # type: ignore[no-untyped-def]
    for i in range(len(name)):
        if name[i] >= 0:
            name[i] = to[name[i]]
