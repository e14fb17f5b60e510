"""Fragments that can be joined, in buckets. Post-processing.

A fragment is a record, or what two fragments became: records are numbered up to n, the others from n on. It is never changed,
only used up. A bucket holds a list of fragments, used ones among them, and after these what is left of its queue of grams: so a
record costs nothing before it is looked at. They are plain arrays, and functions over them inlined, because Numba counts
references at every call and for every member of a tuple, which took most of the time:

- held[bucket] are the HEAD of the list (-1: empty), where the queue goes on (NEXT) and ENDS, and the COPY of its next gram
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
    held = np.zeros((buckets, 4), np.int64)
    held[:, HEAD] = -1
    for g in range(len(bucket)):
        held[bucket[g], ENDS] += 1
    held[:, ENDS] = np.cumsum(held[:, ENDS])
    held[:, NEXT] = held[:, ENDS]
    queue = np.empty(len(bucket), np.int32)
    for g in range(len(bucket) - 1, -1, -1):
        held[bucket[g], NEXT] -= 1
        queue[held[bucket[g], NEXT]] = g
    return held, queue


@njit(cache=True, inline="always")
def push(bucket, fragment, held, below):  # type: ignore[no-untyped-def]
    """Put a new fragment on top of a bucket."""
    below[fragment] = held[bucket, HEAD]
    held[bucket, HEAD] = fragment


@njit(cache=True, inline="always")
def shortest(buckets, longest, but, held, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """The first fragment of the first bucket that has one other than `but`, and which bucket: 1 to `longest`; -1 if none has."""
    for length in range(1, longest + 1):
        bucket = buckets + length
        if held[bucket, HEAD] >= 0 or held[bucket, NEXT] < held[bucket, ENDS]:
            found = _top(bucket, but, held, below, queue, records, used, gram)
            if found >= 0:
                return found, length
    return np.int64(-1), longest + 1


@njit(cache=True, inline="always")
def _top(bucket, but, held, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """The first fragment of a bucket that has not been used, other than `but`; -1 if there is none. It stays where it is."""
    found = _unused(bucket, held[bucket, HEAD], held, below, queue, records, used, gram)
    held[bucket, HEAD] = found
    if found >= 0 and found == but:
        found = _unused(bucket, np.int64(below[but]), held, below, queue, records, used, gram)
        below[but] = found
    return found


@njit(cache=True, inline="always")
def _unused(bucket, fragment, held, below, queue, records, used, gram):  # type: ignore[no-untyped-def]
    """This fragment of a bucket, or the next one that has not been used; -1 if there is none."""
    while fragment >= 0:
        if not used[fragment]:
            return fragment
        fragment = np.int64(below[fragment])
    while held[bucket, NEXT] < held[bucket, ENDS]:
        g = queue[held[bucket, NEXT]]
        for record in range(records[g] + held[bucket, COPY], records[g + 1]):
            if not used[record]:
                held[bucket, COPY] = record + 1 - records[g]
                gram[record] = g
                below[record] = -1
                return record
        held[bucket, NEXT] += 1
        held[bucket, COPY] = 0
    return np.int64(-1)
