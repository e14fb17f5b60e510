"""Excerpts: a contiguous part of every long record, drawn by a secret key of the record alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit

from seqveil.engines.local.views import View
from seqveil.engines.protocol import Excerpt, Uniform
from seqveil.tables.flat import Flat

DRAWS = 2**31
"""Keys are below this. A place among n is as likely as any other up to a share of n/2³¹; whatever it is, it depends on no other
record."""


@njit(cache=True)
def _span(length, l_max, blocks, key):  # type: ignore[no-untyped-def]
    """Where the excerpt of a record begins and ends."""
    if length <= l_max:
        return 0, length
    if blocks:
        among = (length + l_max - 1) // l_max
        block = key * among >> 31
        return block * length // among, (block + 1) * length // among
    first = key * (length - l_max + 1) >> 31
    return first, first + l_max


@njit(cache=True)
def _excerpts(items, offsets, l_max, blocks, keys):  # type: ignore[no-untyped-def]
    starts = np.zeros(len(offsets), np.int64)
    for k in range(len(offsets) - 1):
        first, last = _span(offsets[k + 1] - offsets[k], l_max, blocks, keys[k])
        starts[k + 1] = starts[k] + last - first
    kept = np.empty(starts[-1], items.dtype)
    for k in range(len(offsets) - 1):
        first, last = _span(offsets[k + 1] - offsets[k], l_max, blocks, keys[k])
        for j in range(first, last):
            kept[starts[k] + j - first] = items[offsets[k] + j]
    return kept, starts


def excerpts(table: Any, l_max: int, how: Excerpt, uniform: Uniform) -> Any:
    """One key for every record, whether it is cut or not: how many draws there are says nothing about lengths.

    >>> from seqveil.tables.sequences import table_of
    >>> from seqveil.tables.domain import Domain
    >>> table = table_of([list("abcdefg"), ["a"]], Domain.of(list("abcdefg")))
    >>> [r.tolist() for r in excerpts(table, 3, "sample", lambda n, size: np.array([n - 1, 0])).flat]
    [[4, 5, 6], [0]]
    """
    keys = np.asarray(uniform(DRAWS, len(table)), np.int64)
    inner = table.copied() if isinstance(table, View) else table
    flat = Flat(*_excerpts(inner.flat.items, inner.flat.offsets, l_max, how == "sample", keys))
    return replace(inner, flat=flat)
