"""Prefixes as patterns: the best k nodes of a tree by their noisy counts, with intervals that allow for having been chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.release.patterns import PatternTable, top_thresholds
from seqveil.trees.spelling import spelled
from seqveil.trees.tree import LevelTree


def top_prefixes(tree: LevelTree, shortest: int, longest: int, most: int) -> PatternTable:
    """The `most` prefixes of the given lengths with the largest noisy counts, with the tree's estimates of their counts."""
    depth = tree.depth
    nodes = np.flatnonzero((depth >= shortest) & (depth <= longest))
    best, least = top_thresholds(tree.noisy[nodes], most)
    rows = nodes[best]
    patterns = [tuple(codes.tolist()) for codes in spelled(tree, rows)]
    threshold = np.maximum(least, tree.threshold[rows])
    return PatternTable.of(patterns, tree.noisy[rows], tree.scale[rows], threshold, tree.count[rows])


def estimated(patterns: list[tuple[int, ...]], frequency: NDArray[np.float64]) -> PatternTable:
    """Patterns whose frequencies follow from other counts, so that nothing is known of their error."""
    return PatternTable.of(patterns, np.rint(frequency).astype(np.int64), np.inf, count=frequency)
