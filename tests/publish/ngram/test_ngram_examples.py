"""The worked examples of [Chen 2012, §4], as tables.

Which of them are consistent: docs/soundness.md, 'Worked examples'.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import seqveil as sv
from seqveil.publish.ngram import mechanism
from seqveil.publish.ngram.allocation import allocate, expected_height, followed, height_of, p_max, threshold
from seqveil.publish.ngram.consistency import enforce_consistency
from seqveil.publish.ngram.extension import extend
from seqveil.publish.ngram.suffixes import SuffixLinks
from seqveil.publish.ngram.synthesis import synthesize
from seqveil.tables.units import Record
from seqveil.trees.suffixes import markov_contexts
from seqveil.trees.tree import LevelTree
from seqveil.wall import Children
from seqveil.wall.budget import GRAINS
from seqveil.wall.run import open_wall
from strategies import ChosenNoise, paper_table

FIGURE_1 = {  # the exploration tree of Figure 1, counts as printed; & is written 4
    "1": 4, "2": 10, "3": 9,
    "12": 4, "23": 7, "24": 3, "31": 4, "32": 3, "34": 2,
    "231": 4, "233": 1, "234": 2, "311": 1, "312": 2, "314": 1,
}  # fmt: skip


def explored(counts: dict[str, int], labels: int = 3) -> LevelTree:
    """A tree that the wall could have answered: these grams, all others below their threshold."""
    tree, number = LevelTree(labels), {"": 0}
    for level in range(1, max(map(len, counts)) + 1):
        grams = sorted(g for g in counts if len(g) == level)
        size, first = len(grams), len(tree)
        number |= {g: first + i for i, g in enumerate(grams)}
        columns = {
            "node": [number[g] for g in grams],
            "parent": [number[g[:-1]] for g in grams],
            "rank": [int(g[-1]) - 1 for g in grams],
            "noisy": [counts[g] for g in grams],
        }
        arrays = {name: np.array(column, np.int64) for name, column in columns.items()}
        tree.grow(Children(**arrays, scale=np.ones(size), threshold=np.zeros(size, np.int64)))
    return tree


def spelled(tree: LevelTree, node: int) -> str:
    return "" if node == 0 else spelled(tree, int(tree.parent[node])) + str(tree.symbol[node] + 1)


def node_of(tree: LevelTree, gram: str) -> int:
    return next(n for n in range(len(tree)) if spelled(tree, n) == gram)


def consistent(counts: dict[str, int], approximate: bool = False) -> LevelTree:
    return enforce_consistency(explored(counts), approximate)


def counts_of(tree: LevelTree) -> dict[str, float]:
    return {spelled(tree, n): float(tree.count[n]) for n in range(1, len(tree))}


HEIGHTS = [  # Example 4.2: node, its noisy count, h, the share of ε for its children
    ("1", 4, 1, "4/5"),
    ("2", 10, 2, "2/5"),
    ("3", 9, 2, "2/5"),
]


@pytest.mark.parametrize(("gram", "count", "h", "share"), HEIGHTS, ids=["v1", "v2", "I3"])
def test_example_4_2_budgets(gram, count, h, share):
    """Pmax = 10/23 and θ = 3: h = 1 for v1 and 2 for v2 and I3, so their children get 4ε/5 and 2ε/5."""
    tree = explored({"1": 4, "2": 10, "3": 9})
    chance = p_max(tree, np.array([node_of(tree, gram)]))
    left = GRAINS - GRAINS // 5
    height_at = partial(expected_height, chance, most=4)
    paid, theta = allocate(np.array([left]), np.array([count]), height_at, 4, influence=5, labels=3, theta=3.0)
    numerator, denominator = map(int, share.split("/"))

    assert 10 / 23 == chance[0]
    assert [h] == expected_height(chance, np.array([3 / count]), 4).tolist()
    assert [GRAINS * numerator // denominator] == paid.tolist()
    assert [3.0] == theta.tolist()


def test_example_4_2_through_the_mechanism(monkeypatch):
    """The first level is paid with ε/5; with the noisy counts 4, 10, 9 the whole run pays what the example says."""
    asked = []
    real = mechanism.PrivateTree.expand

    def watched(self, nodes, epsilon, threshold=None, **more):
        children = real(self, nodes, epsilon, threshold, **more)
        asked.append((np.atleast_1d(nodes).tolist(), np.atleast_1d(epsilon).tolist()))
        return children

    monkeypatch.setattr(mechanism.PrivateTree, "expand", watched)
    noise = ChosenNoise([-1, 1, -1, *[-(10**6)] * 50])  # Table 1 has 5, 9, 10
    wall = open_wall(paper_table(), Record(), GRAINS, noise)
    sv.NGram(l_max=5, n_max=5, theta=3.0, second_look=False).run(wall)

    assert ([0], [GRAINS // 5]) == asked[0]
    assert [4 * GRAINS // 5, 2 * GRAINS // 5, 2 * GRAINS // 5] == asked[1][1]


def test_followed_chain_by_hand():
    """Level 1 says 3 most often (10 of 16), 3 is followed by 2 (6 of 9), 2 by the end (4 of 9), and then nothing."""
    tree = explored({"1": 1, "2": 5, "3": 10, "31": 1, "32": 6, "34": 2, "21": 2, "23": 3, "24": 4})
    shares = followed(tree, np.array([node_of(tree, gram) for gram in ("1", "31", "32")]), 4)

    expected = [
        [10 / 16, 10 / 16 * 6 / 9, 10 / 16 * 6 / 9 * 4 / 9, 0],  # after 1, whose family is unknown: 3, 32, 32&
        [10 / 16, 10 / 16 * 6 / 9, 10 / 16 * 6 / 9 * 4 / 9, 0],  # after 31 the chain knows what it knows after 1: nothing
        [4 / 9, 0, 0, 0],  # after 2, of which 32 ends: the end
    ]
    assert np.array(expected) == pytest.approx(shares)
    assert [3, 3, 2] == height_of(shares, np.full(3, 3 / 10), 4).tolist()


def test_both_heights_agree_where_all_families_are_alike():
    """Two labels, each followed by either in the same proportion: the chain's share falls as Pmax to the power of the level."""
    tree = explored({"1": 6, "2": 3, "11": 4, "12": 2, "21": 2, "22": 1})
    nodes = np.arange(3, 7)
    chance = p_max(tree, nodes)

    assert chance[:, None] ** np.arange(1, 6) == pytest.approx(followed(tree, nodes, 5))
    for ratio in (0.9, 0.5, 0.3, 0.1):
        both = expected_height(chance, np.full(4, ratio), 5), height_of(followed(tree, nodes, 5), np.full(4, ratio), 5)
        assert both[0].tolist() == both[1].tolist()


def test_the_conditional_probability_of_v5():
    """P(v5) = P(I1 | I2→I3) = 4/(4+0+1+2) = 4/7: its family's mode, as the Markov chain reads it."""
    tree = explored(FIGURE_1 | {"323": 2})
    context = markov_contexts(tree, np.array([node_of(tree, "323")]))

    assert "23" == spelled(tree, int(context[0]))
    assert 4 / 7 == p_max(tree, np.array([node_of(tree, "323")]))[0]


ODD = [  # name, noisy counts of the family that Pmax is read from, Pmax
    ("negative counts are clipped", {"1": -5, "2": 6, "3": 2}, 6 / 8),
    ("all negative: says nothing", {"1": -5, "2": -6, "3": -1}, 0.0),
    ("one child only", {"2": 6}, 1.0),
]


@pytest.mark.parametrize(("counts", "expected"), [o[1:] for o in ODD], ids=[o[0] for o in ODD])
def test_p_max_of_odd_families(counts, expected):
    """Probabilities stay in [0, 1], and outside (0, 1) the height is all that is left.

    See docs/soundness.md, 'Undefined heights and thresholds'.
    """
    tree = explored(counts)
    chance = p_max(tree, np.array([1]))

    assert [expected] == chance.tolist()
    if expected in (0.0, 1.0):
        assert [4] == expected_height(chance, np.array([0.5]), 4).tolist()


def test_p_max_without_nodes():
    """No node, no probability."""
    assert [] == p_max(explored({"1": 4}), np.zeros(0, np.int64)).tolist()


LOW_COUNTS = [4, 3.01, 3.0, 2.0, 1.0, 1e-9]
"""Counts at and just above θ = 3, for which the printed h lies below 1 (docs/soundness.md, 'Heights below 1')."""


@pytest.mark.parametrize("count", LOW_COUNTS)
def test_heights_below_one_do_not_overspend(count):
    """h is at least 1, so children never get more than is left."""
    assert [1] == expected_height(np.array([10 / 23]), np.array([3 / count]), 4).tolist()


THRESHOLDS = [  # influence, |I|, ε′, θ = influence·ln(|I|/2)/ε′ with the floor ln 2
    (20, 17, 0.2, 214.007),
    (5, 3, 1.0, 3.466),
    (20, 2, 1.0, 13.863),
    (20, 1, 1.0, 13.863),
    (100, 10**6, 0.5, 2624.473),
]


@pytest.mark.parametrize(("influence", "labels", "epsilon", "theta"), THRESHOLDS)
def test_threshold(influence, labels, epsilon, theta):
    """θ is positive also where ln(|I|/2) is not."""
    actual = threshold(influence, labels, np.array([int(epsilon * GRAINS)]))[0]

    assert theta == pytest.approx(actual, abs=1e-3)


def test_example_4_3_consistency():
    """A = (2.1, 4, –, 1.9) below I3→I1 with c = 4 becomes (1.05, 2, 0, 0.95); counts are tenths here."""
    tenths = {"1": 40, "2": 100, "3": 90, "12": 40, "23": 70, "24": 30, "31": 40, "32": 30, "34": 20}
    tree = consistent(tenths | {"311": 21, "312": 40, "314": 19}, approximate=True)
    counts = {gram: count / 10 for gram, count in counts_of(tree).items() if gram.startswith("31") and len(gram) == 3}

    assert {"311": 1.05, "312": 2.0, "314": 0.95} == pytest.approx(counts)


def test_step_3_shares_out_what_is_left():
    """Below a unigram there is no Markov family: missing children share what the others leave, or get nothing."""
    less = counts_of(consistent({"1": 40, "2": 10, "3": 9, "11": 20, "12": 8}, approximate=True))
    more = counts_of(consistent({"1": 40, "2": 10, "3": 9, "11": 60, "12": 20}, approximate=True))

    assert {"11": 20, "12": 8, "13": 6, "14": 6} == pytest.approx({g: c for g, c in less.items() if g[0] == "1" and len(g) == 2})
    assert {"11": 30, "12": 10} == pytest.approx({g: c for g, c in more.items() if g[0] == "1" and len(g) == 2})


def joined(tree: LevelTree, l_max: int) -> list[dict[str, float]]:
    """The grams of every length beyond the tree, with their counts."""
    levels, grams, out = extend(tree, SuffixLinks.of(tree), l_max), [], []
    for level in levels:
        last = [spelled(tree, int(s)) for s in level.state]
        grams = [grams[p] + w[-1] for p, w in zip(level.previous, last, strict=True)] if grams else last
        out.append(dict(zip(grams, level.count.tolist(), strict=True)))
    return out[1:]


JOINS = [  # c(I2I3I1), and the counts of I2I3I1I2 and I2I3I1I1: c(I2I3I1)·2/4 and c(I2I3I1)·1/4, below ½ dropped
    (4, {"2312": 2.0, "2311": 1.0}),
    (2, {"2312": 1.0, "2311": 0.5}),
    (1, {"2312": 0.5}),
]


@pytest.mark.parametrize(("count", "expected"), JOINS, ids=["Example 4.4", "half of it", "a quarter of it"])
def test_example_4_4_joins(count, expected):
    """g₁ ⋈ g₂ has the count c(g₁)·c(g₂)/c(overlap); these 4-grams cannot be joined further."""
    tree = consistent(FIGURE_1 | {"231": count, "233": 5 - count})
    (counts,) = joined(tree, 5)

    assert expected == {gram: c for gram, c in counts.items() if gram.startswith("231")}


def test_joins_go_on_to_l_max():
    """A chain of certain steps is extended up to l_max symbols and no further, its count unchanged."""
    tree = consistent({"1": 30, "2": 30, "3": 30, "12": 30, "23": 30, "31": 30})

    assert [{"123": 30.0, "231": 30.0, "312": 30.0}, {"1231": 30.0, "2312": 30.0, "3123": 30.0}] == joined(tree, 4)


def test_negative_answers_count_nothing():
    """A family with a negative answer is scaled as if that answer were 0."""
    counts = counts_of(consistent({"1": 40, "2": 10, "3": 9, "11": -20, "12": 8, "14": 2}))

    assert {"11": 0, "12": 32, "14": 8} == pytest.approx({g: c for g, c in counts.items() if g[0] == "1" and len(g) == 2})


def test_example_4_5_publishes_and_subtracts():
    """Two copies of I2I3I1I2 come out, and they use up I2 twice each: what remains of I2 is 10 − 4."""
    counts = consistent(FIGURE_1)
    published = ["".join(str(x + 1) for x in record) for record in synthesize(counts, 4)]
    others = "".join(r for r in published if r != "2312")

    assert 2 == published.count("2312")
    assert others.count("2") <= 10 - 4
    assert others.count("3") <= 9 - 2
    assert others.count("1") <= 4 - 2
