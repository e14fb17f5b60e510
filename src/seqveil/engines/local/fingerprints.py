"""Fingerprints: the longest pattern at every symbol of the most profitable blocks of every record [Bonomi thesis, Alg. 5]."""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.engines.protocol import Tally
from seqveil.tables.automaton import Automaton
from seqveil.tables.flat import Flat


@njit(cache=True)
def _scan(items, begin, end, column, step, pattern, shorter, total, belt):  # type: ignore[no-untyped-def]
    """Count, at every symbol inside items[begin:end], the longest pattern that ends there and begins inside.

    `belt` is what the record may still add, and what is left is returned.
    """
    state = 0
    for at in range(begin, end):
        state = step[state, column[items[at]]]
        longest = state if pattern[state] >= 0 else shorter[state]
        if longest >= 0 and belt > 0:
            total[pattern[longest]] += 1
            belt -= 1
    return belt


@njit(cache=True)
def _blocks(items, begin, end, column, step, pattern, shorter, size, b_min):  # type: ignore[no-untyped-def]
    """The merged blocks of a record: where each begins and ends, and its profit, in the order of the record.

    The block of length b_min at position i is not empty when an occurrence covers it; blocks next to each other merge.
    """
    length = end - begin
    covered = np.zeros(length + 1, np.int64)
    starts = np.zeros(length + 1, np.int64)
    state = 0
    for at in range(length):
        state = step[state, column[items[begin + at]]]
        suffix = state if pattern[state] >= 0 else shorter[state]
        while suffix >= 0:
            first = at - size[pattern[suffix]] + 1
            starts[first] += 1
            covered[first] += 1
            covered[at - b_min + 2] -= 1
            suffix = shorter[suffix]
    first_of = np.empty(length, np.int64)
    last_of = np.empty(length, np.int64)
    profit = np.empty(length)
    n = 0
    open_blocks = 0
    inside = False
    occurrences = 0
    for i in range(length):
        open_blocks += covered[i]
        if open_blocks > 0:
            if not inside:
                first_of[n] = i
                occurrences = 0
                inside = True
            occurrences += starts[i]
            last_of[n] = i + b_min
            profit[n] = occurrences / (last_of[n] - first_of[n])
        elif inside:
            n += 1
            inside = False
    if inside:
        n += 1
    return first_of[:n], last_of[:n], profit[:n]


@njit(cache=True)
def _fingerprints(items, offsets, column, step, pattern, shorter, size, b_min, most, belt):  # type: ignore[no-untyped-def]
    total = np.zeros(len(size), np.int64)
    heaviest = 0
    for k in range(len(offsets) - 1):
        begin, end = offsets[k], offsets[k + 1]
        left = belt
        if end - begin <= most:
            left = _scan(items, begin, end, column, step, pattern, shorter, total, left)
            heaviest = max(heaviest, belt - left)
            continue
        first_of, last_of, profit = _blocks(items, begin, end, column, step, pattern, shorter, size, b_min)
        room = most
        for b in np.argsort(-profit, kind="mergesort"):
            # Invariant: the blocks taken so far have most - room symbols together. The last one is cut, and counted as cut.
            stop = min(last_of[b], first_of[b] + room)
            left = _scan(items, begin + first_of[b], begin + stop, column, step, pattern, shorter, total, left)
            room -= stop - first_of[b]
            if room == 0:
                break
        heaviest = max(heaviest, belt - left)
    return total, heaviest


def fingerprint_counts(flat: Flat, labels: int, patterns: list[tuple[int, ...]], most: int, belt: int) -> Tally:
    """The sum of all records' fingerprints; records longer than `most` are cut to their best blocks, `belt` clips each one.

    >>> text = ["aabb", "bbcacdcbccddaa"]                               # Example 3.12
    >>> flat = Flat.of(["abcd".index(c) for c in s] for s in text)
    >>> F = [(0, 0), (0, 1), (1, 1), (0, 2)]
    >>> [fingerprint_counts(flat.take(np.array([k])), 4, F, most=4, belt=99).dense(4).tolist() for k in range(2)]
    [[1, 1, 1, 0], [0, 0, 1, 1]]
    """
    automaton = Automaton.of(patterns)
    size = np.array([len(p) for p in patterns], np.int64)
    total, heaviest = _fingerprints(
        flat.items,
        flat.offsets,
        automaton.columns(labels),
        automaton.step,
        automaton.pattern,
        automaton.shorter,
        size,
        int(size.min()),
        most,
        belt,
    )
    return Tally.of(total, int(heaviest))
