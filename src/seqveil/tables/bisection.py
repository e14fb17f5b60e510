"""Bisection inside compiled code: children of a trie and items of a set stand in rising order."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def place_of(values, low, high, x):  # type: ignore[no-untyped-def]
    """Where x stands in values[low:high], which must rise; -1 where it does not.

    >>> import numpy as np
    >>> [place_of(np.array([9, 2, 4, 7, 1]), 1, 4, x) for x in (2, 7, 3, 9)]
    [1, 3, -1, -1]
    """
    end = high
    while low < high:
        # Invariant: what stands before `low` is less than x, what stands from `high` on is not.
        middle = (low + high) // 2
        if values[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < end and values[low] == x else -1
