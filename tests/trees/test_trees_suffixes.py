"""Suffix links and Markov contexts against brute force, also while the tree grows."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from seqveil.trees.suffixes import markov_contexts, suffix_links
from seqveil.trees.tree import LevelTree
from tree_strategies import LABELS, grams_of, trees


def proper_suffixes(gram: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The longest first, the empty one last."""
    return [gram[i:] for i in range(1, len(gram) + 1)] or [()]


@given(trees())
def test_the_link_is_the_longest_proper_suffix(tree):
    """Of those that the tree has."""
    number = {gram: node for node, gram in enumerate(grams_of(tree))}
    expected = [next(number[s] for s in proper_suffixes(gram) if s in number) for gram in grams_of(tree)]

    assert expected == suffix_links(tree).tolist()


@given(trees())
def test_the_context_is_the_longest_proper_suffix_with_children(tree):
    """Where nothing else has children it is the root."""
    grams = grams_of(tree)
    number = {gram: node for node, gram in enumerate(grams)}
    parents = {gram[:-1] for gram in grams[1:]}
    expected = [next(number[s] for s in proper_suffixes(gram) if s in parents) for gram in grams]

    assert expected == markov_contexts(tree, np.arange(len(tree))).tolist()


@given(trees())
def test_links_stay_when_the_tree_grows(tree):
    """Linked level by level, the tree has the links that it gets in one go."""
    again = LevelTree(LABELS)
    for depth in range(1, tree.height + 1):
        nodes = tree.level(depth)
        again.add(tree.parent[nodes], tree.symbol[nodes], tree.noisy[nodes])
        suffix_links(again)

    assert suffix_links(tree).tolist() == again.suffix.tolist()
