"""Consistent counts, each weighing as much as its noise allows. Post-processing.

The printed step scales every family to its parent, however precisely the family itself was measured. A label of the first level
gets ε/n_max, its children often all that is left, four times as much: then the noise of the label is spread over counts that
were known better, and in proportion to them, so that the strongest count of a family takes most of it; and so on down.

Here what a family differs from its parent is shared out by variance instead: the counts of a family are those that fit its
answers best, by least squares weighted by the inverse of each variance, among counts of at least 0 that sum to the parent. An
answer that was seen because it passed a threshold stands for the count behind it (selection.py). A count that did not pass is
known vaguely, from its estimate: it lies somewhere from 0 to about the threshold θ, so an estimate μ gets the variance μ·θ/3,
which is that of a uniform count from 0 to θ within a factor of two. Nodes and estimates are those of the printed step.

Parents are not corrected by the sum of their families: so many small counts that barely passed, or did not, add up to a bias.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from seqveil.publish.ngram.selection import selected
from seqveil.trees.tree import LevelTree


@njit(cache=True)
def _estimates(count, value, asked, spread, threshold, first, last):  # type: ignore[no-untyped-def]
    """Fill in the estimates of the printed step before it scaled them, and their variances; returns what it left unwritten."""
    rest, vague = np.zeros(len(count)), np.zeros(len(count))
    for v in range(1, len(count)):
        if first[v] == last[v]:
            continue
        answered, fitted, below = 0.0, 0.0, 0.0
        least = np.inf
        for c in range(first[v], last[v]):
            below += count[c]
            if asked[c]:
                answered += value[c]
                fitted += count[c]
                least = min(least, float(threshold[c]))
        least = max(least, 1.0)
        scaling = answered / fitted if fitted > 0 else 0.0
        for c in range(first[v], last[v]):
            if not asked[c]:
                value[c] = count[c] * scaling
                spread[c] = value[c] * least / 3.0
        rest[v] = max(count[v] - below, 0.0) * scaling
        vague[v] = rest[v] * least / 3.0
    return rest, vague


@njit(cache=True)
def _share_out(value, spread, rest, vague, first, last):  # type: ignore[no-untyped-def]
    """The fit, in place: what a family differs from its parent is taken from its members, or given to them, by variance."""
    for v in range(1, len(value)):
        # Invariant: value[v] is final, because parents stand before their children.
        left = rest[v]
        for _ in range(last[v] - first[v] + 2):  # every round but the last brings a member to 0, where it stays
            total, noise = left, vague[v] if left > 0 else 0.0
            for c in range(first[v], last[v]):
                total += value[c]
                noise += spread[c] if value[c] > 0 else 0.0
            step = (value[v] - total) / noise if noise > 0 else 0.0
            again = False
            for c in range(first[v], last[v]):
                if value[c] > 0:
                    value[c] += step * spread[c]
                    if value[c] < 0:
                        value[c] = 0.0
                        again = True
            if left > 0:
                left = max(left + step * vague[v], 0.0)
                again |= left == 0.0
            if not again:
                break


def weighed(consistent: LevelTree) -> LevelTree:
    """The tree that the printed step made consistent, with the counts that fit its answers best."""
    tree = (consistent.first, consistent.last)
    value, spread = selected(consistent.noisy, consistent.scale, consistent.threshold)
    rest, vague = _estimates(consistent.count, value, consistent.asked, spread, consistent.threshold, *tree)
    _share_out(value, spread, rest, vague, *tree)
    return consistent.with_counts(value)
