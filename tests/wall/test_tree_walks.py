"""What every possible walk pays in a private tree, summed question by question and without the tree's own account.

A unit's walk spells a gram. A question touches it when it asks about a node that the walk passes (refine), or about a slot that
the walk takes (expand, expand_rest). Whatever is asked in whatever order, and whatever the noise answers, the ε of the
questions that touch one walk must never exceed the tree's: that is the whole privacy argument.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import BudgetExceeded, CallError
from seqveil.tables.units import Record
from seqveil.wall.questions.grams import Grams
from seqveil.wall.tree import PrivateTree
from strategies import ChosenNoise, chosen_values, databases, table_of_codes

LABELS, L_MAX = 2, 3
Gram = tuple[int, ...]


class Witness:
    """Asks a tree and writes down, in its own words, which slots were asked with how much ε."""

    def __init__(self, tree: PrivateTree) -> None:
        self.tree = tree
        self.gram: dict[int, Gram] = {0: ()}
        self.released: dict[Gram, set[int]] = {}
        self.asked: list[tuple[Gram, set[int] | None, int]] = []  # None: the node itself

    def slots(self, gram: Gram) -> set[int]:
        if gram[-1:] == (LABELS,):
            return set()
        return set(range(LABELS if gram == () else LABELS + 1))

    def expand(self, nodes: list[int], paid: list[int], theta: float | None, rest: bool = False) -> None:
        ask = self.tree.expand_rest if rest else self.tree.expand
        children = ask(nodes, np.array(paid, np.int64), theta)
        for node, amount in zip(nodes, paid, strict=True):
            gram = self.gram[node]
            self.asked.append((gram, self.slots(gram) - self.released.setdefault(gram, set()), amount))
        for node, parent, rank in zip(children.node.tolist(), children.parent.tolist(), children.rank.tolist(), strict=True):
            assert node not in self.gram
            assert rank not in self.released[self.gram[parent]]  # told before: it was not in question, and nobody paid for it
            self.gram[node] = (*self.gram[parent], rank)
            self.released[self.gram[parent]].add(rank)

    def refine(self, nodes: list[int], paid: list[int]) -> None:
        self.tree.refine(nodes, np.array(paid, np.int64))
        self.asked += [(self.gram[node], None, amount) for node, amount in zip(nodes, paid, strict=True)]

    def dearest_walk(self) -> int:
        """The most that one walk pays, over all walks there are."""
        walks = [(*items, LABELS) for n in range(1, L_MAX + 1) for items in product(range(LABELS), repeat=n)]
        return max(sum(paid for gram, slots, paid in self.asked if touches(walk, gram, slots)) for walk in walks)


def touches(walk: Gram, gram: Gram, slots: set[int] | None) -> bool:
    passes = walk[: len(gram)] == gram
    return passes and (slots is None or (len(walk) > len(gram) and walk[len(gram)] in slots))


def open_tree(records, noise, budget, kind=PrivateTree, measure="pure", most=None) -> Witness:
    counter = Grams(L_MAX, most=most).open(table_of_codes(records, LABELS), Record())
    return Witness(kind(counter, L_MAX, budget, noise, measure, most))


QUESTIONS = st.sampled_from(["expand", "expand", "expand", "rest", "rest", "refine"])
THETAS = st.one_of(st.none(), st.floats(-3, 12), st.sampled_from([0.0, -0.5, 1e15, 0.2]))


@settings(max_examples=150)
@given(databases(LABELS, 4, 4), chosen_values(2**40), st.sampled_from([1, 7, 100, 10**12]), st.data())
def test_no_questions_in_any_order_make_a_walk_pay_more_than_epsilon(records, values, budget, data):
    """Adversarial questions to a tree with adversarial noise: refused or within budget, by either way of counting.

    In ρ as in ε, and whatever the tree's cap: what a walk costs in zCDP is the same sum (docs/mechanisms/tree.md, 'In zCDP').
    """
    measure, most = data.draw(st.sampled_from(["pure", "zcdp"])), data.draw(st.sampled_from([None, 1, 2]))
    witness = open_tree(records, ChosenNoise(values), budget, measure=measure, most=most)
    for _ in range(data.draw(st.integers(1, 9))):
        nodes = data.draw(st.lists(st.sampled_from(sorted(witness.gram)), unique=True, min_size=1, max_size=4))
        amount = st.one_of(st.integers(-1, budget + 1), st.sampled_from([budget, budget // 2, 1]))
        paid = data.draw(st.lists(amount, min_size=len(nodes), max_size=len(nodes)))
        question, before = data.draw(QUESTIONS), witness.tree.remaining(sorted(witness.gram)).tolist()
        try:
            if question == "refine":
                witness.refine(nodes, paid)
            else:
                witness.expand(nodes, paid, data.draw(THETAS), rest=question == "rest")
        except (BudgetExceeded, CallError):
            assert before == witness.tree.remaining(sorted(witness.gram)).tolist()

        assert all(amount > 0 for _, _, amount in witness.asked)
        assert witness.dearest_walk() <= witness.tree.dearest <= budget


def misuse(kind: type[PrivateTree]) -> Witness:
    """Spend 4 of 10 at the root and ask it for 7 more, in every way there is; a right tree refuses."""
    witness = open_tree([[0, 1], [1]], ChosenNoise([0]), 10, kind)
    witness.expand([0], [4], 1e15)
    for ask in (
        lambda: witness.expand([0], [7], 1.0),
        lambda: witness.expand([0], [7], 1.0, rest=True),
        lambda: witness.refine([0], [7]),
    ):
        try:
            ask()
        except (BudgetExceeded, CallError):
            continue
    return witness


class RestIsFree(PrivateTree):
    """Planted bug: the second look at a node is not charged."""

    def expand_rest(self, nodes, epsilon, threshold=None, among=None):
        asked, paid = self._aligned(nodes, epsilon)
        rest = self._paths.add(asked) + np.arange(len(asked))
        for name in ("_divided", "_exhausted", "_rank"):
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.full(len(rest), -1).astype(old.dtype)]))
        return self._families(asked, rest, paid, np.zeros(len(asked), np.int64), None, None)


class DividesTwice(PrivateTree):
    """Planted bug: a node may be divided again, and only the first time is charged."""

    def expand(self, nodes, epsilon, threshold=None, split=None, among=None):
        again = self._divided[np.atleast_1d(nodes)].all()
        if not again:
            return super().expand(nodes, epsilon, threshold, split, among)
        asked, paid = self._aligned(nodes, epsilon)
        return self._families(asked, asked, paid, np.zeros(len(asked), np.int64), None, None)


class RefineIsFree(PrivateTree):
    """Planted bug: asking a node itself costs nothing."""

    def refine(self, nodes, epsilon):
        asked, _ = self._aligned(nodes, epsilon)
        return np.zeros(len(asked), np.int64), np.ones(len(asked))


@pytest.mark.parametrize("planted", [RestIsFree, DividesTwice, RefineIsFree])
def test_the_count_of_walks_notices_a_question_that_is_not_charged(planted):
    """The sum over walks can exceed the budget: trees that forget a charge show it, the right one does not."""
    right, wrong = misuse(PrivateTree), misuse(planted)

    assert 4 == right.dearest_walk() == right.tree.dearest
    assert 11 == wrong.dearest_walk()
