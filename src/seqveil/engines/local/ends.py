"""The ends of records: where they begin, where they end, both together, and whether they end where they began by length."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.records import Scope
from seqveil.engines.local.slots import bump, counted, crowded
from seqveil.engines.protocol import Tally


@njit(cache=True)
def _ends(items, offsets, low, high, l_max, first, last, wide, begin, used, keys, counts):  # type: ignore[no-untyped-def]
    """See `slots.counted`; a record adds to one slot."""
    for k in range(begin, len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if n > 0 and low <= n <= high:
            if crowded(keys, used, 1):
                return k, used, 1
            at = offsets[k]
            used += bump(keys, counts, np.int64(first[items[at]]) * wide + last[items[at + n - 1]])
    return len(offsets) - 1, used, 1


def ends(scope: Scope, first: NDArray[np.int32], last: NDArray[np.int32], slots: int, wide: int) -> Tally:
    """Records by the code of their first item times `wide` plus the code of their last; empty records have no ends."""
    return counted(slots, len(scope[1]) - 1, lambda *state: _ends(*scope, first, last, wide, *state))


@njit(cache=True)
def _closed(items, offsets, low, high, l_max, most):  # type: ignore[no-untyped-def]
    counts = np.zeros(2 * most, np.int64)
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if n > 0 and low <= n <= high:
            n = min(n, most)
            at = offsets[k]
            counts[2 * (n - 1) + (1 if items[at] == items[at + n - 1] else 0)] += 1
    return counts


def closed_lengths(scope: Scope, most: int) -> Tally:
    """Records cut to `most` items, by length and by whether the last item equals the first."""
    return Tally.of(_closed(*scope, most), heaviest=1)
