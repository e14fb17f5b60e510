"""Views of a table: its records cut to a length, all of them or those of certain lengths (strata). Nothing is copied.

Kernels that count inside records walk the offsets of the whole table and pass over what does not belong (`scope`): a pass reads
eight bytes per foreign record, and strata cost no memory, however many there are. Copies would hold every record a second time.
Kernels that need arrays of their own (trees) get them from `flat`, and drop them when they are done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.records import Scope, kept, longest, whole
from seqveil.tables.flat import Flat


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class View:
    """The records of a table that have from `low` to `high` items once they are cut to l_max, so cut."""

    engine: ClassVar[str] = "local"

    table: Any
    low: int
    high: int
    l_max: int
    size: int

    @property
    def kind(self) -> str:
        return str(self.table.kind)

    @property
    def domain(self) -> Any:
        return self.table.domain

    @property
    def flat(self) -> Flat:
        """A copy of the records."""
        return kept(scope(self))

    @property
    def owners(self) -> NDArray[np.int64] | None:
        """The unit that owns each record, where it is not the record itself."""
        owners: NDArray[np.int64] | None = self._column(self.table.owners)
        return owners

    @property
    def names(self) -> NDArray[np.uint64] | None:
        """The digest of each owner's name."""
        names: NDArray[np.uint64] | None = self._column(self.table.names)
        return names

    def _column(self, column: Any) -> Any:
        return column if column is None or self.size == len(self.table) else column[rows_within(*scope(self)[1:])]

    def __len__(self) -> int:
        return self.size

    def take(self, rows: NDArray[np.integer]) -> Any:
        """The chosen records."""
        return self.copied().take(rows)

    def bounded(self, m: int, key: NDArray[np.uint64]) -> Any:
        """At most m records of each user."""
        return self.copied().bounded(m, key)

    def copied(self) -> Any:
        """A table of its own."""
        owned = {} if self.owners is None else {"users": self.owners, "names": self.names}
        return replace(self.table, flat=self.flat, **owned)

    def __repr__(self) -> str:
        return f"View({self.low}..{self.high} items, domain={len(self.domain):,} labels)"


def scope(table: Any) -> Scope:
    """What a kernel walks: the items and offsets of the whole table, which lengths belong, and where records are cut."""
    if isinstance(table, View):
        flat = table.table.flat
        return flat.items, flat.offsets, table.low, table.high, table.l_max
    return whole(table.flat)


def owners_in_scope(table: Any) -> NDArray[np.int64] | None:
    """The owner of every record that a kernel walks, those that do not belong too."""
    owners: NDArray[np.int64] | None = (table.table if isinstance(table, View) else table).owners
    return owners


def cut(table: Any, l_max: int) -> Any:
    """The first l_max items of every record: the table itself where none is longer."""
    if longest(scope(table)) <= l_max:
        return table
    inner = table.copied() if isinstance(table, View) else table
    return View(inner, 0, l_max, l_max, len(inner))


def strata(table: Any, bounds: Sequence[int]) -> list[Any]:
    """One stratum for each bound: records that have, cut to the last bound, more items than the bound before and at most this.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.sequences import SequenceTable
    >>> table = SequenceTable(Domain.range(0, 9), Flat.of([[1], [], [1, 2, 3, 4], [5, 6]]))
    >>> [[record.tolist() for record in stratum.flat] for stratum in strata(table, [1, 3])]
    [[[1]], [[1, 2, 3], [5, 6]]]
    """
    if isinstance(table, View) and bounds[-1] >= table.high:  # no record of it is cut any further
        base, low, high, l_max = table.table, table.low, table.high, table.l_max
    else:
        base, low, high, l_max = table.copied() if isinstance(table, View) else table, 1, bounds[-1], bounds[-1]
    sizes = _sizes(base.flat.offsets, low, high, l_max, np.array(bounds, np.int64))
    spans = zip([1, *(bound + 1 for bound in bounds[:-1])], bounds, sizes.tolist(), strict=True)
    return [View(base, max(low, first), min(high, last), l_max, size) for first, last, size in spans]


@njit(cache=True)
def _sizes(offsets, low, high, l_max, bounds):  # type: ignore[no-untyped-def]
    """How many records there are in each stratum."""
    sizes = np.zeros(len(bounds), np.int64)
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if n > 0 and low <= n <= high:
            j = 0
            while bounds[j] < n:
                j += 1
            sizes[j] += 1
    return sizes


@njit(cache=True)
def rows_within(offsets, low, high, l_max):  # type: ignore[no-untyped-def]
    """Which records belong."""
    rows = np.empty(len(offsets) - 1, np.int64)
    size = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if low <= n <= high:
            rows[size] = k
            size += 1
    return rows[:size].copy()
