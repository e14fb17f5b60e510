"""Which sequences occur often in records: level by level, since a sequence occurs no more often than its parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

Ints = NDArray[np.int64]


def frequent(flat: Flat, least: float, shortest: int, longest: int) -> Iterator[tuple[NDArray[np.int32], Ints]]:
    """For every length, the contiguous sequences that occur `least` times or more, in lexicographic order, and how often.

    >>> records = Flat.of([[0, 1, 1], [0, 1]])
    >>> [(matrix.tolist(), number.tolist()) for matrix, number in frequent(records, 2, 1, 3)]
    [([[0], [1]], [2, 3]), ([[0, 1]], [2])]
    """
    last = np.zeros(len(flat.items) + 1, np.bool_)
    last[flat.offsets[1:]] = True  # a sequence that starts at i and has one item more must not reach over the end of a record
    at = np.arange(len(flat.items))
    name = np.full(len(flat.items) + 1, -1, np.int64)  # which frequent sequence starts at an item
    key: Ints = flat.items.astype(np.int64)
    for length in range(1, longest + 1):
        _, first, named, number = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        often = number >= least
        if not often.any():
            return
        if length >= shortest:
            yield flat.items[at[first[often]][:, None] + np.arange(length)], number[often]
        name[:] = -1
        kept = often[named]
        name[at[kept]] = (np.cumsum(often) - 1)[named][kept]
        at = at[kept]
        at = at[(name[at + 1] >= 0) & ~last[at + 1]] if length == 1 else at[name[at + 1] >= 0]
        key = name[at] * int(often.sum()) + name[at + 1]
