"""BuildNoisyPrefixTree [Chen thesis, Alg. 6.2]: a prefix tree, level by level, groups before labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqveil.tables.granularity import Granularities
from seqveil.trees.sublevels import Sublevel
from seqveil.trees.tree import LevelTree, positions
from seqveil.wall import Children, PrivateTree

MOST_NODES = 4_000_000
"""A tree that would grow beyond this by noise alone is not grown further; decided from noisy values, so it costs nothing."""


def build_noisy_prefix_tree(private: PrivateTree, fine: Granularities, questions: Sequence[list[Sublevel]]) -> LevelTree:
    """Grow a level for every list of questions: its sub-levels, groups first."""
    tree = LevelTree(fine.labels)
    for sublevels in questions:
        # Invariant: the deepest level of `tree` has not been expanded.
        if not _next_labels(private, fine, tree, sublevels):
            break
    return tree


def _next_labels(private: PrivateTree, fine: Granularities, tree: LevelTree, questions: list[Sublevel]) -> bool:
    """Grow the labels that follow the deepest nodes; False when there are none, or noise would flood the tree."""
    owner = tree.deepest
    node = tree.private[owner]
    group = np.zeros(len(owner), np.int64)
    since = fine.slot[tree.symbol[owner]] if tree.height else np.zeros(1, np.int64)
    children: Children | None = None
    for level, question in enumerate(questions):
        first, stop = fine.span(level, group, since)
        if len(tree) + float((stop - first).sum()) * question.chance > MOST_NODES:
            return False
        children = private.expand(node, question.grains, question.threshold)
        if not len(children):
            return False
        at = positions(node, children.parent)
        owner, since = owner[at], since[at]
        group, node = first[at] + children.rank.astype(np.int64), children.node
    assert children is not None
    tree.add(owner, fine.label[group], children.noisy, children.scale, children.threshold, node)
    return True
