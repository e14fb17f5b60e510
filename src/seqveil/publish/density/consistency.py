"""Counts of the leaves that agree with everything asked: whole, never negative, never more than the cells. Post-processing.

Rounding every leaf for itself, as printed, is biased: an empty region keeps the noise above 0 and loses the noise below
it, which with thousands of empty leaves makes a graph of mostly invented edges. Here every region's own answer is first
weighed against the sum of its parts (inverse variances, bottom up), and then every region hands its count down to its
parts: the nearest counts within 0..cells that sum to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.publish.density.quadtree import Floats, Ints, Quadtree
from seqveil.tables.triangle import cells

_HALVINGS = 200


def leaf_counts(tree: Quadtree, consistent: bool) -> list[Ints]:
    """Whole counts for the regions of every level; those of leaves are what the edges are arranged by."""
    if not consistent:
        return [np.clip(np.rint(level.estimate), 0, cells(level.region)).astype(np.int64) for level in tree.levels]
    estimate, spread = _bottom_up(tree)
    whole = [np.clip(np.rint(estimate[0]), 0, cells(tree.levels[0].region)).astype(np.int64)]
    for depth in range(1, len(tree.levels)):
        level = tree.levels[depth]
        whole.append(_handed_down(whole[-1], level.parent, estimate[depth], spread[depth], cells(level.region)))
    return whole


def _bottom_up(tree: Quadtree) -> tuple[list[Floats], list[Floats]]:
    """Every region's answer weighed against the sum of its parts."""
    estimate = [level.estimate.copy() for level in tree.levels]
    spread = [level.spread.copy() for level in tree.levels]
    for depth in range(len(tree.levels) - 1, 0, -1):
        # Invariant: estimate[depth] uses all answers at and below each region of that level.
        parent, size = tree.levels[depth].parent, len(tree.levels[depth - 1].node)
        total = np.bincount(parent, estimate[depth], size)
        doubt = np.bincount(parent, spread[depth], size)
        inner = np.unique(parent)
        own = 1 / spread[depth - 1][inner]  # 0 for the root, of which nothing was asked
        below = 1 / doubt[inner]
        estimate[depth - 1][inner] = (own * estimate[depth - 1][inner] + below * total[inner]) / (own + below)
        spread[depth - 1][inner] = 1 / (own + below)
    return estimate, spread


def _handed_down(whole: Ints, parent: Ints, estimate: Floats, spread: Floats, most: Ints) -> Ints:
    """The counts within 0..most nearest to the estimates (in units of their spreads) that sum to their parents' counts."""
    families, member = np.unique(parent, return_inverse=True)
    target = whole[families].astype(np.float64)

    def at(push: Floats) -> NDArray[np.float64]:
        return np.clip(estimate + push[member] * spread, 0, most)

    # The sum of a family grows with its push, from 0 to all its cells, so halving finds the push that meets the target.
    reach = (np.abs(estimate) + most + 1) / spread
    high = np.zeros(len(families))
    np.maximum.at(high, member, reach)
    low = -high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = np.bincount(member, at(middle), len(families)) >= target
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return _apportioned(at(high), member, whole[families], most)


def _apportioned(value: Floats, member: Ints, target: Ints, most: Ints) -> Ints:
    """Whole counts that sum to the target of every family: the largest fractions are rounded up."""
    base = np.minimum(np.floor(value + 1e-9), most).astype(np.int64)
    missing = target - np.bincount(member, base, len(target)).astype(np.int64)
    fraction = np.where(base < most, value - base, -1.0)
    order = np.lexsort((-fraction, member))
    first = np.searchsorted(member[order], np.arange(len(target)))
    place = np.arange(len(order)) - first[member[order]]
    base[order] += place < missing[member[order]]
    return base
