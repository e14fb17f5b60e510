"""BuildNoisyPrefixTree (thesis 003, Algorithm 6.2): level by level, groups before labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqveil.publish.prefix.budget import Sublevel
from seqveil.publish.prefix.tree import PrefixTree
from seqveil.tables.granularity import Granularities
from seqveil.wall import Children, PrivateTree

MOST_NODES = 4_000_000
"""A tree that would grow beyond this by noise alone is not grown further; decided from noisy values, so it costs nothing."""


def build_noisy_prefix_tree(tree: PrivateTree, fine: Granularities, questions: Sequence[list[Sublevel]]) -> PrefixTree:
    """Grow a level for every list of questions: its sub-levels, groups first."""
    known = PrefixTree()
    for asked in questions:
        # Invariant: the deepest level of `known` has not been expanded.
        if not _next_labels(tree, fine, known, asked):
            break
    return known


def _next_labels(tree: PrivateTree, fine: Granularities, known: PrefixTree, questions: list[Sublevel]) -> bool:
    """Grow the labels that follow the deepest nodes; False when there are none, or noise would flood the tree."""
    owner = known.deepest
    private = known.private[owner]
    group = np.zeros(len(owner), np.int64)
    since = fine.slot[known.symbol[owner]] if known.height else np.zeros(1, np.int64)
    children: Children | None = None
    for level, question in enumerate(questions):
        first, stop = fine.span(level, group, since)
        if len(known) + float((stop - first).sum()) * question.chance > MOST_NODES:
            return False
        children = tree.expand(private, question.grains, question.threshold)
        if not len(children):
            return False
        at = positions(private, children.parent)
        owner, since = owner[at], since[at]
        group, private = first[at] + children.rank.astype(np.int64), children.node
    assert children is not None
    known.grow(owner, fine.label[group], children.noisy, children.scale, children.threshold, private)
    return True


def positions(of: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each wanted number stands among distinct numbers."""
    order = np.argsort(of)
    return np.asarray(order[np.searchsorted(of, wanted, sorter=order)])
