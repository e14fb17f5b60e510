"""A hash table from 64-bit keys to 32-bit numbers, for kernels: open addressing in two arrays whose length is a power of two."""

from __future__ import annotations

import numpy as np
from numba import njit

EMPTY = -1


@njit(cache=True)
def new_lookup(size):  # type: ignore[no-untyped-def]
    """Arrays that hold at least `size` entries before they must grow."""
    length = 64
    while length < 2 * size:
        length *= 2
    return np.full(length, EMPTY, np.int64), np.zeros(length, np.int32)


@njit(cache=True)
def place(keys, key):  # type: ignore[no-untyped-def]
    """Where the key is, or where it would go."""
    mask = len(keys) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))
    while keys[at] != key and keys[at] != EMPTY:
        at = (at + 1) & mask
    return at


@njit(cache=True)
def find(keys, numbers, key):  # type: ignore[no-untyped-def]
    """The number of a key, or -1."""
    at = place(keys, key)
    return numbers[at] if keys[at] == key else np.int32(-1)


@njit(cache=True)
def grown(keys, numbers):  # type: ignore[no-untyped-def]
    """The same entries in arrays of twice the length."""
    new_keys, new_numbers = np.full(2 * len(keys), EMPTY, np.int64), np.zeros(2 * len(keys), np.int32)
    for i in range(len(keys)):
        if keys[i] != EMPTY:
            at = place(new_keys, keys[i])
            new_keys[at], new_numbers[at] = keys[i], numbers[i]
    return new_keys, new_numbers
