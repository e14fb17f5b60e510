"""What follows public contexts inside records: one pass over the items, whatever the number of contexts.

A context is the d codes before an item. Its number is kept while the pass goes on: the oldest code leaves, the newest joins.
Where there are at most 2²⁴ possible contexts, the number is exact and is looked up in an array; otherwise it is taken modulo 2⁶⁴,
looked up in a hash table of the contexts asked for, and confirmed code by code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.records import Scope
from seqveil.engines.local.slots import bump, counted, crowded, place
from seqveil.engines.protocol import Tally
from seqveil.tables.lots import by_owner

MOST_LOOKED_UP = 1 << 24
"""Possible contexts, up to which each has an entry of its own."""

_ODD = 0x5851F42D4C957F2D
"""The base of numbers modulo 2⁶⁴: odd, so that no code of a long context is shifted out."""


@njit(cache=True)
def _numbers(contexts, base):  # type: ignore[no-untyped-def]
    """The number of every context, and the weight of its oldest code."""
    numbers = np.zeros(len(contexts), np.int64)
    oldest = np.int64(1)
    for i in range(contexts.shape[1]):
        if i:
            oldest *= base
        for c in range(len(contexts)):
            numbers[c] = numbers[c] * base + contexts[c, i]
    return numbers, oldest


@njit(cache=True)
def _hashed(numbers):  # type: ignore[no-untyped-def]
    """A hash table of the rows of the contexts, by their numbers."""
    places = 16
    while places < 4 * len(numbers):
        places *= 2
    rows = np.full(places, -1, np.int32)
    for c in range(len(numbers)):
        at = place(numbers[c], places)
        while rows[at] >= 0:
            at = (at + 1) & (places - 1)
        rows[at] = c
    return rows


@njit(cache=True)
def _row(number, at, items, codes, contexts, numbers, rows):  # type: ignore[no-untyped-def]
    """The context of this number that stands at a position, or -1."""
    home = place(number, len(rows))
    while rows[home] >= 0:
        row = rows[home]
        same = numbers[row] == number
        i = 0
        while same and i < contexts.shape[1]:
            same = contexts[row, i] == codes[items[at + i]]
            i += 1
        if same:
            return row
        home = (home + 1) & (len(rows) - 1)
    return np.int32(-1)


@njit(cache=True)
def _windows(  # type: ignore[no-untyped-def]
    items, offsets, low, high, l_max, codes, contexts, numbers, rows, exact, base, oldest, wide, begin, used, keys, counts
):
    """See `slots.counted`."""
    d = contexts.shape[1]
    heaviest = 0
    for k in range(begin, len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if n <= d or not low <= n <= high:
            continue
        if crowded(keys, used, n):
            return k, used, heaviest
        start = offsets[k]
        number = np.int64(0)
        for j in range(start, start + d):
            number = number * base + codes[items[j]]
        added = 0
        for j in range(start + d, start + n):
            # Invariant: `number` is that of the d codes before item j, all of this record.
            row = rows[number] if exact else _row(number, j - d, items, codes, contexts, numbers, rows)
            x = np.int64(codes[items[j]])
            if row >= 0:
                used += bump(keys, counts, np.int64(row) * wide + x)
                added += 1
            if d:
                number = (number - np.int64(codes[items[j - d]]) * oldest) * base + x
        heaviest = max(heaviest, added)
    return len(offsets) - 1, used, heaviest


@njit(cache=True)
def _slots(items, start, stop, codes, contexts, numbers, rows, exact, base, oldest, wide, out, at):  # type: ignore[no-untyped-def]
    """Writes the slots of one record into `out` from `at` on; returns where they end."""
    d = contexts.shape[1]
    number = np.int64(0)
    for j in range(start, min(start + d, stop)):
        number = number * base + codes[items[j]]
    for j in range(start + d, stop):
        row = rows[number] if exact else _row(number, j - d, items, codes, contexts, numbers, rows)
        x = np.int64(codes[items[j]])
        if row >= 0:
            out[at] = np.int64(row) * wide + x
            at += 1
        if d:
            number = (number - np.int64(codes[items[j - d]]) * oldest) * base + x
    return at


@njit(cache=True)
def _capped(  # type: ignore[no-untyped-def]
    items, offsets, low, high, l_max, public, order, first, cap, square, begin, used, keys, counts
):
    """See `slots.counted`; it goes on with an owner (or a record, where there is no `order`). `square` takes the largest norm."""
    codes, contexts, numbers, rows, exact, base, oldest, wide = public
    owned = len(order) > 0
    groups = len(first) - 1 if owned else len(offsets) - 1
    out = np.empty(64, np.int64)
    heaviest = 0
    for g in range(begin, groups):
        end = 0
        for i in range(first[g] if owned else g, first[g + 1] if owned else g + 1):
            k = order[i] if owned else i
            n = min(offsets[k + 1] - offsets[k], l_max)
            if not low <= n <= high:
                continue
            if end + n > len(out):
                out = np.concatenate((out, np.empty(len(out) + n, np.int64)))
            after = _slots(items, offsets[k], offsets[k] + n, codes, contexts, numbers, rows, exact, base, oldest, wide, out, end)
            heaviest = max(heaviest, after - end)
            end = after
        if crowded(keys, used, end):
            return g, used, heaviest
        mine = out[:end]
        mine.sort()
        norm = 0
        at = 0
        while at < end:
            same = 0
            while at + same < end and mine[at + same] == mine[at]:
                if same < cap:
                    used += bump(keys, counts, mine[at])
                same += 1
            norm += min(same, cap) ** 2
            at += same
        square[0] = max(square[0], norm)
    return groups, used, heaviest


Public = tuple[Any, ...]
"""What a kernel is told about the contexts: codes, contexts, numbers, rows, exact, base, oldest, wide."""


def _public(contexts: NDArray[np.int32], codes: NDArray[np.int32], wide: int) -> Public:
    n, d = contexts.shape
    exact = wide**d <= MOST_LOOKED_UP
    base = np.int64(wide if exact else _ODD)
    numbers, oldest = _numbers(contexts, base)
    if exact:
        rows = np.full(wide**d, -1, np.int32)
        rows[numbers] = np.arange(n, dtype=np.int32)
    else:
        rows = _hashed(numbers)
    return codes, contexts, numbers, rows, exact, base, oldest, wide


def windows(scope: Scope, contexts: NDArray[np.int32], codes: NDArray[np.int32], wide: int) -> Tally:
    """How often each context is followed by each code inside a record: slot c·wide + x. One of no codes stands before all."""
    public = _public(contexts, codes, wide)
    return counted(len(contexts) * wide, len(scope[1]) - 1, lambda *state: _windows(*scope, *public, *state))


def capped_windows(
    scope: Scope,
    owners: NDArray[np.int64] | None,
    contexts: NDArray[np.int32],
    codes: NDArray[np.int32],
    wide: int,
    cap: int,
) -> Tally:
    """The same where an owner, or a record where there are none, adds at most `cap` to each slot."""
    public = _public(contexts, codes, wide)
    order, first = (np.zeros(0, np.int64), np.zeros(1, np.int64)) if owners is None else by_owner(owners)
    groups = len(scope[1]) - 1 if owners is None else len(first) - 1
    square = np.zeros(1, np.int64)
    tally = counted(len(contexts) * wide, groups, lambda *state: _capped(*scope, public, order, first, cap, square, *state))
    return replace(tally, owner_square=int(square[0]))
