"""The four budget strategies of the prefix miner: sums that do not exceed ε, where the printed ones do.

See docs/soundness.md, 'Prefix-tree miner'.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

import seqveil as sv
from seqveil.mine.prefixminer.strategies import shares
from seqveil.wall.budget import grains
from strategies import domain_of


@pytest.mark.parametrize("strategy", ["linear", "exponential", "adaptive", "hybrid"])
@pytest.mark.parametrize("h", [1, 2, 3, 7, 10, 20])
@pytest.mark.parametrize("q", [1, 3, 7])
def test_every_strategy_sums_to_exactly_one(strategy, h, q):
    """Levels 1..h, in exact fractions; as whole grains they never exceed ε."""
    parts = shares(strategy, h, q)
    levels = sv.PrefixMiner(h=h, longest=h, shortest=1, strategy=strategy, q=q)._levels(grains("0.3"), 5, sv.Record())

    assert (h, Fraction(1)) == (len(parts), sum(parts))
    assert min(parts) > 0
    assert sum(question.grains for (question,) in levels) <= grains("0.3")


def printed_hybrid(h: int, q: int, levels: range) -> Fraction:
    """Equation 3.3's budgets: (i+1)/(q(q+1)) for i < q, then 2^(i−q−1)/(2(2^(h−q)−1))."""
    low = [Fraction(i + 1, q * (q + 1)) for i in levels if i < q]
    return sum(low + [Fraction(2) ** (i - q - 1) / (2 * (2 ** (h - q) - 1)) for i in levels if i >= q], Fraction(0))


PRINTED = [(7, 10, 1.036, 1.018), (3, 4, 1.25, 1.167), (3, 7, 1.017, 0.933)]  # q, h, total from level 0, from level 1


@pytest.mark.parametrize(("q", "h", "from_root", "from_one"), PRINTED)
def test_the_printed_hybrid_strategy_overspends(q, h, from_root, from_one):
    """Lemma 3.6 sums to more than ε; linear does too when the root is asked: (h+1)/h."""
    assert from_root == round(float(printed_hybrid(h, q, range(h + 1))), 3)
    assert from_one == round(float(printed_hybrid(h, q, range(1, h + 1))), 3)
    assert sum(shares("hybrid", h, q)) == 1


@pytest.mark.parametrize("strategy", ["linear", "exponential", "hybrid"])
def test_a_plan_tells_what_is_spent(strategy):
    """One stage with all of ε, noise of the first and the last level."""
    plan = sv.PrefixMiner(strategy=strategy).plan(grains("1"), domain_of(4), sv.Record())

    assert [("prefix tree", grains("1"))] == [stage[:2] for stage in plan.stages]
    assert len(plan.predictions) == 2


@pytest.mark.parametrize(
    ("given", "height", "q"), [({}, 7, 4), ({"longest": 3}, 4, 2), ({"h": 10}, 10, 5), ({"h": 10, "q": 3}, 10, 3)]
)
def test_the_height_follows_the_patterns_and_q_the_height(given, height, q):
    """As many levels as the longest pattern has labels, at least four; the hybrid rule changes half way down."""
    amount = grains("1")
    levels = sv.PrefixMiner(strategy="hybrid", **given)._levels(amount, 5, sv.Record())

    assert [int(amount * share) for share in shares("hybrid", height, q)] == [question.grains for (question,) in levels]
