"""Many short sequences in two flat arrays, the layout every kernel and file format here shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Flat:
    """Sequence k is `items[offsets[k]:offsets[k + 1]]`; items are codes of a Domain.

    >>> f = Flat.of([[1, 2], [], [0]])
    >>> len(f), f.items.tolist(), f.offsets.tolist()
    (3, [1, 2, 0], [0, 2, 2, 3])
    >>> [s.tolist() for s in f]
    [[1, 2], [], [0]]
    """

    items: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sequences: Iterable[Iterable[int]]) -> Flat:
        """From any nested iterable; for tests, examples and small inputs."""
        rows = [list(s) for s in sequences]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(r) for r in rows], out=offsets[1:])
        items = np.fromiter((x for r in rows for x in r), np.int32, count=int(offsets[-1]))
        return cls(items, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[NDArray[np.int32]]:
        for start, stop in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield self.items[start:stop]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of every sequence."""
        return np.diff(self.offsets)

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Flat:
        """The chosen sequences, in the given order.

        >>> [s.tolist() for s in Flat.of([[1, 2], [], [0]]).take(np.array([2, 0]))]
        [[0], [1, 2]]
        """
        rows = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        lengths = self.lengths[rows]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        where = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return Flat(self.items[where], offsets)

    def truncate(self, l_max: int) -> Flat:
        """The first `l_max` items of every sequence.

        >>> [s.tolist() for s in Flat.of([[1, 2, 3], [0]]).truncate(2)]
        [[1, 2], [0]]
        """
        lengths = np.minimum(self.lengths, l_max)
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if offsets[-1] == len(self.items):
            return self
        where = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1] - offsets[:-1], lengths)
        return Flat(self.items[where], offsets)
