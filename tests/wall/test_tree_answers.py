"""What a private tree answers: right counts, the scale that was paid for, the order asked, and refusals that draw nothing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.engines.protocol import Counts, Scores
from seqveil.errors import BudgetExceeded, CallError
from seqveil.tables.units import Record, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.grams import Grams
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, databases, gram_counts, table_of_codes

RECORDS = [[0, 1, 0], [1, 0], [0, 0], [2]]


def grams_tree(noise, records=RECORDS, labels=3, l_max=3, budget=10**12, unit=None) -> PrivateTree:
    kind = Grams(l_max)
    unit = unit or Record()
    return PrivateTree(kind.open(table_of_codes(records, labels), unit), kind.influence(unit), budget, noise)


@given(databases(3, 6, 4), st.integers(1, 4), st.data())
def test_without_noise_the_tree_is_the_tree_of_grams(records, l_max, data):
    """Children in the order asked and then by rank, counts exact, θ rounded up; refine agrees, also across batches."""
    tree = grams_tree(NoNoise(), records, l_max=l_max)
    counts = gram_counts(records, l_max, end=3)
    theta = data.draw(st.floats(0.1, 4))
    grams = {0: ()}
    open_ = [0]
    while open_:
        asked = data.draw(st.permutations(open_))[: data.draw(st.integers(1, len(open_)))]
        children = tree.expand(asked, 1, theta)
        pairs = [(p, r) for p, r in zip(children.parent.tolist(), children.rank.tolist(), strict=True)]
        expected = [(p, r) for p in asked for r in range(4) if counts.get((*grams[p], r), 0) >= theta and (grams[p] or r < 3)]
        assert expected == pairs
        assert [counts[(*grams[p], r)] for p, r in pairs] == children.noisy.tolist()
        assert {int(np.ceil(theta))} >= set(children.threshold.tolist())
        grams |= {n: (*grams[p], r) for n, (p, r) in zip(children.node.tolist(), pairs, strict=True)}
        fresh = [n for n in children.node.tolist() if grams[n][-1] < 3]
        open_ = [n for n in open_ if n not in asked] + fresh
    nodes = data.draw(st.permutations([*grams]))
    noisy, _ = tree.refine(nodes, 1)

    assert [counts.get(grams[n], 0) if n else sum(c for g, c in counts.items() if len(g) == 1) for n in nodes] == noisy.tolist()


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=4)])
@pytest.mark.parametrize("theta", [None, -1.0, 0.0, 2.5])
def test_every_draw_has_the_scale_that_was_paid_for(unit, theta):
    """Scale influence/ε for each class of ε, on counts, on empty slots and on refined nodes; nothing else is drawn."""
    noise = ChosenNoise([0, 3])
    tree = grams_tree(noise, unit=unit)
    first = tree.expand([0], [2 * 10**11], theta)
    tree.expand(first.node[:2], [10**11, 3 * 10**11], theta)
    _, scales = tree.refine(first.node[:1], 5 * 10**11)
    influence = 3 * unit.sequences
    paid = [Fraction(2, 10), Fraction(1, 10), Fraction(3, 10), Fraction(5, 10)]
    expected = [float(influence / epsilon) for epsilon in paid]

    assert pytest.approx(sorted(expected)) == sorted({scale for _, scale, _ in noise.scales})
    assert all(Fraction(scale) >= influence / Fraction(epsilon) for scale, epsilon in zip(expected, paid, strict=True))
    assert {expected[0]} == set(first.scale.tolist())
    assert [expected[-1]] == scales.tolist()


@pytest.mark.parametrize("planted", [-1, +1])
def test_the_scale_test_notices_an_influence_off_by_one(planted):
    """A tree opened with l_max − 1 or l_max + 1 draws with scales that the test above does not expect."""
    noise = ChosenNoise([0])
    counter = Grams(3).open(table_of_codes(RECORDS, 3), Record())
    PrivateTree(counter, 3 + planted, 10**12, noise).expand([0], [10**12], 1.0)

    assert {3.0} != {scale for _, scale, _ in noise.scales}


REFUSED = [
    ("a float of ε", lambda t: t.expand([0], 0.5, 1.0), CallError, "whole grains"),
    ("NaN of ε", lambda t: t.expand([0], float("nan"), 1.0), CallError, "whole grains"),
    ("a truth value of ε", lambda t: t.expand([0], True, 1.0), CallError, "whole grains"),
    ("too large for int64", lambda t: t.expand([0], 2**80, 1.0), CallError, "whole grains"),
    ("wrapping around int64", lambda t: t.expand([0], np.array([2**64 - 5], np.uint64), 1.0), BudgetExceeded, "one grain"),
    ("nothing", lambda t: t.expand([0], 0, 1.0), BudgetExceeded, "one grain"),
    ("less than nothing", lambda t: t.refine([0], -3), BudgetExceeded, "one grain"),
    ("too much", lambda t: t.refine([0], 101), BudgetExceeded, "0.000000000101"),
    ("a node twice", lambda t: t.expand([0, 0], 1, 1.0), CallError, "twice"),
    ("a node that is not there", lambda t: t.expand([7], 1, 1.0), CallError, "unknown node"),
    ("a node before the first", lambda t: t.refine([-1], 1), CallError, "unknown node"),
    ("a threshold that is no number", lambda t: t.expand([0], 1, float("nan")), CallError, "finite"),
    ("an endless threshold", lambda t: t.expand([0], 1, float("inf")), CallError, "finite"),
    ("the rest of an undivided node", lambda t: t.expand_rest([0], 1, 1.0), CallError, "after the node was divided"),
]


@pytest.mark.parametrize(("ask", "error", "text"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refusals_come_before_any_draw(ask, error, text):
    """A refused question says why, costs nothing, draws nothing, and leaves the tree usable."""
    noise = ChosenNoise([0])
    tree = grams_tree(noise, budget=100)

    with pytest.raises(error, match=text):
        ask(tree)
    assert ([], 0) == (noise.scales, tree.dearest)
    assert 3 == len(tree.expand([0], 100, 1.0))


def test_a_node_is_divided_once_and_its_rest_once():
    """Dividing again, asking the rest again, or asking the unnamed rest itself is refused."""
    tree = grams_tree(NoNoise(), budget=100)
    children = tree.expand([0], 10, 3.0)
    rest = tree.expand_rest([0], 20, 1.0)

    assert ([0], [1, 2]) == (children.rank.tolist(), rest.rank.tolist())
    assert [70, 70] == tree.remaining(rest.node).tolist()
    assert [90] == tree.remaining(children.node).tolist()
    with pytest.raises(CallError, match="divided only once"):
        tree.expand([0], 1, 1.0)
    with pytest.raises(CallError, match="asked once"):
        tree.expand_rest([0], 1, 1.0)
    unnamed = int(min(set(range(int(rest.node.max()))) - {0} - set(children.node.tolist()) - set(rest.node.tolist())))
    with pytest.raises(CallError, match="no name"):
        tree.refine([unnamed], 1)


BAD_RANKS = [[], [1, 1], [2, 1], [-1, 0], [0, 3]]


@pytest.mark.parametrize("among", BAD_RANKS, ids=str)
@pytest.mark.parametrize("records", [RECORDS, []], ids=["data", "no data"])
def test_among_must_name_ranks_that_nodes_have(among, records):
    """Ranks that are none, repeated, unsorted or not there are refused, whether or not there is data."""
    with pytest.raises(CallError, match="among"):
        grams_tree(NoNoise(), records).expand([0], 1, 1.0, among=np.array(among, np.int64))


def test_nothing_grows_below_a_terminator():
    """Noise cannot make children of a gram that has ended: their walk would go on into the next record."""
    tree = grams_tree(ChosenNoise([9]), [[0], [1]], labels=2)
    level = tree.expand([0], 1, 1.0)
    ended = tree.expand(level.node, 1, 1.0, among=np.array([2]))

    assert {2} == set(ended.rank.tolist())
    with pytest.raises(CallError, match="among"):
        tree.expand(ended.node, 1, 1.0, among=np.array([0, 1]))
    assert 0 == len(grams_tree(ChosenNoise([9]), [[0]], labels=1).expand([0], 1, 1e9).node)


@given(databases(3, 6, 4), st.sets(st.integers(0, 2), min_size=1), st.sampled_from([None, 0.0, 1.0, 2.0]))
def test_among_answers_these_ranks_and_no_others(records, ranks, theta):
    """Exactly what a full question would have said about them, without noise."""
    among = np.array(sorted(ranks), np.int64)
    some = grams_tree(NoNoise(), records).expand([0], 1, theta, among=among)
    full = grams_tree(NoNoise(), records).expand([0], 1, theta)
    kept = np.isin(full.rank, among)

    assert full.rank[kept].tolist() == some.rank.tolist()
    assert full.noisy[kept].tolist() == some.noisy.tolist()


class Sides:
    """A counter with a split to choose: records are numbers, a node is a set of them, a split sends them left or right."""

    def __init__(self, parts: list[list[int]]) -> None:
        self.parts = parts

    def fan_out(self, nodes, split=None):
        return [2] * len(nodes)

    def children(self, nodes, split=None):
        asked = enumerate(zip(nodes, split, strict=True))
        rows = [(i, side, sum((x >= s) == side for x in self.parts[n])) for i, (n, s) in asked for side in (0, 1)]
        kept = np.array([r for r in rows if r[2]], np.int64).reshape(-1, 3)
        return Counts(kept[:, 0], kept[:, 1], kept[:, 2])

    def count(self, nodes):
        return np.array([len(self.parts[n]) for n in nodes], np.int64)

    def scores(self, nodes):
        score = [-abs(sum(x >= s for x in self.parts[n]) - sum(x < s for x in self.parts[n])) for n in nodes for s in range(4)]
        return Scores(np.arange(0, len(score) + 1, 4), np.array(score, np.int64), 1)

    def descend(self, parents, ranks, split=None):
        chosen = zip(parents, ranks, split, strict=True)
        return Sides([[x for x in self.parts[p] if (x >= s) == r] for p, r, s in chosen])


def test_choose_pays_for_a_split_and_expand_divides_by_it():
    """The exponential mechanism gets rate ε/(2·Δ·influence) and the scores of each node; both charges add up on the path."""
    rates = []

    class Best(NoNoise):
        def exponential(self, scores, rate):
            rates.append(rate)
            return super().exponential(scores, rate)

    tree = PrivateTree(Sides([[0, 0, 1, 2, 3, 3]]), 5, 4 * GRAINS, Best())
    split = tree.choose([0], 2 * GRAINS)
    children = tree.expand([0], GRAINS, 1.0, split=split)
    again = tree.choose(children.node, GRAINS)

    assert [2] == split.tolist()
    assert [3, 3] == children.noisy.tolist()
    assert [1, 3] == again.tolist()
    assert [Fraction(2, 2 * 5), Fraction(1, 2 * 5), Fraction(1, 2 * 5)] == rates
    assert [0, 0] == tree.remaining(children.node).tolist()
    with pytest.raises(CallError, match="not by a split"):
        tree.expand_rest([0], 1, 1.0)


def test_a_route_is_free_and_divides():
    """Routing asks nothing and charges nothing; its parts inherit the path and the node is divided."""
    noise = ChosenNoise([0])
    tree = PrivateTree(Sides([[0, 0, 3]]), 1, 10, noise)
    tree.refine([0], 4)
    drawn = len(noise.scales)
    parts = tree.route([0], 2, np.array([1]))

    assert (drawn, 4, [[6, 6]]) == (len(noise.scales), tree.dearest, tree.remaining(parts).tolist())
    assert [2, 1] == tree.refine(parts[0], 6)[0].tolist()
    for call in (lambda: tree.expand([0], 1, 1.0, split=np.array([1])), lambda: tree.route([0], 2, np.array([1]))):
        with pytest.raises(CallError, match="divided only once"):
            call()
    with pytest.raises(CallError, match="must name every part"):
        PrivateTree(Sides([[0]]), 1, 10, noise).route([0], 3, np.array([1]))
