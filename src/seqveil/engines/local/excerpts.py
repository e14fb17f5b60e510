"""Excerpts: a contiguous part of every long record, drawn by a secret key of the record alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.views import View
from seqveil.engines.protocol import Excerpt, Uniform
from seqveil.tables.flat import Flat
from seqveil.tables.lots import draw_key, lots_of

BITS = 31
"""Of each lot so many bits are used. A place among n is as likely as any other up to a share of n/2³¹; whatever it is, it depends
on no other record."""


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
    """One secret key; the place of each record's excerpt is its lot (`tables.lots`), whether it is cut or not.

    >>> from seqveil.tables.sequences import table_of
    >>> from seqveil.tables.domain import Domain
    >>> table = table_of([list("abcdefg"), ["a"]], Domain.of(list("abcdefg")))
    >>> [len(r) for r in excerpts(table, 3, "window", lambda n, size: np.zeros(size, np.int64)).flat]
    [3, 1]
    """
    inner = table.copied() if isinstance(table, View) else table
    lots = lots_of(inner.flat, inner.owners, inner.names, draw_key(uniform))
    return replace(inner, flat=excerpted(inner.flat, l_max, how, lots))


def excerpted(flat: Flat, l_max: int, how: Excerpt, lots: NDArray[np.uint64]) -> Flat:
    """The records with the excerpts that their lots say."""
    keys = (lots >> np.uint64(64 - BITS)).astype(np.int64)
    return Flat(*_excerpts(flat.items, flat.offsets, l_max, how == "sample", keys))
