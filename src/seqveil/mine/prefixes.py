"""Prefixes as patterns: the best k nodes of a tree by their noisy counts, with bars that allow for having been chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.mine.substrings import spelled
from seqveil.publish.prefix.tree import PrefixTree
from seqveil.release.patterns import PatternTable, top_thresholds


def top_prefixes(tree: PrefixTree, estimate: NDArray[np.float64], shortest: int, longest: int, most: int) -> PatternTable:
    """The `most` prefixes of the given lengths with the largest noisy counts; `estimate` is what is best known of them."""
    depth = tree.depth
    nodes = np.flatnonzero((depth >= shortest) & (depth <= longest))
    best, least = top_thresholds(tree.noisy[nodes], most)
    rows = nodes[best]
    patterns: list[tuple[int, ...]] = [()] * len(rows)
    for n in np.unique(depth[rows]).tolist():
        where = np.flatnonzero(depth[rows] == n)
        for place, pattern in zip(where.tolist(), spelled(tree, rows[where], n), strict=True):
            patterns[place] = pattern
    threshold = np.maximum(least, tree.threshold[rows])
    return PatternTable.of(patterns, tree.noisy[rows], tree.scale[rows], threshold, estimate[rows])


def estimated(patterns: list[tuple[int, ...]], frequency: NDArray[np.float64]) -> PatternTable:
    """Patterns whose frequencies follow from other counts, so that nothing is known of their error."""
    return PatternTable.of(patterns, np.rint(frequency).astype(np.int64), np.inf, count=frequency)
