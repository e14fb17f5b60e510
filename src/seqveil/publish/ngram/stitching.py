"""Joining published fragments where the tree still misses steps. Post-processing.

Publication stops a gram where its counts run out, so it leaves fragments behind: more records than the terminator counts, and
steps (2-grams) that the tree knows but no record takes. Both are the same defect. A record that ends with x and one that begins
with y become one wherever the step from x to y is still missing; each such joint uses the step up once. Short fragments go
first, and no record grows beyond l_max items.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.consistency import ConsistentTree
from seqveil.tables.flat import Flat


@njit(cache=True)
def _pair(order_last, start_last, order_first, start_first, lengths, step_from, step_to, missing, l_max):  # type: ignore[no-untyped-def]
    """One round: each record takes part in at most one joint. Returns the record that follows each one, or -1."""
    following = np.full(len(lengths), -1, np.int64)
    used = np.zeros(len(lengths), np.bool_)
    left = start_last[:-1].copy()
    right = start_first[:-1].copy()
    for s in range(len(step_from)):
        x, y = step_from[s], step_to[s]
        while missing[s] >= 0.5:
            # Invariant: everything before left[x] among records ending with x, and before right[y] among those
            # beginning with y, takes part in a joint already; both run from short to long.
            while left[x] < start_last[x + 1] and used[order_last[left[x]]]:
                left[x] += 1
            while right[y] < start_first[y + 1] and used[order_first[right[y]]]:
                right[y] += 1
            if left[x] == start_last[x + 1] or right[y] == start_first[y + 1]:
                break
            a, b = order_last[left[x]], order_first[right[y]]
            if a == b:  # a record cannot follow itself: take the next one that begins so
                other = right[y] + 1
                while other < start_first[y + 1] and used[order_first[other]]:
                    other += 1
                if other == start_first[y + 1]:
                    break
                b = order_first[other]
            if lengths[a] + lengths[b] > l_max:
                break
            following[a] = b
            used[a] = used[b] = True
            missing[s] -= 1.0
    return following


@njit(cache=True)
def _merge(items, offsets, following):  # type: ignore[no-untyped-def]
    """The records after one round of joints."""
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
    return out_items, out_offsets, joints


def stitch(records: Flat, tree: ConsistentTree, remaining: NDArray[np.float64], l_max: int) -> Flat:
    """Join fragments until no missing step has two of them left."""
    if tree.height < 2 or not len(records):
        return records
    steps = np.arange(tree.levels[2], tree.levels[3])
    steps = steps[(tree.symbol[steps] != tree.labels) & (remaining[steps] >= 0.5)]
    steps = steps[np.argsort(-remaining[steps], kind="stable")]
    step_from, step_to = tree.symbol[tree.parent[steps]], tree.symbol[steps]
    missing = remaining[steps].copy()
    joints = 1
    while joints:
        lengths = records.lengths
        first, last = records.items[records.offsets[:-1]], records.items[records.offsets[1:] - 1]
        order_first, order_last = np.lexsort((lengths, first)), np.lexsort((lengths, last))
        everyone = np.arange(tree.labels + 1)
        following = _pair(
            order_last, np.searchsorted(last[order_last], everyone), order_first, np.searchsorted(first[order_first], everyone),
            lengths, step_from, step_to, missing, l_max,
        )  # fmt: skip
        items, offsets, joints = _merge(records.items, records.offsets, following)
        records = Flat(items, offsets)
    return records
