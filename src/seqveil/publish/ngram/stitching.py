"""Joining published fragments where the tree still misses steps. Post-processing.

Publication stops a gram where its counts run out, so it leaves fragments behind: more records than the terminator counts, and
steps (2-grams) that the tree knows but no record takes. Both are the same defect. A record that ends with x and one that begins
with y become one wherever the step from x to y is still missing; each such joint uses the step up once. The steps that miss
most go first, and among fragments the short ones; no record grows beyond l_max items.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.consistency import ConsistentTree
from seqveil.tables.flat import Flat


@njit(cache=True)
def _push(head, after, before, bucket, chain):  # type: ignore[no-untyped-def]
    """Put a chain at the front of a bucket."""
    after[chain] = head[bucket]
    before[chain] = -1
    if head[bucket] >= 0:
        before[head[bucket]] = chain
    head[bucket] = chain


@njit(cache=True)
def _pull(head, after, before, bucket, chain):  # type: ignore[no-untyped-def]
    """Take a chain out of its bucket."""
    if before[chain] >= 0:
        after[before[chain]] = after[chain]
    else:
        head[bucket] = after[chain]
    if after[chain] >= 0:
        before[after[chain]] = before[chain]


@njit(cache=True)
def _link(first, last, lengths, symbols, step_from, step_to, missing, l_max):  # type: ignore[no-untyped-def]
    """Which record follows each one (-1: none).

    Records become chains, known by their first record and kept in two sets of buckets: by last symbol and length, and by
    first symbol and length. `first` and `last` hold numbers below `symbols`.
    """
    n, wide = len(lengths), l_max + 1
    following = np.full(n, -1, np.int64)
    end = np.arange(n)  # the last record of a chain
    size = lengths.copy()
    ending = np.full(symbols * wide, -1, np.int64)
    starting = np.full(symbols * wide, -1, np.int64)
    after_e, before_e = np.empty(n, np.int64), np.empty(n, np.int64)
    after_s, before_s = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n - 1, -1, -1):
        _push(ending, after_e, before_e, last[i] * wide + size[i], i)
        _push(starting, after_s, before_s, first[i] * wide + size[i], i)
    joints = 1
    while joints:
        joints = 0
        for s in range(len(step_from)):
            while missing[s] >= 0.5:
                # Invariant: every chain stands in exactly one bucket of each set, under its own symbol and length.
                a = b = -1
                for length in range(1, l_max):
                    a = ending[step_from[s] * wide + length]
                    if a >= 0:
                        break
                if a < 0:
                    break
                for length in range(1, l_max - size[a] + 1):
                    b = starting[step_to[s] * wide + length]
                    if b == a:  # a chain cannot follow itself
                        b = after_s[b]
                    if b >= 0:
                        break
                if b < 0:
                    break
                _pull(ending, after_e, before_e, last[end[a]] * wide + size[a], a)
                _pull(ending, after_e, before_e, last[end[b]] * wide + size[b], b)
                _pull(starting, after_s, before_s, first[a] * wide + size[a], a)
                _pull(starting, after_s, before_s, first[b] * wide + size[b], b)
                following[end[a]] = b
                end[a] = end[b]
                size[a] += size[b]
                _push(ending, after_e, before_e, last[end[a]] * wide + size[a], a)
                _push(starting, after_s, before_s, first[a] * wide + size[a], a)
                missing[s] -= 1.0
                joints += 1
    return following


@njit(cache=True)
def _merge(items, offsets, following):  # type: ignore[no-untyped-def]
    """The records, each followed by what it was linked to."""
    follower = np.zeros(len(following), np.bool_)
    joints = 0
    for a in range(len(following)):
        if following[a] >= 0:
            follower[following[a]] = True
            joints += 1
    out_items = np.empty(len(items), items.dtype)
    out_offsets = np.zeros(len(offsets) - joints, np.int64)
    end = row = 0
    for a in range(len(following)):
        if follower[a]:
            continue
        at = a
        while at >= 0:
            for j in range(offsets[at], offsets[at + 1]):
                out_items[end] = items[j]
                end += 1
            at = following[at]
        row += 1
        out_offsets[row] = end
    return out_items, out_offsets


def stitch(records: Flat, tree: ConsistentTree, remaining: NDArray[np.float64], l_max: int) -> Flat:
    """Join fragments until no missing step has two of them left."""
    if tree.height < 2 or not len(records):
        return records
    steps = np.arange(tree.levels[2], tree.levels[3])
    steps = steps[(tree.symbol[steps] != tree.labels) & (remaining[steps] >= 0.5)]
    steps = steps[np.argsort(-remaining[steps], kind="stable")]
    unigrams = tree.symbol[tree.levels[1] : tree.levels[2]]  # all that records are made of, ascending
    first = np.searchsorted(unigrams, records.items[records.offsets[:-1]])
    last = np.searchsorted(unigrams, records.items[records.offsets[1:] - 1])
    step_from = np.searchsorted(unigrams, tree.symbol[tree.parent[steps]])
    step_to = np.searchsorted(unigrams, tree.symbol[steps])
    following = _link(first, last, records.lengths, len(unigrams), step_from, step_to, remaining[steps].copy(), l_max)
    return Flat(*_merge(records.items, records.offsets, following))
