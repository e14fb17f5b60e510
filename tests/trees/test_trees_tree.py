"""The level tree against the n-grams it stands for, spelled one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqveil.trees.tree import LevelTree, positions
from seqveil.wall import Children
from tree_strategies import LABELS, grams_of, tree_of, trees


@given(trees())
def test_nodes_stand_by_length_and_then_in_lexicographic_order(tree):
    """So a prefix stands before what continues it, and every n-gram stands once."""
    grams = grams_of(tree)

    assert sorted(set(grams), key=lambda gram: (len(gram), gram)) == grams
    assert [len(gram) for gram in grams] == tree.depth.tolist()
    assert max(map(len, grams)) == tree.height
    assert [n for n, gram in enumerate(grams) if len(gram) == tree.height] == tree.deepest.tolist()
    assert [] == tree.level(tree.height + 1).tolist()


@given(trees())
def test_families_are_the_children(tree):
    """first[v]:last[v] are exactly the nodes whose parent is v, also after several levels."""
    for node in range(len(tree)):
        children = np.flatnonzero(tree.parent == node).tolist()
        assert children == list(range(tree.first[node], tree.last[node]))


@given(trees())
def test_a_child_is_found_by_its_symbol(tree):
    """Every pair of node and symbol, those without a child included; the symbol of the end among them."""
    number = {gram: node for node, gram in enumerate(grams_of(tree))}
    node, symbol = (a.ravel() for a in np.meshgrid(np.arange(len(tree)), np.arange(LABELS + 1)))
    expected = [number.get((*grams_of(tree)[n], s), 0) for n, s in zip(node.tolist(), symbol.tolist(), strict=True)]

    assert expected == tree.child(node, symbol).tolist()


@given(trees(), st.randoms(use_true_random=False))
def test_a_level_may_be_added_in_any_order(tree, random):
    """Answers come family by family or in several parts: the tree is the same."""
    again = LevelTree(LABELS)
    for depth in range(1, tree.height + 1):
        nodes = tree.level(depth)
        order = random.sample(nodes.tolist(), len(nodes))
        again.add(tree.parent[order], tree.symbol[order], tree.noisy[order], tree.scale[order])

    assert grams_of(tree) == grams_of(again)
    assert tree.noisy.tolist() == again.noisy.tolist()
    assert tree.count.tolist() == again.count.tolist()


@given(trees(), st.randoms(use_true_random=False))
def test_answers_of_the_wall_find_their_parents(tree, random):
    """The wall numbers nodes in its own way, and answers about one level in two parts: each node keeps its own answer."""
    again, private = LevelTree(LABELS), {0: 0}
    for depth in range(1, tree.height + 1):
        order = random.sample(tree.level(depth).tolist(), len(tree.level(depth)))
        private |= {node: 1000 * depth + i for i, node in enumerate(order)}
        columns = {
            "node": [private[node] for node in order],
            "parent": [private[int(tree.parent[node])] for node in order],
            "rank": tree.symbol[order],
            "noisy": tree.noisy[order],
            "scale": tree.scale[order],
            "threshold": np.full(len(order), depth),
        }
        cut = random.randint(0, len(order))
        halves = [Children(**{name: np.array(c)[part] for name, c in columns.items()}) for part in (np.s_[:cut], np.s_[cut:])]
        again.grow(*halves)

    assert grams_of(tree) == grams_of(again)
    assert tree.noisy.tolist() == again.noisy.tolist()
    assert [private[node] for node in range(len(tree))] == again.private.tolist()
    assert tree.depth.tolist() == again.threshold.tolist()


def test_no_answer_makes_no_level():
    """A question that nothing passed leaves the tree as it was."""
    tree = tree_of([[(0, 0, 7)]])
    none = np.zeros(0, np.int64)
    tree.grow(Children(none, none, none, none, np.zeros(0), none))

    assert 1 == tree.height
    assert 2 == len(tree)


def test_an_estimated_node_has_no_answer():
    """The counts of some nodes follow from others: they say so, and carry neither noise nor a threshold of their own."""
    source = tree_of([[(0, 1, 7)]])
    tree = LevelTree(LABELS)
    tree.add_estimated(np.zeros(2, np.int64), np.array([0, 1]), np.array([2.5, 6.5]), source, np.array([-1, 1]))

    assert [True, False, True] == tree.asked.tolist()
    assert ([0, 0, 7], [0.0, 0.0, 1.0]) == (tree.noisy.tolist(), tree.scale.tolist())
    assert [0, 2.5, 6.5] == tree.count.tolist()


def test_other_estimates_leave_the_tree_alone():
    """A tree with other counts may grow without growing the one it came from."""
    tree = tree_of([[(0, 0, 7)]])
    other = tree.with_counts(np.array([0, 3.0]))
    other.add(np.array([1]), np.array([0]), np.array([2]))

    assert ([0, 7], 1) == (tree.count.tolist(), tree.height)
    assert ([0, 3, 2], 2) == (other.count.tolist(), other.height)


@given(st.lists(st.integers(-5, 50), unique=True, min_size=1), st.data())
def test_positions(numbers, data):
    """Each wanted number is found where it stands."""
    wanted = data.draw(st.lists(st.sampled_from(numbers)))

    assert [numbers.index(w) for w in wanted] == positions(np.array(numbers), np.array(wanted, np.int64)).tolist()
