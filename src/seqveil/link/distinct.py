"""Equal rows found once: names repeat, and then so do their vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """Row `first[d]` is the first of its kind d; `rows[offsets[d]:offsets[d + 1]]` are all of them, ascending."""

    first: NDArray[np.int64]
    rows: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, counts: NDArray, reach: NDArray[np.int64]) -> Distinct:
        """Rows are equal when their counts and their reach are.

        >>> distinct = Distinct.of(np.array([[1, 2], [0, 1], [1, 2]], np.uint8), np.zeros(3, np.int64))
        >>> distinct.first.tolist(), distinct.rows.tolist(), distinct.offsets.tolist()
        ([0, 1], [0, 2, 1], [0, 2, 3])
        """
        kind, first = _kinds(counts, reach)
        offsets = np.zeros(len(first) + 1, np.int64)
        np.cumsum(np.bincount(kind, minlength=len(first)), out=offsets[1:])
        return cls(first, np.argsort(kind, kind="stable").astype(np.int32), offsets)

    @property
    def times(self) -> NDArray[np.int64]:
        """How many rows there are of each kind."""
        return np.diff(self.offsets)


@njit(cache=True, nogil=True)
def _kinds(counts, reach):  # type: ignore[no-untyped-def]
    """Open addressing; a slot holds a kind, and equal hashes are told apart by comparing the rows themselves."""
    length = 64
    while length < 2 * len(counts):
        length *= 2
    slots = np.full(length, -1, np.int32)
    kind, first, kinds = np.empty(len(counts), np.int32), np.empty(len(counts), np.int64), 0
    for row in range(len(counts)):
        mixed = np.uint64(reach[row]) * np.uint64(0x9E3779B97F4A7C15)
        for i in range(counts.shape[1]):
            mixed = (mixed ^ np.uint64(counts[row, i]) ^ (mixed >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        at = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(length - 1))
        while slots[at] >= 0 and not _same(counts, reach, first[slots[at]], row):
            at = (at + 1) & (length - 1)
        if slots[at] < 0:
            slots[at], first[kinds], kinds = kinds, row, kinds + 1
        kind[row] = slots[at]
    return kind, first[:kinds].copy()


@njit(cache=True, nogil=True)
def _same(counts, reach, one, other):  # type: ignore[no-untyped-def]
    if reach[one] != reach[other]:
        return False
    for i in range(counts.shape[1]):  # noqa: SIM110 - compiled
        if counts[one, i] != counts[other, i]:
            return False
    return True
