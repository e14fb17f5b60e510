"""The table form of a level tree: what a release keeps of it. Post-processing."""

from __future__ import annotations

import numpy as np

from seqveil.release.grams import GramTable
from seqveil.trees.spelling import spelled
from seqveil.trees.tree import LevelTree


def gram_table(tree: LevelTree, gaussian: bool = False) -> GramTable:
    """Every node but the root as a line: its symbols, its count and, where the wall was asked, its answer and its noise."""
    grams = spelled(tree, np.arange(1, len(tree)))
    return GramTable(
        symbols=grams.items,
        offsets=grams.offsets,
        parent=np.where(tree.parent[1:] > 0, tree.parent[1:] - 1, -1),
        count=tree.count[1:],
        noisy=tree.noisy[1:],
        measured=tree.asked[1:],
        scale=tree.scale[1:],
        threshold=tree.threshold[1:],
        gaussian=gaussian,
    )
