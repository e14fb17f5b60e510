"""Budgets and thresholds of DiffPart [Chen thesis, ch. 4], in whole grains.

Half of ε guides the cuts, the other half is kept for the leaves. A partition that has ε̃ of the guiding half left and n cuts
before it spends α = ⌊ε̃/n⌋ on its next cut. The thesis takes the most cuts there can be, n = |InternalNodes(cut)| (Theorem 4.1);
fewer are expected where a record reaches few children of a node. A leaf partition is never tested: it is counted once,
with the kept half and what the cuts left of the other (docs/soundness.md, 'Leaf partitions').
Along a path the αs sum to at most ε/2, for every outcome and for every n: each is a part of what is left.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqveil.tables.taxonomy import Taxonomy
from seqveil.wall import GRAINS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def kept_for_leaves(epsilon: int) -> int:
    """What no cut may touch: ε/2, rounded up."""
    return epsilon - epsilon // 2


def cuts_to_come(taxonomy: Taxonomy, branching: float) -> Floats:
    """Per node, the cuts that it takes to reach labels below it if `branching` of its children are reached, and so on.

    w(v) = 1 + min(branching, l) · (mean of w over the l children of v); 0 for labels. With all children this is
    |InternalNodes(v)|, with one child, in a tree of even depth, the height of v.

    >>> tree = Taxonomy.balanced(8, fan_out=2)
    >>> [cuts_to_come(tree, b)[tree.root].item() for b in (1, 1.5, math.inf)]
    [3.0, 4.75, 7.0]
    """
    weight = np.zeros(taxonomy.root + 1)
    width = np.diff(taxonomy.start)
    for height in range(1, int(taxonomy.height[taxonomy.root]) + 1):
        rows = np.flatnonzero(taxonomy.height[taxonomy.labels :] == height)
        below = np.add.reduceat(weight[taxonomy.child], taxonomy.start[:-1])[rows]
        weight[taxonomy.labels + rows] = 1 + below * np.minimum(branching / width[rows], 1.0)
    return weight


def share(remaining: Ints, kept: int, cuts: Ints, growth: float = 1.0) -> Ints:
    """α = ε̃ / (1 + g + … + g^(n−1)): each cut is paid g times as much as the one before it; with g = 1, ε̃ / n.

    ε̃ is what the path has left beyond the half that is kept for leaves, n the cuts to come.
    Example 4.3.3 with ε = 6: the first cut gets ε/6, {I12} then ε/3 and {I12, I34} ε/6.

    >>> share(np.array([6, 5, 5]) * GRAINS, 3 * GRAINS, np.array([3, 1, 2])).tolist()
    [1000000000000, 2000000000000, 1000000000000]
    """
    if growth == 1:
        return np.asarray((remaining - kept) // cuts)
    with np.errstate(over="ignore"):  # so many cuts that nothing is left for the first
        parts = (growth ** cuts.astype(np.float64) - 1) / (growth - 1)
    return np.asarray(np.minimum(remaining - kept, np.floor((remaining - kept) / parts)), np.int64)


def leaf_threshold(c1: float, paid: Ints, influence: int) -> Floats:
    """√2·C1/ε_leaf: C1 standard deviations of the noise, which is `influence` times as wide for a unit with more records."""
    return np.asarray(math.sqrt(2) * c1 * influence * GRAINS / paid)


def cut_threshold(c2: float, height: Ints, paid: Ints, influence: int) -> Floats:
    """√2·C2·height/α: a more general partition must hold more records to be worth dividing."""
    return np.asarray(math.sqrt(2) * c2 * height * influence * GRAINS / paid)
