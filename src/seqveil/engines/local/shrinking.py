"""Sequence shrinking: records of a sample cut to l_max items so that they keep as many candidates as possible.

Three schemes of PFS² [Xu 2015, §V-A], each a function of one record and the public candidates, hence *local*:
deletion of irrelevant items and compression of consecutive patterns lose nothing (Lemmas 1 and 2); what is still too long is
reconstructed over the trie of the candidates (Algorithm 2). What differs from the print, and why:

- what is appended is cut at l_max, so no record ever exceeds it; the loop ends when no candidate is left to add;
- of an appended candidate only the part that is missing is appended, which leaves room for others;
- a candidate that only the reconstruction contains, not the record, is not counted.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.engines.local.subsequences import PatternTrie, walk
from seqveil.engines.protocol import Tally
from seqveil.tables.bisection import place_of
from seqveil.tables.flat import Flat

LONGEST_REPEATED = 3
"""Repeats of runs of up to this many items are compressed, as in the paper."""

SHRINK, DELETE = 0, 1
"""How a record is cut: by the three schemes, or by keeping l_max items drawn evenly (the ablation RR)."""


@njit(cache=True)
def delete_irrelevant(sequence, n, edge):  # type: ignore[no-untyped-def]
    """Drop, in place, the items that no candidate has (Lemma 1); returns the new length."""
    kept = 0
    for p in range(n):
        x = sequence[p]
        if edge[x + 1] > edge[x]:
            sequence[kept] = x
            kept += 1
    return kept


@njit(cache=True)
def compress(sequence, n, k):  # type: ignore[no-untyped-def]
    """Replace, in place, more than k repeats of a run of 1, 2 or 3 items by k of them (Lemma 2); returns the new length."""
    for width in range(1, LONGEST_REPEATED + 1):
        kept, p = 0, 0
        while p < n:
            # Invariant: sequence[:kept] is done, sequence[p:n] is untouched, kept <= p.
            same = p + width
            while same < n and sequence[same] == sequence[same - width]:
                same += 1
            repeats = (same - p) // width
            step = repeats * width if repeats > k else 1
            for i in range(k * width if repeats > k else 1):
                sequence[kept] = sequence[p + i]
                kept += 1
            p += step
        n = kept
    return n


@njit(cache=True)
def delete_evenly(sequence, n, l_max):  # type: ignore[no-untyped-def]
    """Keep l_max items, in place, drawn by a generator that the record itself seeds: local, and blind to candidates."""
    state = np.uint64(14695981039346656037)
    for p in range(n):
        state = (state ^ np.uint64(sequence[p] + 1)) * np.uint64(1099511628211)
    kept = 0
    for p in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        if (state >> np.uint64(11)) % np.uint64(n - p) < np.uint64(l_max - kept):
            sequence[kept] = sequence[p]
            kept += 1
    return kept


@njit(cache=True)
def generators(patterns, symbol, first, last):  # type: ignore[no-untyped-def]
    """For every candidate the g-nodes it serves: the trie nodes of its (k-1)-subsequences, each once, else -1."""
    n, k = patterns.shape
    nodes = np.full((n, k), -1, np.int64)
    for c in range(n):
        for without in range(k):
            node = 0
            for j in range(k):
                if j != without and node >= 0:
                    node = place_of(symbol, first[node], last[node], patterns[c, j])
            if node >= 0:
                for i in range(without):
                    if nodes[c, i] == node:
                        node = -1
                        break
            nodes[c, without] = node
    return nodes


@njit(cache=True)
def _variety(patterns):  # type: ignore[no-untyped-def]
    """How many different items every candidate has."""
    out = np.empty(len(patterns), np.int64)
    for c in range(len(patterns)):
        out[c] = len(np.unique(patterns[c]))
    return out


@njit(cache=True)
def _append(x, stamp, parent, pattern, edge, reach, active, alive, live):  # type: ignore[no-untyped-def]
    """Nodes reached by one more item; candidates completed by it are alive no longer. Returns how many those were."""
    gone = 0
    for e in range(edge[x], edge[x + 1]):
        v = reach[e]
        if active[v] != stamp and (parent[v] == 0 or active[parent[v]] == stamp):
            active[v] = stamp
            if pattern[v] >= 0 and alive[pattern[v]] == stamp:
                alive[pattern[v]] = -1
                live[parent[v]] -= 1
                gone += 1
    return gone


@njit(cache=True)
def _best_item(inside, n, stamp, leaf, parent, symbol, active, alive, tally):  # type: ignore[no-untyped-def]
    """The item that completes the most candidates when appended now, or -1; `tally` is all zero before and after."""
    best, item = 0, -1
    for i in range(n):
        v = leaf[inside[i]]
        if alive[inside[i]] == stamp and (parent[v] == 0 or active[parent[v]] == stamp):
            tally[symbol[v]] += 1
            if tally[symbol[v]] > best:
                best, item = tally[symbol[v]], symbol[v]
    for i in range(n):
        tally[symbol[leaf[inside[i]]]] = 0
    return item


@njit(cache=True)
def _best_candidate(inside, n, stamp, alive, live, serves, variety):  # type: ignore[no-untyped-def]
    """The living candidate with the highest c-score, of equals the one with more different items."""
    best, score_of_best = -1, -1
    for i in range(n):
        c = inside[i]
        if alive[c] == stamp:
            score = 0
            for g in serves[c]:
                if g >= 0:
                    score += live[g]
            if score > score_of_best or (score == score_of_best and variety[c] > variety[best]):
                best, score_of_best = c, score
    return best


@njit(cache=True)
def reconstruct(inside, n, stamp, l_max, patterns, trie, serves, variety, active, alive, live, tally, out):  # type: ignore[no-untyped-def]
    """Algorithm 2: a sequence of at most l_max items with many of the candidates `inside[:n]`; returns its length.

    `alive[c] == stamp` marks candidates still to be added, `live[g]` counts them per g-node (all zero before and after),
    `active[v] == stamp` the nodes whose path the new sequence contains.
    """
    symbol, parent, leaf, pattern, edge, reach = trie
    for i in range(n):
        alive[inside[i]] = stamp
        live[parent[leaf[inside[i]]]] += 1
    length, left = 0, n
    while length < l_max and left:
        # Every turn appends at least one item, so there are at most l_max turns.
        x = _best_item(inside, n, stamp, leaf, parent, symbol, active, alive, tally)
        if x >= 0:
            out[length] = x
            length += 1
            left -= _append(x, stamp, parent, pattern, edge, reach, active, alive, live)
            continue
        c = _best_candidate(inside, n, stamp, alive, live, serves, variety)
        have, v = patterns.shape[1] - 1, parent[leaf[c]]
        while v != 0 and active[v] != stamp:
            v = parent[v]
            have -= 1
        while have < patterns.shape[1] and length < l_max:
            out[length] = patterns[c, have]
            left -= _append(out[length], stamp, parent, pattern, edge, reach, active, alive, live)
            length += 1
            have += 1
    for i in range(n):
        live[parent[leaf[inside[i]]]] = 0
    return length


@njit(cache=True)
def _count(items, offsets, l_max, how, most, patterns, trie, serves, variety):  # type: ignore[no-untyped-def]
    _, parent, leaf, pattern, edge, reach = trie
    n_patterns, k = patterns.shape
    counts = np.zeros(n_patterns, np.int64)
    nodes = len(parent)
    seen, active = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    alive, live = np.full(n_patterns, -1, np.int64), np.zeros(nodes, np.int64)
    tally = np.zeros(len(edge), np.int64)
    inside, out = np.empty(n_patterns, np.int64), np.empty(l_max, np.int64)
    heaviest = 0
    for r in range(len(offsets) - 1):
        sequence = items[offsets[r] : offsets[r + 1]].copy()
        n = len(sequence)
        if n > l_max:
            if how == DELETE:
                n = delete_evenly(sequence, n, l_max)
            else:
                n = delete_irrelevant(sequence, n, edge)
                if n > l_max:
                    n = compress(sequence, n, k)
        contained = walk(sequence, 0, n, r, parent, pattern, edge, reach, seen, inside)
        if n > l_max:
            reconstruct(inside, contained, r, l_max, patterns, trie, serves, variety, active, alive, live, tally, out)
        added = 0
        for i in range(contained):
            # The reconstruction cannot hold more than `most` candidates; the clip makes it so whatever the code above does.
            if added < most and (n <= l_max or active[leaf[inside[i]]] == r):
                counts[inside[i]] += 1
                added += 1
        heaviest = max(heaviest, added)
    return counts, heaviest


def shrunk_supports(flat: Flat, patterns: NDArray[np.integer], labels: int, *, l_max: int, most: int, how: int = SHRINK) -> Tally:
    """Supports of distinct patterns of one length in records shrunk to l_max items; a record adds to at most `most` of them.

    >>> ab_cd = np.array([[0, 1], [2, 3]])
    >>> shrunk_supports(Flat.of([[0, 4, 1, 4, 2, 4, 3]]), ab_cd, labels=5, l_max=4, most=2).dense(2).tolist()   # 4 is irrelevant
    [1, 1]
    >>> shrunk_supports(Flat.of([[0, 4, 1, 4, 2, 4, 3]]), ab_cd, labels=5, l_max=3, most=2).dense(2).tolist()   # one must go
    [1, 0]
    """
    fixed = np.ascontiguousarray(patterns, np.int64)
    tree = PatternTrie.of(fixed, labels)
    trie = (tree.symbol, tree.parent, tree.leaf, tree.pattern, tree.edge, tree.reach)
    serves = generators(fixed, tree.symbol, tree.first, tree.last)
    counts, heaviest = _count(flat.items, flat.offsets, l_max, how, most, fixed, trie, serves, _variety(fixed))
    return Tally.of(counts, int(heaviest))
