"""Steps of records: items next to each other whose codes are a listed pair; of a long record only the first ones count."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.records import Scope
from seqveil.engines.protocol import Tally


@njit(cache=True)
def _steps(items, offsets, low, high, l_max, codes, listed, slots, most):  # type: ignore[no-untyped-def]
    counts = np.zeros(slots, np.int64)
    heaviest = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if not low <= n <= high:
            continue
        added = 0
        for j in range(offsets[k] + 1, offsets[k] + n):
            if added == most:
                break
            slot = listed[codes[items[j - 1]], codes[items[j]]]
            if slot >= 0:
                counts[slot] += 1
                added += 1
        heaviest = max(heaviest, added)
    return counts, heaviest


def steps(scope: Scope, codes: NDArray[np.int32], listed: NDArray[np.int32], slots: int, most: int) -> Tally:
    """How often records step from code a to code b: slot `listed[a, b]`; the first `most` listed steps of a record count."""
    counts, heaviest = _steps(*scope, codes, listed, slots, most)
    return Tally.of(counts, int(heaviest))
