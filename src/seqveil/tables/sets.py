"""SetTable: a set of labels per record, encoded against a declared domain. Raw: it never crosses the wall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.tables.bound import bound_records
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat, refuse_malformed
from seqveil.tables.sequences import SequenceTable, table_of


@njit(cache=True)
def _sorted_unique(items, offsets):  # type: ignore[no-untyped-def]
    """Every record sorted and without repeats; records without items are left out."""
    sets = np.empty_like(items)
    starts = np.zeros(len(offsets), np.int64)
    kept = np.empty(len(offsets) - 1, np.int64)
    end, n = 0, 0
    for k in range(len(offsets) - 1):
        if offsets[k] == offsets[k + 1]:
            continue
        record = np.sort(items[offsets[k] : offsets[k + 1]])
        for j in range(len(record)):
            if j == 0 or record[j] != record[j - 1]:
                sets[end] = record[j]
                end += 1
        kept[n] = k
        n += 1
        starts[n] = end
    return sets[:end].copy(), starts[: n + 1].copy(), kept[:n].copy()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SetTable:
    """Sets as flat codes: every record is ascending, without repeats and not empty.

    `users` numbers the owner of each set, or is None when every set stands for itself; `names` are as in a SequenceTable. Its
    repr says nothing that depends on the data.

    >>> from seqveil.tables.domain import Domain
    >>> baskets = sets_of([["milk", "bread", "milk"], ["?"], ["bread"]], Domain.of(["bread", "milk"]))
    >>> baskets, [codes.tolist() for codes in baskets.flat]
    (SetTable(domain=2 labels), [[0, 1], [0]])
    """

    kind: ClassVar[str] = "sets"
    engine: ClassVar[str] = "local"

    domain: Domain
    flat: Flat
    users: NDArray[np.int64] | None = None
    names: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        refuse_malformed(self.flat, self.users, len(self.domain), "read_sets or sets_of", self.names)
        rises = np.diff(self.flat.items.astype(np.int64, copy=False)) > 0
        starts = self.flat.offsets[:-1]
        rises[starts[(starts > 0) & (starts < len(self.flat.items))] - 1] = True
        if not rises.all():
            raise CallError("a set must hold its codes ascending and each of them once: make tables with read_sets or sets_of.")

    @classmethod
    def of(cls, table: SequenceTable | SetTable) -> SetTable:
        """The sets of labels that occur in sequences: order and repeats are forgotten, empty records left out."""
        if isinstance(table, SetTable):
            return table
        items, offsets, kept = _sorted_unique(table.flat.items, table.flat.offsets)
        users, names = (None if column is None else column[kept] for column in (table.users, table.names))
        return cls(table.domain, Flat(items, offsets), users, names)

    def __len__(self) -> int:
        return len(self.flat)

    @property
    def owners(self) -> NDArray[np.int64] | None:
        """The unit that owns each record, where it is not the record itself."""
        return self.users

    def take(self, rows: NDArray[np.integer]) -> SetTable:
        """The chosen records."""
        users, names = (None if column is None else column[rows] for column in (self.users, self.names))
        return SetTable(self.domain, self.flat.take(rows), users, names)

    def bounded(self, m: int, key: NDArray[np.uint64]) -> SetTable:
        """At most m records of each user; `key` is the secret of the lots by which they are drawn."""
        return bound_records(self, m, key)

    def __repr__(self) -> str:
        return f"SetTable(domain={len(self.domain):,} labels)"


def sets_of(sets: Iterable[Sequence[Any]], domain: Domain, users: Sequence[Any] | None = None) -> SetTable:
    """A table from plain collections of labels, for examples and small data; labels outside the domain are dropped."""
    return SetTable.of(table_of(sets, domain, users))
