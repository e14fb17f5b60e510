"""Consistency that really holds, and records that realise it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from seqveil.publish.prefix.consistency import consistent_estimates, isotonic_estimates
from seqveil.publish.prefix.generation import generate
from seqveil.publish.prefix.tree import PrefixTree


def tree_of(levels: list[list[tuple[int, int, int]]]) -> PrefixTree:
    """From (parent, symbol, noisy) level by level; parents by number, the root is 0."""
    tree = PrefixTree()
    for level in levels:
        parent, symbol, noisy = (np.array(column, np.int64) for column in zip(*level, strict=True))
        ones = np.ones(len(level))
        tree.grow(parent, symbol, noisy, ones, np.zeros(len(level), np.int64), np.arange(len(level)))
    return tree


@st.composite
def trees(draw) -> PrefixTree:
    """Trees of up to four levels with any noisy counts, negative ones included."""
    levels, first, last = [], 0, 1
    for _ in range(draw(st.integers(1, 4))):
        level = []
        for parent in range(first, last):
            counts = draw(st.lists(st.integers(-20, 60), max_size=3))
            level += [(parent, symbol, count) for symbol, count in enumerate(counts)]
        if not level:
            break
        levels.append(level)
        first, last = last, last + len(level)
    return tree_of(levels) if levels else tree_of([[(0, 0, 7)]])


@given(trees())
def test_children_never_sum_to_more_than_their_parent(tree):
    """Both kinds of constraints of Definition 6.6, and no negative count."""
    count = consistent_estimates(tree)
    below = np.bincount(tree.parent[1:], count[1:], len(tree))

    assert (count >= 0).all()
    assert (below[1:] <= count[1:] + 1e-9).all()


def test_the_printed_rule_fails_where_ours_holds():
    """SOUNDNESS §4 F3: w = 4 over u1 = 12, u2 = 1. As printed u1 ends above its parent and u2 below 0."""
    tree = tree_of([[(0, 0, 4)], [(1, 0, 12), (1, 1, 1)]])
    estimate = isotonic_estimates(tree, tree.noisy.astype(float), tree.scale)
    printed = estimate[2:] + min(0, (estimate[1] - estimate[2:].sum()) / 2)
    ours = consistent_estimates(tree)

    assert printed.max() > estimate[1]
    assert printed.min() < 0
    assert ours[2:].sum() <= ours[1] + 1e-9
    assert (ours >= 0).all()


@given(st.lists(st.integers(-20, 60), min_size=1, max_size=8))
def test_a_single_path_gets_the_isotonic_regression(counts):
    """Theorem 6.3 on one path, against SciPy."""
    tree = tree_of([[(i, 0, count)] for i, count in enumerate(counts)])
    expected = isotonic_regression(np.array(counts, float), increasing=False).x

    assert np.allclose(expected, isotonic_estimates(tree, tree.noisy.astype(float), tree.scale)[1:])


@given(st.lists(st.tuples(st.integers(-20, 60), st.floats(0.5, 20)), min_size=2, max_size=8))
def test_counts_weigh_as_much_as_their_noise_allows(answers):
    """With unequal scales, a path gets the weighted isotonic regression."""
    counts, scales = np.array([a for a, _ in answers], float), np.array([s for _, s in answers])
    tree = tree_of([[(i, 0, 0)] for i in range(len(answers))])
    expected = isotonic_regression(counts, weights=1 / scales**2, increasing=False).x
    found = isotonic_estimates(tree, np.concatenate([[0], counts]), np.concatenate([[1], scales]))[1:]

    assert np.allclose(expected, found, atol=1e-6)


@given(trees())
def test_records_keep_every_prefix_within_one_of_its_estimate(tree):
    """Rounding in post-order loses nothing: neither in all, nor below any node."""
    count = consistent_estimates(tree)
    records = generate(tree, count)
    found = Counter(tuple(r[:n].tolist()) for r in records for n in range(1, len(r) + 1))
    table = tree.table(count)

    assert all(abs(found[table.gram(k)] - table.count[k]) < 1 + 1e-9 for k in range(len(table)))
    assert abs(len(records) - count[1 : tree.levels[2]].sum()) <= 0.5 + 1e-9
