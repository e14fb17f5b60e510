"""One round of local suppression: every record loses points until it holds no violating sequence.

The violating sequences that a record holds are a hitting set problem, solved greedily: the point of the highest
PrivGain / (UtilityLoss + 1) [Chen thesis, §5.3] goes, then the record is looked at again. PrivGain is the number of violating
sequences of this record through the point. Counts of all nodes are up to date at any time, so a sequence that an earlier record
has made violating is broken by the later ones in the same round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.fenced.suppression.lookup import find


class Board(NamedTuple):
    """What the kernels of a round look at and change."""

    items: NDArray[np.int32]  # points of all records
    offsets: NDArray[np.int64]
    alive: NDArray[np.bool_]  # by point: not suppressed
    codes: NDArray[np.int64]  # by record and attribute: sensitive value or -1

    keys: NDArray[np.int64]  # the tree with the MVS as leaves
    numbers: NDArray[np.int32]
    support: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    near: NDArray[np.float64]  # by how many records a sequence can spare: what losing one more is worth

    mfs: NDArray[np.int32]
    mfs_from: NDArray[np.int64]
    first: NDArray[np.int32]  # the MFS that begin with each pair
    first_from: NDArray[np.int64]
    mfs_support: NDArray[np.int64]  # below `least`: lost
    mfs_near: NDArray[np.float64]
    least: int

    leaves_from: int  # nodes from here on are the MVS
    pairs: int
    deepest: int
    k: int
    c_over: NDArray[np.int64]  # by sensitive value: C as a fraction
    c_under: NDArray[np.int64]


@njit(cache=True)
def violates(b, node):  # type: ignore[no-untyped-def]
    """Whether a node is too rare or reveals a sensitive value too surely as things stand, or is an MVS that any record holds."""
    if b.support[node] < b.k or node >= b.leaves_from:
        return b.support[node] > 0
    sure = False
    for v in range(b.sensitive.shape[1]):
        sure |= b.sensitive[node, v] * b.c_under[v] > b.c_over[v] * b.support[node]
    return sure


@njit(cache=True)
def _weigh(b, record, n, gain, loss, node, after, place):  # type: ignore[no-untyped-def]
    """By point of a record: how many violating sequences go with it, and how near to K the others through it are."""
    gain[:n], loss[:n] = 0, 0.0
    depth, after[0] = 0, 0
    violated = False
    while depth >= 0:
        at = after[depth]
        if depth == b.deepest or at == n:
            depth -= 1
            continue
        after[depth] += 1
        child = find(b.keys, b.numbers, node[depth] * b.pairs + record[at])
        if child <= 0:
            continue
        place[depth] = at
        if violates(b, child):
            violated = True
            for i in range(depth + 1):
                gain[place[i]] += 1
        else:
            spare = min(b.support[child] - b.k, len(b.near) - 1)
            for i in range(depth + 1):
                loss[place[i]] += b.near[spare]
        if b.support[child] >= b.k:  # what contains a rarer one goes with it
            depth += 1
            node[depth], after[depth] = child, at + 1
    return violated


@njit(cache=True)
def _count_out(b, record, n, gone, codes, node, after):  # type: ignore[no-untyped-def]
    """Takes the record off the supports of all nodes through the point `gone`."""
    depth, after[0] = 0, 0
    since = -1  # the depth from which on the point is in the sequence
    while depth >= 0:
        at = after[depth]
        if depth == b.deepest or at == n or (at > gone and since < 0):
            depth -= 1
            if since > depth:
                since = -1
            continue
        after[depth] += 1
        child = find(b.keys, b.numbers, node[depth] * b.pairs + record[at])
        if child <= 0:
            continue
        if since >= 0 or at == gone:
            b.support[child] -= 1
            for code in codes:
                if code >= 0:
                    b.sensitive[child, code] -= 1
        depth += 1
        node[depth], after[depth] = child, at + 1
        if at == gone:
            since = depth


@njit(cache=True)
def _mfs_of(b, record, n, position, carried):  # type: ignore[no-untyped-def]
    """Writes the MFS that a record holds and that are not lost yet into `carried`; returns how many."""
    count = 0
    for i in range(n):
        position[record[i]] = i
    for i in range(n):
        for j in range(b.first_from[record[i]], b.first_from[record[i] + 1]):
            f = b.first[j]
            whole = b.mfs_support[f] >= b.least
            for x in range(b.mfs_from[f], b.mfs_from[f + 1]):
                whole = whole and position[b.mfs[x]] >= 0
            if whole:
                carried[count] = f
                count += 1
    return count


@njit(cache=True)
def _weigh_mfs(b, count, carried, position, loss):  # type: ignore[no-untyped-def]
    """Adds to each point what the MFS through it are worth."""
    for i in range(count):
        spare = min(b.mfs_support[carried[i]] - b.least, len(b.mfs_near) - 1)
        for x in range(b.mfs_from[carried[i]], b.mfs_from[carried[i] + 1]):
            loss[position[b.mfs[x]]] += b.mfs_near[spare]


@njit(cache=True)
def _count_out_mfs(b, count, carried, position, gone):  # type: ignore[no-untyped-def]
    for i in range(count):
        for x in range(b.mfs_from[carried[i]], b.mfs_from[carried[i] + 1]):
            b.mfs_support[carried[i]] -= position[b.mfs[x]] == gone


@njit(cache=True)
def _best(gain, loss, n):  # type: ignore[no-untyped-def]
    best, highest = 0, -1.0
    for i in range(n):
        score = gain[i] / (loss[i] + 1)
        if gain[i] and score > highest:
            best, highest = i, score
    return best


@njit(cache=True)
def break_records(b, order, longest, by_mfs):  # type: ignore[no-untyped-def]
    """Breaks all violating sequences in these records, one record after the other; returns how many points that took."""
    record, where = np.empty(longest, np.int64), np.empty(longest, np.int64)
    gain, loss = np.empty(longest, np.int64), np.empty(longest)
    node, after = np.zeros(b.deepest + 1, np.int64), np.zeros(b.deepest + 1, np.int64)
    place = np.empty(b.deepest + 1, np.int64)
    position, carried = np.full(b.pairs, -1, np.int64), np.empty(len(b.mfs_support), np.int64)
    removed = 0
    for r in order:
        n = 0
        for i in range(b.offsets[r], b.offsets[r + 1]):
            if b.alive[i]:
                record[n], where[n] = b.items[i], i
                n += 1
        while _weigh(b, record, n, gain, loss, node, after, place):
            count = 0
            if by_mfs:
                count = _mfs_of(b, record, n, position, carried)
                _weigh_mfs(b, count, carried, position, loss)
            else:
                loss[:n] += 1
            gone = _best(gain, loss, n)
            _count_out(b, record, n, gone, b.codes[r], node, after)
            _count_out_mfs(b, count, carried, position, gone)
            if by_mfs:
                for i in range(n):
                    position[record[i]] = -1
            b.alive[where[gone]] = False
            removed += 1
            n -= 1
            record[gone:n], where[gone:n] = record[gone + 1 : n + 1].copy(), where[gone + 1 : n + 1].copy()
    return removed
