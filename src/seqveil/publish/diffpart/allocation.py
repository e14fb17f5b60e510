"""Budgets and thresholds of DiffPart [Chen thesis, ch. 4], in whole grains.

Half of ε guides the cuts, the other half is kept for the leaves. A partition that has ε̃ of the guiding half left and at most
n = |InternalNodes(cut)| cuts before it spends α = ⌊ε̃/n⌋ on its next cut (Theorem 4.1). A leaf partition is never tested: it is
counted once, with the kept half and what the cuts left of the other (docs/soundness.md, 'Leaf partitions').
Along a path the αs sum to at most ε/2, for every outcome.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import GRAINS

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def kept_for_leaves(epsilon: int) -> int:
    """What no cut may touch: ε/2, rounded up."""
    return epsilon - epsilon // 2


def share(remaining: Ints, kept: int, internal: Ints) -> Ints:
    """α = ε̃ / |InternalNodes(cut)|, where ε̃ is what the path has left beyond the half that is kept for leaves.

    Example 4.3.3 with ε = 6: the first cut gets ε/6, {I12} then ε/3 and {I12, I34} ε/6.

    >>> share(np.array([6, 5, 5]) * GRAINS, 3 * GRAINS, np.array([3, 1, 2])).tolist()
    [1000000000000, 2000000000000, 1000000000000]
    """
    return np.asarray((remaining - kept) // internal)


def leaf_threshold(c1: float, paid: Ints, influence: int) -> Floats:
    """√2·C1/ε_leaf: C1 standard deviations of the noise, which is `influence` times as wide for a unit with more records."""
    return np.asarray(math.sqrt(2) * c1 * influence * GRAINS / paid)


def cut_threshold(c2: float, height: Ints, paid: Ints, influence: int) -> Floats:
    """√2·C2·height/α: a more general partition must hold more records to be worth dividing."""
    return np.asarray(math.sqrt(2) * c2 * height * influence * GRAINS / paid)
