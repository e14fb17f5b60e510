"""Coins by the hundred thousand: the compiled form of `digits.tossed`, loaded only where there are that many."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def tossed_compiled(words, low, high, digits, out):  # type: ignore[no-untyped-def]
    """The draws, as far as their words settle them, with a sign where there is a word for it; returns which coins are open."""
    size, width = words.shape
    open_ = np.empty(16, np.int64)
    n = 0
    for i in range(size):
        value = np.int64(0)
        unsure = False
        for j in range(digits):
            value |= np.int64(words[i, j] < low[j]) << j
            unsure |= (words[i, j] >= low[j]) & (words[i, j] < high[j])
        for j in range(digits, width):
            unsure |= (words[i, j] >= low[j]) & (words[i, j] < high[j])
        if width > digits + 1 and words[i, digits + 1] < low[digits + 1]:
            value = ~value
        out[i] = value
        if unsure:
            for j in range(width):
                if words[i, j] >= low[j] and words[i, j] < high[j]:
                    if n == len(open_):
                        open_ = np.concatenate((open_, np.empty(n, np.int64)))
                    open_[n] = i * width + j
                    n += 1
    return open_[:n]
