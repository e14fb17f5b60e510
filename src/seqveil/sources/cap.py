"""A public cap on rows per user: of every user the first rows of the file are kept, and no more.

Which rows are kept depends on the rows of that user alone and on their order in the file, so one user's rows never decide
about another's. The cap is applied before rows are grouped and sorted: what follows never holds more than `most` rows of anyone.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.surface import parameter


@numba.njit(cache=True)
def _first(users, most, seen, keep):  # type: ignore[no-untyped-def]
    """Takes out the rows of users who have `most` rows already; seen[u] counts the rows of user u that were kept."""
    for i in range(len(users)):
        if keep[i]:
            if seen[users[i]] < most:
                seen[users[i]] += 1
            else:
                keep[i] = False


class Cap:
    """At most `most` rows of each user, batch by batch; users are numbered 0, 1, 2, …

    >>> cap = Cap(2)
    >>> keep = np.ones(4, np.bool_)
    >>> cap.apply(np.array([0, 0, 1, 0]), keep), keep.tolist()
    (1, [True, True, True, False])
    >>> keep = np.ones(2, np.bool_)
    >>> cap.apply(np.array([1, 1]), keep), keep.tolist()
    (1, [True, False])
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._seen = np.zeros(1 << 10, np.int64)

    def apply(self, users: NDArray[np.integer], keep: NDArray[np.bool_]) -> int:
        """Clears `keep` for the rows beyond the cap, among those that are still to be kept; says how many they were."""
        need = int(users.max()) + 1 if len(users) else 0
        if need > len(self._seen):
            self._seen = np.append(self._seen, np.zeros(max(need, 2 * len(self._seen)) - len(self._seen), np.int64))
        before = int(np.count_nonzero(keep))
        _first(users, self._most, self._seen, keep)
        return before - int(np.count_nonzero(keep))


def check_cap(most: object) -> None:
    """Refuse a cap that is no whole number of rows.

    >>> check_cap(0)
    Traceback (most recent call last):
    seqveil.errors.CallError: max_events=0 is not a whole number of at least 1: use for example max_events=1000, or leave it out.
    """
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        given, example = parameter("max_events", repr(most)), parameter("max_events", "1000")
        raise CallError(f"{given} is not a whole number of at least 1: use for example {example}, or leave it out.")
