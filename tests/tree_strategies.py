"""Level trees for tests: drawn at random, or written down level by level."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from seqveil.trees.tree import LevelTree

LABELS = 3


def tree_of(levels: list[list[tuple[int, int, int]]], labels: int = LABELS) -> LevelTree:
    """From (parent, symbol, noisy) level by level; parents by number, the root is 0. Every answer has scale 1."""
    tree = LevelTree(labels)
    for level in levels:
        parent, symbol, noisy = (np.array(column, np.int64) for column in zip(*level, strict=True))
        tree.add(parent, symbol, noisy, scale=np.ones(len(level)))
    return tree


@st.composite
def trees(draw: st.DrawFn, least: int = -20) -> LevelTree:
    """Trees of up to four levels with any noisy counts, negative ones included."""
    levels: list[list[tuple[int, int, int]]] = []
    first, last = 0, 1
    for _ in range(draw(st.integers(1, 4))):
        level = []
        for parent in range(first, last):
            symbols = draw(st.sets(st.integers(0, LABELS - 1)))
            level += [(parent, symbol, draw(st.integers(least, 60))) for symbol in sorted(symbols)]
        if not level:
            break
        levels.append(level)
        first, last = last, last + len(level)
    return tree_of(levels) if levels else tree_of([[(0, 0, 7)]])


def grams_of(tree: LevelTree) -> list[tuple[int, ...]]:
    """The symbols of every node, spelled one by one."""
    grams: list[tuple[int, ...]] = [()]
    for node in range(1, len(tree)):
        grams.append((*grams[int(tree.parent[node])], int(tree.symbol[node])))
    return grams
