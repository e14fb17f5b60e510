"""Spelling and table form against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.trees.spelling import spelled
from seqveil.trees.table import gram_table
from tree_strategies import LABELS, grams_of, trees


@given(trees(), st.data())
def test_nodes_are_spelled_from_the_root_down(tree, data):
    """Any nodes, in any order, the root and repetitions included."""
    grams = grams_of(tree)
    nodes = data.draw(st.lists(st.integers(0, len(tree) - 1)))

    assert [grams[n] for n in nodes] == [tuple(codes.tolist()) for codes in spelled(tree, np.array(nodes, np.int64))]


@given(trees(), st.integers(1, 5))
def test_the_last_symbols_are_spelled(tree, last):
    """Of every node its last symbols, or all of them where it has no more."""
    actual = [tuple(codes.tolist()) for codes in spelled(tree, np.arange(len(tree)), last=last)]

    assert [gram[-last:] for gram in grams_of(tree)] == actual


@given(trees(least=0))
def test_the_table_says_what_the_tree_says(tree):
    """Every node but the root, in the same order, with its parent's line; and it is a valid table of a release."""
    grams = grams_of(tree)
    table = gram_table(tree)
    table.check(end=LABELS)
    lines = {gram: k for k, gram in enumerate(grams[1:])}

    assert grams[1:] == [table.gram(k) for k in range(len(table))]
    assert [lines.get(gram[:-1], -1) for gram in grams[1:]] == table.parent.tolist()
    assert tree.count[1:].tolist() == table.count.tolist()
    assert (tree.noisy[1:].tolist(), tree.scale[1:].tolist()) == (table.noisy.tolist(), table.scale.tolist())
    assert table.measured.all()


@given(trees())
def test_what_was_never_asked_is_not_known(tree):
    """A count that follows from others gets no answer in the table."""
    tree.private[1::2] = -1

    assert tree.asked[1:].tolist() == gram_table(tree).measured.tolist()
