"""Bounding: how many records of one user are used.

This stands left of the wall: what is chosen of one user may not depend on any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from seqveil.tables.lots import Key, chosen

if TYPE_CHECKING:
    from seqveil.tables.sequences import SequenceTable
    from seqveil.tables.sets import SetTable

Table = TypeVar("Table", "SequenceTable", "SetTable")


def bound_records(table: Table, m: int, key: Key) -> Table:
    """At most m records of each user, those with the smallest lots (`tables.lots`). Where records own themselves, all are kept.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> from seqveil.tables.sequences import SequenceTable
    >>> table = SequenceTable(Domain.range(0, 9), Flat.of([[1], [2], [3]]), np.array([0, 0, 1]))
    >>> bound_records(table, 1, np.array([1, 2], np.uint64)).users.tolist()
    [0, 1]
    """
    if table.users is None or not len(table.flat):
        return table
    kept = chosen(table.flat, table.users, table.names, m, key)
    return table if kept.all() else table.take(np.flatnonzero(kept))
