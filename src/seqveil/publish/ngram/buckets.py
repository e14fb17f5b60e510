"""Fragments that can be joined, in buckets. Post-processing.

A fragment is a record, or what two fragments became: records are numbered up to n, the others from n on. It is never changed,
only used up. A bucket holds a list of fragments, used ones among them, and after these what is left of its queue of grams: so a
record costs nothing before it is looked at. They are plain arrays, and functions over them inlined, because Numba counts
references at every call and for every member of a tuple, which took most of the time:

- state[bucket] are the HEAD of the list (-1: empty), where the queue goes on (NEXT) and ENDS, and the COPY of its next gram
- below[fragment] is what comes next in the list (-1: nothing)
- queue holds grams by bucket; the copies of gram g are the records from records[g] up to records[g + 1]
- gram[record] says whose copy a record is, once it was pulled from a queue
"""

from __future__ import annotations

import numpy as np
from numba import njit

HEAD, NEXT, ENDS, COPY = range(4)


@njit(cache=True)
def fill(bucket, buckets):  # type: ignore[no-untyped-def]
    """Buckets with all grams in their queues."""
    state = np.zeros((buckets, 4), np.int64)
    state[:, HEAD] = -1
    for g in range(len(bucket)):
        state[bucket[g], ENDS] += 1
    state[:, ENDS] = np.cumsum(state[:, ENDS])
    state[:, NEXT] = state[:, ENDS]
    queue = np.empty(len(bucket), np.int32)
    for g in range(len(bucket) - 1, -1, -1):
        state[bucket[g], NEXT] -= 1
        queue[state[bucket[g], NEXT]] = g
    return state, queue


@njit(cache=True, inline="always")
def push(bucket, fragment, state, below):  # type: ignore[no-untyped-def]
    """Put a new fragment on top of a bucket."""
    below[fragment] = state[bucket, HEAD]
    state[bucket, HEAD] = fragment


@njit(cache=True, inline="always")
def shortest(buckets, longest, but, state, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """The first fragment of the first bucket that has one other than `but`, and which bucket: 1 to `longest`; -1 if none has."""
    for length in range(1, longest + 1):
        bucket = buckets + length
        if state[bucket, HEAD] >= 0 or state[bucket, NEXT] < state[bucket, ENDS]:
            fragment = _top(bucket, but, state, below, queue, records, used, gram)
            if fragment >= 0:
                return fragment, length
    return np.int64(-1), longest + 1


@njit(cache=True, inline="always")
def _top(bucket, but, state, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """The first fragment of a bucket that has not been used, other than `but`; -1 if there is none. It stays where it is."""
    fragment = _unused(bucket, state[bucket, HEAD], state, below, queue, records, used, gram)
    state[bucket, HEAD] = fragment
    if fragment >= 0 and fragment == but:
        fragment = _unused(bucket, np.int64(below[but]), state, below, queue, records, used, gram)
        below[but] = fragment
    return fragment


@njit(cache=True, inline="always")
def _unused(bucket, fragment, state, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """This fragment of a bucket, or the next one that has not been used; -1 if there is none."""
    while fragment >= 0:
        if not used[fragment]:
            return fragment
        fragment = np.int64(below[fragment])
    while state[bucket, NEXT] < state[bucket, ENDS]:
        g = queue[state[bucket, NEXT]]
        for record in range(records[g] + state[bucket, COPY], records[g + 1]):
            if not used[record]:
                state[bucket, COPY] = record + 1 - records[g]
                gram[record] = g
                below[record] = -1
                return record
        state[bucket, NEXT] += 1
        state[bucket, COPY] = 0
    return np.int64(-1)
