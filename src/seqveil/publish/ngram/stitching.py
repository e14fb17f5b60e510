"""Joining published fragments where the tree still misses steps. Post-processing.

Publication stops a gram where its counts run out, so it leaves fragments behind: more records than the terminator counts, and
steps (2-grams) that the tree knows but no record takes. Both are the same defect. A record that ends with x and one that begins
with y become one wherever the step from x to y is still missing; each such joint uses the step up once. The steps that miss
most go first, and among fragments the short ones; no record grows beyond l_max items.

Few records are ever joined, so that costs as much as there are joints and distinct grams, however many copies these have.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.publish.ngram.buckets import fill, push, shortest
from seqveil.publish.ngram.copies import Copies
from seqveil.tables.flat import Flat
from seqveil.trees.tree import LevelTree

LEADS, FOLLOWS = 1, 2
"""What `used` says of a record: it is the first of several, or a later one."""


@njit(cache=True)
def _link(first, last, lengths, records, symbols, step_from, step_to, missing, l_max):  # type: ignore[no-untyped-def]
    """Which records are used in joints, and of these: the gram, and the record that follows (-1: none).

    Fragments stand in two sets of buckets, by last symbol and length and by first symbol and length. `first` and `last` hold
    numbers below `symbols`.
    """
    n, wide = records[-1], l_max + 1
    everything = n + int(min(np.floor(missing + 0.5).sum(), n))
    used = np.zeros(everything, np.uint8)
    gram, following = np.empty(n, np.int32), np.empty(n, np.int32)
    front, back = np.empty(everything, np.int32), np.empty(everything, np.int32)  # the first and last record of a fragment
    below_e, below_s = np.empty(everything, np.int32), np.empty(everything, np.int32)
    state_e, queue_e = fill(last * wide + lengths, symbols * wide)
    state_s, queue_s = fill(first * wide + lengths, symbols * wide)
    new = n
    before = -1
    while new > before:
        before = new
        for s in range(len(step_from)):
            while missing[s] >= 0.5:
                # Invariant: a fragment that is not used stands in one bucket of each set, under its own symbol and length.
                a, long_a = shortest(step_from[s] * wide, l_max - 1, -1, state_e, below_e, queue_e, records, used, gram)
                b, long_b = shortest(step_to[s] * wide, l_max - long_a, a, state_s, below_s, queue_s, records, used, gram)
                if a < 0 or b < 0:
                    break
                for fragment in (a, b):
                    if fragment < n:
                        front[fragment] = back[fragment] = fragment
                used[a] = used[front[a]] = LEADS
                used[b] = used[front[b]] = FOLLOWS
                following[back[a]] = front[b]
                following[back[b]] = -1
                front[new], back[new] = front[a], back[b]
                push(last[gram[back[b]]] * wide + long_a + long_b, new, state_e, below_e)
                push(first[gram[front[a]]] * wide + long_a + long_b, new, state_s, below_s)
                missing[s] -= 1.0
                new += 1
    return new - n, used, gram, following


@njit(cache=True)
def _written(items, grams, records, joints, used, gram, following, total):  # type: ignore[no-untyped-def]
    """The records one after the other, each followed by what it was linked to."""
    out = np.empty(total, items.dtype)
    offsets = np.zeros(records[-1] - joints + 1, np.int64)
    end = row = 0
    for g in range(len(records) - 1):
        for record in range(records[g], records[g + 1]):
            if used[record] == FOLLOWS:
                continue
            for j in range(grams[g], grams[g + 1]):
                out[end] = items[j]
                end += 1
            at = following[record] if used[record] == LEADS else -1
            while at >= 0:
                for j in range(grams[gram[at]], grams[gram[at] + 1]):
                    out[end] = items[j]
                    end += 1
                at = following[at]
            row += 1
            offsets[row] = end
    return out, offsets


def stitch(published: Copies, tree: LevelTree, remaining: NDArray[np.float64], l_max: int, joints: bool = True) -> Flat:
    """The records, joined until no missing step has two fragments left; without `joints` every gram as it is."""
    steps = tree.level(2) if joints else np.zeros(0, np.int64)
    steps = steps[(tree.symbol[steps] != tree.labels) & (remaining[steps] >= 0.5)]
    steps = steps[np.argsort(-remaining[steps], kind="stable")]
    present = np.zeros(tree.labels + 1, np.bool_)
    present[tree.symbol[1:]] = True
    number = np.cumsum(present) - 1  # of each label that records are made of
    labels = int(number[-1]) + 1
    grams, records = published.grams, published.records
    linked = _link(
        number[published.items[grams[:-1]]], number[published.items[grams[1:] - 1]], published.lengths, records, labels,
        number[tree.symbol[tree.parent[steps]]], number[tree.symbol[steps]], remaining[steps].copy(), l_max,
    )  # fmt: skip
    return Flat(*_written(published.items, grams, records, *linked, int(published.lengths @ published.copies)))
