"""Counting slots: in one array where there are few, by hashing where there are many, so that no empty slot costs anything.

A kernel is given keys and counts, and calls `bump` for every slot. With no keys, every slot has a count of its own. With keys, it
stops before a record for which the hash table may have too little room (`crowded`); `counted` makes room and lets it go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.protocol import Tally

DENSE = 1 << 24
"""Up to this many slots are counted in one array."""

_FIRST = 1 << 12
"""Places of a hash table to begin with; a power of two."""


@njit(cache=True)
def place(key, places):  # type: ignore[no-untyped-def]
    """Where a key is looked for first, among a power of two of places."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(places - 1))


@njit(cache=True)
def crowded(keys, used, more):  # type: ignore[no-untyped-def]
    """Whether so many slots more could leave less than half of a hash table free."""
    return len(keys) > 0 and 2 * (used + more) > len(keys)


@njit(cache=True)
def bump(keys, counts, slot):  # type: ignore[no-untyped-def]
    """One more in a slot; 1 if the slot took a new place."""
    if len(keys) == 0:
        counts[slot] += 1
        return 0
    at = place(slot, len(keys))
    while keys[at] >= 0 and keys[at] != slot:
        at = (at + 1) & (len(keys) - 1)
    fresh = 1 if keys[at] < 0 else 0
    keys[at] = slot
    counts[at] += 1
    return fresh


@njit(cache=True)
def _wider(keys, counts):  # type: ignore[no-untyped-def]
    """The same counts in twice the room."""
    wider = np.full(2 * len(keys), -1, np.int64)
    moved = np.zeros(2 * len(keys), np.int64)
    for i in range(len(keys)):
        if keys[i] >= 0:
            at = place(keys[i], len(wider))
            while wider[at] >= 0:
                at = (at + 1) & (len(wider) - 1)
            wider[at] = keys[i]
            moved[at] = counts[i]
    return wider, moved


def counted(
    slots: int, records: int, count: Callable[[int, int, NDArray[np.int64], NDArray[np.int64]], tuple[Any, Any, Any]]
) -> Tally:
    """What a kernel counts: `count(first, used, keys, counts)` goes on with a record and returns the one that it stopped at, how
    many places are used, and the most that one record added."""
    hashed = slots > DENSE
    keys, counts = np.full(_FIRST * hashed, -1, np.int64), np.zeros(_FIRST if hashed else slots, np.int64)
    first, used, heaviest = count(0, 0, keys, counts)
    while first < records:
        keys, counts = _wider(keys, counts)
        first, used, added = count(first, used, keys, counts)
        heaviest = max(heaviest, added)
    if not hashed:
        return Tally.of(counts, int(heaviest))
    filled = np.flatnonzero(keys >= 0)
    order = filled[np.argsort(keys[filled])]
    return Tally(keys[order], counts[order], int(heaviest))
