"""Many short sequences in two flat arrays, the layout every kernel and file format here shares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError


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

    def steps(self, labels: int) -> NDArray[np.int64]:
        """Every step from an item to the next one of the same sequence, as from·labels + to.

        >>> Flat.of([[0, 1, 0], [], [1], [1, 1]]).steps(labels=2).tolist()
        [1, 2, 3]
        """
        inside = np.ones(len(self.items), np.bool_)
        inside[self.offsets[:-1][self.lengths > 0]] = False
        after = np.flatnonzero(inside)
        return self.items[after - 1].astype(np.int64) * labels + self.items[after]

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


def codes(values: object) -> bool:
    """Whether these are whole numbers in one row, as kernels take them.

    >>> codes(np.arange(3)), codes([0, 1, 2]), codes(np.zeros(3))
    (True, False, False)
    """
    if not isinstance(values, np.ndarray) or values.ndim != 1 or not values.dtype.isnative:
        return False
    return bool(values.dtype.kind == "i" or (values.dtype.kind == "u" and values.dtype.itemsize < 8))


def refuse_malformed(
    flat: Flat, owners: NDArray[np.int64] | None, labels: int, make: str, names: NDArray[np.uint64] | None = None
) -> None:
    """Refuse records that a kernel could not read, or would read out of bounds: of a table made by hand, before it is used.

    >>> refuse_malformed(Flat.of([[0], [1]]), np.array([7]), 2, "table_of")
    Traceback (most recent call last):
    seqveil.errors.CallError: users must hold one whole number per record (a NumPy array): make tables with table_of.
    """
    if not isinstance(flat, Flat) or not codes(flat.items) or not codes(flat.offsets):
        raise CallError(f"records must be a Flat of two NumPy arrays of whole numbers: make tables with {make}.")
    items, offsets = flat.items, flat.offsets
    steps = np.diff(offsets.astype(np.int64, copy=False))
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(items) or (steps < 0).any():
        raise CallError(f"offsets must rise from 0 to the number of items: make tables with {make}.")
    if len(items) and (items.min() < 0 or items.max() >= labels):
        raise CallError(f"a record has codes outside the domain: make tables with {make}.")
    if owners is not None and (not codes(owners) or len(owners) != len(flat)):
        raise CallError(f"users must hold one whole number per record (a NumPy array): make tables with {make}.")
    if names is not None and (owners is None or names.dtype != np.uint64 or names.shape != owners.shape):
        raise CallError(f"names must hold one 64-bit digest per user's record: make tables with {make}.")
