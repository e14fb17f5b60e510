"""Shards: a table of records in pieces, each of them one row of a few byte strings.

A cluster keeps a table as such rows: they are moved and stored without a look inside, and a kernel gets its arrays from them
without a copy. All records of an owner lie in one shard, so whatever treats owners by themselves treats shards by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.tables.flat import Flat

MOST_ITEMS = 1 << 22
"""A shard is closed when it has this many items; the records of one owner may make it larger."""

SCHEMA = "items binary, lengths binary, users binary, names binary"
"""The columns of a shard, as Spark writes types."""

_COLUMNS = ("items", "lengths", "users", "names")


class Shard(NamedTuple):
    """Some records; `users` numbers their owners within this shard, `names` are the digests of those (`tables.lots`)."""

    flat: Flat
    users: NDArray[np.int64] | None = None
    names: NDArray[np.uint64] | None = None

    def take(self, rows: NDArray[np.integer]) -> Shard:
        """The chosen records."""
        users, names = (None if column is None else column[rows] for column in (self.users, self.names))
        return Shard(self.flat.take(rows), users, names)

    def packed(self) -> dict[str, bytes | None]:
        """The shard as a row."""
        return {
            "items": self.flat.items.astype("<i4", copy=False).tobytes(),
            "lengths": self.flat.lengths.astype("<i4").tobytes(),
            "users": None if self.users is None else self.users.astype("<i4").tobytes(),
            "names": None if self.names is None else self.names.astype("<u8", copy=False).tobytes(),
        }


def batch_of(shards: Iterable[Shard]) -> Any:
    """An Arrow batch with a row per shard."""
    rows = [shard.packed() for shard in shards]
    return pa.RecordBatch.from_arrays([pa.array([row[name] for row in rows], pa.binary()) for name in _COLUMNS], list(_COLUMNS))


def shards_of(batches: Iterable[Any]) -> Iterator[Shard]:
    """The shards of Arrow batches.

    >>> [shard.flat.items.tolist() for shard in shards_of([batch_of([Shard(Flat.of([[1, 2], [3]]))])])]
    [[1, 2, 3]]
    """
    for batch in batches:
        for row in range(len(batch)):
            items, lengths, users, names = (_bytes(batch.column(name)[row]) for name in _COLUMNS)
            sizes = np.frombuffer(lengths, "<i4")
            offsets = np.zeros(len(sizes) + 1, np.int64)
            np.cumsum(sizes, out=offsets[1:])
            flat = Flat(np.frombuffer(items, "<i4"), offsets)
            numbers = None if users is None else np.frombuffer(users, "<i4").astype(np.int64)
            yield Shard(flat, numbers, None if names is None else np.frombuffer(names, "<u8"))


def _bytes(value: Any) -> Any:
    # Nothing as an array that can be written, like all else: Numba compiles every kernel once more for arrays that cannot.
    return None if not value.is_valid else value.as_buffer() or bytearray()


def divided(shard: Shard, most: int = MOST_ITEMS) -> Iterator[Shard]:
    """Shards of about `most` items each, between the records of two owners. Records of one owner must stand together.

    >>> owned = Shard(Flat.of([[1], [2], [3]]), np.array([0, 0, 1]), np.array([7, 7, 8], np.uint64))
    >>> [part.flat.items.tolist() for part in divided(owned, most=1)]
    [[1, 2], [3]]
    """
    flat, users = shard.flat, shard.users
    ends = np.arange(1, len(flat)) if users is None else np.flatnonzero(users[1:] != users[:-1]) + 1
    begin = 0
    while begin < len(flat):
        wanted = np.searchsorted(flat.offsets[ends], flat.offsets[begin] + most)
        ends_here = int(ends[wanted]) if wanted < len(ends) else len(flat)
        if ends_here <= begin:
            later = ends[ends > begin]
            ends_here = int(later[0]) if len(later) else len(flat)
        offsets = flat.offsets[begin : ends_here + 1]
        part = Flat(flat.items[offsets[0] : offsets[-1]], offsets - offsets[0])
        numbers = None if users is None else users[begin:ends_here] - users[begin]
        yield Shard(part, numbers, None if shard.names is None else shard.names[begin:ends_here])
        begin = ends_here
