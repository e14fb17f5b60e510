"""Consistency that really holds."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from seqveil.trees.isotonic import consistent_counts, isotonic_counts
from tree_strategies import tree_of, trees


@given(trees())
def test_children_never_sum_to_more_than_their_parent(tree):
    """Both kinds of consistency constraints, and no negative count."""
    count = consistent_counts(tree).count
    below = np.bincount(tree.parent[1:], count[1:], len(tree))

    assert (count >= 0).all()
    assert (below[1:] <= count[1:] + 1e-9).all()


def test_the_printed_rule_fails_where_ours_holds():
    """w = 4 over u1 = 12, u2 = 1: as printed u1 ends above its parent and u2 below 0.

    See docs/soundness.md, 'Consistent prefix counts'.
    """
    tree = tree_of([[(0, 0, 4)], [(1, 0, 12), (1, 1, 1)]])
    estimate = isotonic_counts(tree, tree.noisy.astype(float), tree.scale)
    printed = estimate[2:] + min(0, (estimate[1] - estimate[2:].sum()) / 2)
    ours = consistent_counts(tree).count

    assert printed.max() > estimate[1]
    assert printed.min() < 0
    assert ours[2:].sum() <= ours[1] + 1e-9
    assert (ours >= 0).all()


@given(st.lists(st.integers(-20, 60), min_size=1, max_size=8))
def test_a_single_path_gets_the_isotonic_regression(counts):
    """Theorem 6.3 on one path, against SciPy."""
    tree = tree_of([[(i, 0, count)] for i, count in enumerate(counts)])
    expected = isotonic_regression(np.array(counts, float), increasing=False).x

    assert np.allclose(expected, isotonic_counts(tree, tree.noisy.astype(float), tree.scale)[1:])


@given(st.lists(st.tuples(st.integers(-20, 60), st.floats(0.5, 20)), min_size=2, max_size=8))
def test_counts_weigh_as_much_as_their_noise_allows(answers):
    """With unequal scales, a path gets the weighted isotonic regression."""
    counts, scales = np.array([a for a, _ in answers], float), np.array([s for _, s in answers])
    tree = tree_of([[(i, 0, 0)] for i in range(len(answers))])
    expected = isotonic_regression(counts, weights=1 / scales**2, increasing=False).x
    actual = isotonic_counts(tree, np.concatenate([[0], counts]), np.concatenate([[1], scales]))[1:]

    assert np.allclose(expected, actual, atol=1e-6)
