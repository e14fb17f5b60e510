"""Leaves asked again: nodes whose family came back empty, or that stand on the last level, with what their path has left."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.release.patterns import UNSELECTED
from seqveil.trees.tree import LevelTree
from seqveil.wall import GRAINS, PrivateTree


def rounded_down(amount: NDArray[np.int64], whole: int) -> NDArray[np.int64]:
    """Amounts rounded down to whole·2^(−j/4), so that few distinct scales exist; 0 stays 0.

    >>> rounded_down(np.array([1000, 999, 500, 1, 0]), 1000).tolist()
    [1000, 840, 500, 0, 0]
    """
    steps = np.ceil(-4 * np.log2(np.maximum(amount, 1) / whole) - 1e-9)
    return np.minimum(np.floor(whole * 2.0 ** (-steps / 4)).astype(np.int64), amount)


def refine_leaves(
    private: PrivateTree, tree: LevelTree, whole: int, influence: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ask every leaf once more; returns the best values of all nodes and the scales that stand for their variance.

    Two answers are combined by inverse variance. The better of them becomes the node's answer in the tree; the second was given
    whatever it was, so no threshold selected it.
    """
    value, scale = tree.noisy.astype(np.float64), tree.scale.copy()
    leaves = np.flatnonzero(tree.first == tree.last)
    leaves = leaves[leaves > 0]
    paid = rounded_down(private.remaining(tree.private[leaves]), whole)
    # An answer with four times the noise of the one there is says next to nothing.
    worth = influence * GRAINS <= 4 * scale[leaves] * paid
    leaves, paid = leaves[worth], paid[worth]
    if not len(leaves):
        return value, scale
    noisy, fresh = private.refine(tree.private[leaves], paid)
    one, two = 1 / scale[leaves] ** 2, 1 / fresh**2
    value[leaves] = (value[leaves] * one + noisy * two) / (one + two)
    scale[leaves] = 1 / np.sqrt(one + two)
    better = fresh <= tree.scale[leaves]
    at = leaves[better]
    tree.noisy[at], tree.scale[at] = noisy[better], fresh[better]
    tree.threshold[at] = UNSELECTED
    return value, scale
