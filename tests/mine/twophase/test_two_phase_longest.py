"""Occurrences from longest matches: which patterns are the best, what each had to reach, and whether the bars hold."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.mine.twophase.longest import endings, most_frequent
from seqveil.release.answers.intervals import interval
from seqveil.release.patterns import UNSELECTED, PatternRelease
from strategies import domain_of

PATTERNS = st.sets(st.lists(st.integers(0, 1), min_size=1, max_size=3).map(tuple), min_size=2, max_size=7).map(sorted)


@given(PATTERNS, st.lists(st.integers(-6, 6), min_size=7, max_size=7), st.integers(1, 6))
def test_a_threshold_says_exactly_when_a_pattern_is_among_the_best(patterns, answers, k):
    """Move the one answer of a released pattern and leave all others: it is released as long as it reaches its threshold."""
    longest = np.array(answers[: len(patterns)], np.int64)
    table = most_frequent(patterns, longest, 1.0, k)
    alone = endings(patterns).sum(axis=1) == 1
    for row in range(len(table)):
        p = patterns.index(table.pattern(row))
        if not alone[p]:
            assert UNSELECTED == table.threshold[row]
            continue
        for moved in range(-16, 17):
            again = most_frequent(patterns, np.where(np.arange(len(patterns)) == p, moved, longest), 1.0, k)
            released = table.pattern(row) in [again.pattern(i) for i in range(len(again))]

            assert released == (moved >= table.threshold[row])


def test_the_bars_hold_for_what_is_released():
    """Twelve labels and a pair that ends with each, equally frequent, so that noise alone decides: 95 % and more hold."""
    patterns = [(i,) for i in range(12)] + [(12, i) for i in range(12)]
    longest = np.repeat([0, 500], 12)  # every label and every pair occurs 500 times
    rng, scale = np.random.default_rng(0), 40.0
    p = 1 - np.exp(-1 / scale)
    coverage: dict[bool, list[bool]] = {True: [], False: []}
    for _ in range(400):
        noise = rng.geometric(p, 24) - rng.geometric(p, 24)
        table = most_frequent(patterns, longest + noise, scale, k=4)
        low, high = interval(table.noisy, table.scale, table.threshold)
        for inside, alone in zip((low <= 500) & (high >= 500), table.threshold > UNSELECTED, strict=True):
            coverage[bool(alone)].append(bool(inside))

    assert min(len(rows) for rows in coverage.values()) > 300
    assert all(np.mean(rows) > 0.93 for rows in coverage.values())


def test_a_total_of_substrings_is_not_a_sum_of_independent_counts():
    """They share noise, or were chosen together: their total is as wide as their bars together, or wider."""
    table = most_frequent([(0, 0), (1, 1), (1, 0, 0), (0, 1, 1)], np.array([300, 300, 200, 200]), 20.0, k=2)
    release = PatternRelease(domain_of(2), patterns=table, kind="substring", about="occurrences")
    names = [release.labels(row) for row in range(2)]
    bars = [release.count(name) for name in names]
    total = release.total(names)

    assert total.value == 1000
    assert total.low <= sum(bar.low for bar in bars)
    assert total.high >= sum(bar.high for bar in bars)
