"""Bounding: how many sequences of one user are used.

This stands left of the wall: what is chosen of one user may not depend on any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.sequences import SequenceTable


def bound_sequences(table: SequenceTable, m: int, choose: Callable[[int], NDArray[np.uint64]]) -> SequenceTable:
    """At most m sequences of each user, chosen uniformly and independently of all other users.

    `choose(n)` gives n uniform keys from the run's secret randomness, one for each sequence; each user keeps the m smallest. The
    keys are independent, so a user's choice has the same distribution whoever else is there: another user's sequences take
    other keys, never these. Where every sequence stands for itself, all are kept.

    >>> from seqveil.tables.domain import Domain
    >>> from seqveil.tables.flat import Flat
    >>> table = SequenceTable(Domain.range(0, 9), Flat.of([[1], [2], [3]]), np.array([0, 0, 1]))
    >>> bound_sequences(table, 1, lambda n: np.array([7, 3, 9], np.uint64)).flat.items.tolist()
    [2, 3]
    """
    if table.users is None or not len(table.flat):
        return table
    users = table.users
    order = np.lexsort((choose(len(users)), users))
    sorted_users = users[order]
    first = np.flatnonzero(np.concatenate([[True], sorted_users[1:] != sorted_users[:-1]]))
    rank = np.arange(len(users)) - np.repeat(first, np.diff(first, append=len(users)))
    kept = np.zeros(len(users), np.bool_)
    kept[order[rank < m]] = True
    return table if kept.all() else replace(table, flat=table.flat.take(kept), users=users[kept])
