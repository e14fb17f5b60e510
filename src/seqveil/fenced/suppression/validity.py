"""[Chen thesis, Alg. 5.2], corrected: may a pair p be suppressed in T(m) without making a violation that nobody has listed?

Invariant of the whole method: every violating sequence of the current table contains an m of the current V. A local suppression
changes only sequences q that contain p and occur in T(m); they keep T(q) - T(m). If such a q remains somewhere and was no node of
the tree, it contained an m' of V when the tree was made, T(m') is not empty because T(q) is not, so m' is still in V. If it is a
node it must not violate now. So it suffices to look at the nodes through p in the records of T(m).

As printed (docs/soundness.md, 'Suppression'), the algorithm ignores every pair that occurs in an MVS through p, even when the
sequence in question does not contain that MVS: for L >= 3 it then calls suppressions valid that are not.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.fenced.suppression.lookup import find


@njit  # not cached: Numba cannot compile a caller around a generator that it has read from the cache
def nodes_through(points, alive, pair, deepest, pairs, keys, numbers):  # type: ignore[no-untyped-def]
    """The nodes that contain the pair, among the sequences of a record, of whose points those that are alive are left.

    It takes what it needs and not the whole `State`: a generator that holds 41 arrays takes Numba five seconds.
    """
    record = np.empty(len(points), np.int32)
    n, own = 0, -1
    for i in range(len(points)):
        if alive[i]:
            if points[i] == pair:
                own = n
            record[n] = points[i]
            n += 1
    node, after = np.zeros(deepest + 1, np.int64), np.zeros(deepest + 1, np.int64)
    chosen = np.zeros(deepest + 1, np.bool_)  # by depth: whether the pair is in the sequence
    depth = 0
    while depth >= 0 and own >= 0:
        at = after[depth]
        # Before the pair is chosen it must stay ahead; afterwards everything may follow.
        if depth == deepest or at >= n or (at > own and not chosen[depth]):
            depth -= 1
            continue
        after[depth] += 1
        child = find(keys, numbers, node[depth] * pairs + record[at])
        if child > 0:
            chosen[depth + 1] = chosen[depth] or at == own
            depth += 1
            node[depth], after[depth] = child, at + 1
            if chosen[depth]:
                yield child


@njit(cache=True)
def weigh(s, m, pair):  # type: ignore[no-untyped-def]
    """Counts in `drop` what every node through the pair would lose in T(m); returns how many nodes were touched."""
    n = 0
    for h in range(s.holder_from[m], s.holder_from[m + 1]):
        if s.holds[h]:
            r = s.holder[h]
            points, alive = s.items[s.offsets[r] : s.offsets[r + 1]], s.alive[s.offsets[r] : s.offsets[r + 1]]
            for node in nodes_through(points, alive, pair, s.deepest, s.pairs, s.keys, s.numbers):
                if s.drop[node] == 0:
                    s.touched[n] = node
                    n += 1
                s.drop[node] += 1
                for code in s.codes[r]:
                    if code >= 0:
                        s.drop_sensitive[node, code] += 1
    return n


@njit(cache=True)
def is_valid(s, n):  # type: ignore[no-untyped-def]
    """Whether none of the touched nodes would be left with a violation."""
    for i in range(n):
        node = s.touched[i]
        remaining = s.support[node] - s.drop[node]
        if remaining == 0:
            continue
        if remaining < s.k:
            return False
        for v in range(s.sensitive.shape[1]):
            if (s.sensitive[node, v] - s.drop_sensitive[node, v]) * s.c_under[v] > s.c_over[v] * remaining:
                return False
    return True


@njit(cache=True)
def settle(s, n, suppressed):  # type: ignore[no-untyped-def]
    """Takes what was weighed off the supports if it is suppressed, and clears the scratch."""
    for i in range(n):
        node = s.touched[i]
        if suppressed:
            s.support[node] -= s.drop[node]
        s.drop[node] = 0
        for v in range(s.sensitive.shape[1]):
            if suppressed:
                s.sensitive[node, v] -= s.drop_sensitive[node, v]
            s.drop_sensitive[node, v] = 0
