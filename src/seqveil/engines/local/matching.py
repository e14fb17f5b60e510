"""Which public patterns the records hold: a list of slots for every record, clipped to so many of them.

The list of a record, and which part of it is kept, is a function of the record and of public patterns alone, hence *local*. Where
a record has more slots than it may count for, consecutive ones count (after the last comes the first) from a place that it draws
itself, so that no part of a record is favoured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.clipping import drawn
from seqveil.engines.local.records import Scope
from seqveil.engines.local.slots import bump, counted, crowded
from seqveil.engines.protocol import Tally
from seqveil.tables.doubling import Doubling
from seqveil.tables.trie import Trie


@njit(cache=True)
def _number(sorted_keys, low, high, key):  # type: ignore[no-untyped-def]
    """The position of a key within sorted_keys[low:high], less low; -1 where it is not there."""
    begin, end = low, high
    while begin < end:
        middle = (begin + end) // 2
        if sorted_keys[middle] < key:
            begin = middle + 1
        else:
            end = middle
    return begin - low if begin < high and sorted_keys[begin] == key else -1


@njit(cache=True)
def _doubled(items, start, n, doubling, ids, out):  # type: ignore[no-untyped-def]
    """The slots of a record's strings of the length asked about, by position; how many there are."""
    labels, base, slot, first, right, left_rank, right_rank, begin = doubling
    levels = len(begin) - 1
    ask = base << levels
    if n < ask:
        return 0
    weight = np.int64(1)
    for _ in range(base - 1):
        weight *= labels
    code = np.int64(0)
    for p in range(n):
        # Invariant: `code` numbers the last `base` labels.
        if p >= base:
            code -= items[start + p - base] * weight
        code = code * labels + items[start + p]
        if p >= base - 1:
            at = p - base + 1
            ids[at] = code if levels == 0 else _number(slot, begin[0], begin[1], code)
    wide = base
    for level in range(levels):
        # Invariant: ids[p] is the number of the known string of `wide` labels that begins at p, or -1.
        low, last = begin[level], level + 1 == levels
        for p in range(n - 2 * wide + 1):
            a, b = ids[p], ids[p + wide]
            m = ids[p + wide // 2] if wide > 1 else a
            if a < 0 or b < 0 or m < 0:
                ids[p] = -1
                continue
            pair = first[low + m] + left_rank[low + a] * right[low + m] + right_rank[low + b]
            ids[p] = pair if last else _number(slot, begin[level + 1], begin[level + 2], pair)
        wide *= 2
    total = 0
    for p in range(n - ask + 1):
        if ids[p] >= 0:
            out[total] = ids[p]
            total += 1
    return total


@njit(cache=True)
def _walked(items, start, n, trie, once, stamp, seen, out):  # type: ignore[no-untyped-def]
    """The longest pattern that begins at each label; or (once) the last pattern of each heavy path that the record holds."""
    labels, edge, child, root, pattern, heavy = trie
    total = 0
    for p in range(n):
        node = root[items[start + p]]
        longest = np.int64(-1)
        at = p + 1
        while node >= 0:
            q = pattern[node]
            if q >= 0:
                longest = q
                if once and seen[q] != stamp:
                    seen[q] = stamp
                    out[total] = q
                    total += 1
            if at >= n:
                break
            e = _number(edge, 0, len(edge), node * labels + items[start + at])
            node = child[e] if e >= 0 else -1
            at += 1
        if longest >= 0 and not once:
            out[total] = longest
            total += 1
    if not once:
        return total
    ends = 0
    for i in range(total):
        q = out[i]
        if heavy[q] < 0 or seen[heavy[q]] != stamp:
            out[ends] = q
            ends += 1
    return ends


@njit(cache=True)
def _slots_of(items, start, n, walks, doubling, trie, once, stamp, ids, seen, out):  # type: ignore[no-untyped-def]
    """The slots of one record; each at most once, ascending, if `once`."""
    total = _walked(items, start, n, trie, once, stamp, seen, out) if walks else _doubled(items, start, n, doubling, ids, out)
    if not once or total < 2:
        return total
    out[:total] = np.sort(out[:total])
    different = 1
    for i in range(1, total):
        if out[i] != out[i - 1]:
            out[different] = out[i]
            different += 1
    return different


@njit(cache=True)
def _room(offsets, l_max, patterns):  # type: ignore[no-untyped-def]
    longest = 1
    for k in range(len(offsets) - 1):
        longest = max(longest, min(offsets[k + 1] - offsets[k], l_max))
    return longest, max(longest, patterns)


@njit(cache=True)
def _matches(  # type: ignore[no-untyped-def]
    items, offsets, low, high, l_max, walks, doubling, trie, once, most, begin, used, keys, counts
):
    """See `slots.counted`."""
    longest, room = _room(offsets, l_max, len(trie[5]))
    ids, out = np.empty(longest, np.int64), np.empty(room, np.int64)
    seen = np.full(len(trie[5]), -1, np.int64)
    heaviest = 0
    for k in range(begin, len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if not low <= n <= high:
            continue
        if crowded(keys, used, n):
            return k, used, heaviest
        start = offsets[k]
        total = _slots_of(items, start, n, walks, doubling, trie, once, k, ids, seen, out)
        added = min(total, most)
        at = drawn(items, start, start + n, total) if total > most else 0
        for i in range(added):
            used += bump(keys, counts, out[(at + i) % total])
        heaviest = max(heaviest, added)
    return len(offsets) - 1, used, heaviest


@njit(cache=True)
def _matched(items, offsets, low, high, l_max, walks, doubling, trie, once, bounds):  # type: ignore[no-untyped-def]
    longest, room = _room(offsets, l_max, len(trie[5]))
    ids, out = np.empty(longest, np.int64), np.empty(room, np.int64)
    seen = np.full(len(trie[5]), -1, np.int64)
    counts = np.zeros(len(bounds) + 1, np.int64)
    records = 0
    for k in range(len(offsets) - 1):
        n = min(offsets[k + 1] - offsets[k], l_max)
        if low <= n <= high:
            total = _slots_of(items, offsets[k], n, walks, doubling, trie, once, k, ids, seen, out)
            counts[np.searchsorted(bounds, total)] += 1
            records = 1
    return counts, records


def matches(scope: Scope, patterns: Doubling | Trie, *, most: int, once: bool) -> Tally:
    """How often each slot is held; a record adds to at most `most` of them.

    >>> flat = (np.array([0, 1, 0, 1, 1]), np.array([0, 4, 5]), 0, 9, 9)
    >>> trie = Trie.of([(0,), (0, 1), (0, 1, 0)], labels=2)
    >>> matches(flat, trie, most=9, once=False).dense(3).tolist()    # at 0: 010; at 2: 01
    [0, 1, 1]
    >>> matches(flat, trie, most=9, once=True).dense(3).tolist()     # one heavy path, whose last pattern there is 010
    [0, 0, 1]
    >>> matches(flat, Doubling.over(2, 2), most=9, once=False).dense(4).tolist()
    [0, 2, 1, 0]
    """
    public = _public(patterns)
    return counted(patterns.slots, len(scope[1]) - 1, lambda *state: _matches(*scope, *public, once, most, *state))


def matched(scope: Scope, patterns: Doubling | Trie, bounds: NDArray[np.int64], *, once: bool) -> Tally:
    """Records by how many slots they hold: slot j is for at most bounds[j], and more than the bound before.

    >>> flat = (np.array([0, 1, 0, 1, 1]), np.array([0, 4, 5]), 0, 9, 9)
    >>> matched(flat, Doubling.over(2, 2), np.array([0, 2]), once=False).dense(3).tolist()
    [1, 0, 1]
    """
    counts, heaviest = _matched(*scope, *_public(patterns), once, bounds)
    return Tally.of(counts, int(heaviest))


def _public(patterns: Doubling | Trie) -> tuple[Any, ...]:
    """Whether patterns are walked, and arrays of both ways, of which one is empty."""
    if isinstance(patterns, Trie):
        return True, _levels(Doubling(1, 1, ())), _nodes(patterns)
    return False, _levels(patterns), _nodes(Trie.of([], 1))


def _levels(doubling: Doubling) -> tuple[Any, ...]:
    levels = doubling.levels
    columns = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(level, name) for level in levels)])
        for name in ("slot", "first", "right", "left_rank", "right_rank")
    )
    begin = np.cumsum([0, *(len(level.slot) for level in levels)], dtype=np.int64)
    return (doubling.labels, doubling.base, *columns, begin)


def _nodes(trie: Trie) -> tuple[Any, ...]:
    root = np.full(trie.labels, -1, np.int64)
    first = trie.edge < trie.labels
    root[trie.edge[first]] = trie.child[first]
    return trie.labels, trie.edge, trie.child, root, trie.pattern, trie.heavy
