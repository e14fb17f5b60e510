"""ExploreDenseRegion [Chen thesis, Alg. 7.2]: divide the triangle where edges are dense, count every part with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.publish.density.quadtree import Level, Quadtree
from seqveil.tables.triangle import cells, count_splits, nth_splits, quadrants, root
from seqveil.wall import PrivateTree

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Budgets:
    """Grains: `counts[d]` for the counts at depth d + 1, `split` for every choice of a splitting point (0: the middle)."""

    counts: list[int]
    split: int

    @property
    def last(self) -> int:
        """What a leaf's last count costs; a leaf above the last level is counted once more with it."""
        return self.counts[-1]


def explore(
    tree: PrivateTree, vertices: int, budgets: Budgets, least: tuple[int, ...], step: int, dense: float, sparse: float
) -> Quadtree:
    """Grow level by level. A region is a leaf when its noisy density reaches `dense`, its noisy count stays below
    `sparse`, it is a single cell, or it lies at the last level."""
    quadtree = Quadtree.planted(root(vertices), tree.root)
    for depth, amount in enumerate(budgets.counts):
        # Invariant: the regions of the last level are exactly those at `depth`, and none of them has been divided.
        level = quadtree.levels[-1]
        if depth > 0:
            level.leaf[:] = (level.estimate >= dense * cells(level.region)) | (level.estimate < sparse)
        open_rows = np.flatnonzero(~level.leaf & (cells(level.region) > 1))
        level.leaf[np.setdiff1d(np.arange(len(level.node)), open_rows)] = True
        if len(open_rows):
            quadtree.levels.append(_divide(tree, level, open_rows, amount, budgets.split, least[depth], step))
        _count_again(tree, level, np.flatnonzero(level.leaf), budgets.last)
        if not len(open_rows):
            return quadtree
    quadtree.levels[-1].leaf[:] = True
    return quadtree


def _divide(tree: PrivateTree, level: Level, rows: Ints, amount: int, split: int, least: int, step: int) -> Level:
    """Choose a splitting point for every region and count the parts; parts without cells are nothing.

    A region that has no legal split is cut in the middle, for nothing: only scores need parts of a least size.
    """
    regions, nodes = level.region[rows], level.node[rows]
    points = middles(regions)
    legal = np.flatnonzero(count_splits(regions, least, step)) if split else np.zeros(0, np.int64)
    if len(legal):
        points[legal] = nth_splits(regions[legal], least, tree.choose(nodes[legal], split), step)
    children = tree.expand(nodes, amount, split=points)
    parts = quadrants(regions, points)
    family = np.repeat(np.arange(len(rows)), 4)
    region = parts[family, children.rank]
    real = cells(region) > 0
    return Level.of(region[real], children.node[real], rows[family[real]], children.noisy[real], children.scale[real])


def _count_again(tree: PrivateTree, level: Level, rows: Ints, amount: int) -> None:
    if len(rows):
        level.again(rows, *tree.refine(level.node[rows], amount))


def middles(regions: Ints) -> Ints:
    """The middle of each region; of a triangle on the diagonal the point that makes two triangles and a square.

    >>> from seqveil.tables.triangle import root
    >>> cells(quadrants(root(8)[None], middles(root(8)[None])))[0].tolist()
    [6, 16, 0, 6]
    """
    top, bottom, left, right = regions.T
    row = (top + bottom + 1) // 2
    column = np.where((left == top + 1) & (right == bottom + 1), row, (left + right + 1) // 2)
    return np.stack([row, column], axis=1)
