"""The account of a tree against a model in plain integers: no calls in any order make a path cost more than its budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import BudgetExceeded
from seqveil.wall.budget import GRAINS, MOST_EPSILON
from seqveil.wall.paths import Paths

MOST = MOST_EPSILON * GRAINS
"""The largest budget that can be stated: the worst case for int64 sums."""


class Model:
    """Charges and parents as Python lists; a path is summed from scratch every time."""

    def __init__(self, budget: int) -> None:
        self.budget, self.parent, self.own = budget, [-1], [0]

    def spent(self, node: int) -> int:
        return 0 if node < 0 else self.own[node] + self.spent(self.parent[node])

    def dearest(self) -> int:
        return max(self.spent(node) for node in range(len(self.own)))

    def charge(self, nodes: list[int], amounts: list[int]) -> bool:
        """Whether it was allowed; changes nothing when it was not."""
        before = list(self.own)
        for node, amount in zip(nodes, amounts, strict=True):
            self.own[node] += amount
        if all(amount > 0 for amount in amounts) and self.dearest() <= self.budget:
            return True
        self.own = before
        return False


def follow(paths: Paths, budget: int, calls: list[tuple[str, list[tuple[int, int]]]]) -> None:
    """Do the same to an account and to its model, and compare them after every call."""
    model = Model(budget)
    for kind, pairs in calls:
        chosen = {node % len(model.own): amount for node, amount in pairs}
        nodes, amounts = np.array([*chosen], np.int64), np.array([*chosen.values()], np.int64)
        if kind == "add":
            first = paths.add(nodes)
            assert len(model.own) == first
            model.parent += [*chosen]
            model.own += [0] * len(chosen)
        elif kind == "afford":
            allowed = all(a > 0 and a + model.spent(n) <= budget for n, a in chosen.items())
            assert allowed == agrees(lambda: paths.afford(nodes, amounts))  # noqa: B023
        else:
            assert model.charge([*chosen], [*chosen.values()]) == agrees(lambda: paths.charge(nodes, amounts))  # noqa: B023
        everyone = np.arange(len(model.own))
        assert [budget - model.spent(node) for node in everyone.tolist()] == paths.left(everyone).tolist()
        assert model.dearest() == paths.dearest <= budget


def agrees(call: object) -> bool:
    try:
        call()  # type: ignore[operator]
    except BudgetExceeded:
        return False
    return True


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[tuple[str, list[tuple[int, int]]]]]:
    """A budget and calls that try to overspend it: tiny, exact, absurd, zero and negative amounts."""
    budget = draw(st.sampled_from([1, 7, 10, GRAINS, MOST]))
    amount = st.one_of(
        st.integers(1, 5),
        st.integers(1, budget),
        st.sampled_from([budget, budget + 1, budget // 2 + 1, 0, -1, 2**62, 2**63 - 1, -(2**63)]),
    )
    pairs = st.lists(st.tuples(st.integers(0, 50), amount), max_size=6)
    return budget, draw(st.lists(st.tuples(st.sampled_from(["add", "charge", "charge", "afford"]), pairs), max_size=12))


@given(histories())
def test_no_calls_in_any_order_overspend_a_path(history):
    """After every call all paths cost what the model says, at most the budget; a refused call changed nothing."""
    budget, calls = history

    follow(Paths(budget), budget, calls)


def test_a_whole_path_charged_at_once_cannot_wrap_around():
    """Nineteen nodes on one path, each asked for the largest budget there is: the sum leaves int64, the refusal stays."""
    paths = Paths(MOST)
    for node in range(18):
        paths.add(np.array([node]))

    with pytest.raises(BudgetExceeded):
        paths.charge(np.arange(19), np.full(19, MOST))
    assert 0 == paths.dearest


OVERSPEND = [
    ("add", [(0, 1), (0, 1)]),
    ("charge", [(1, 6)]),
    ("add", [(1, 1)]),
    ("charge", [(0, 4)]),
    ("charge", [(3, 1)]),
    ("charge", [(2, 6), (0, 1)]),
]


class ForgetsBelow(Paths):
    """Planted bug: a charge at an inner node is not passed on to the nodes below."""

    def _summed(self, own):
        spent = self._spent.copy()
        spent += own - self._own
        return spent


class OffByOne(Paths):
    """Planted bug: one grain too many is let through."""

    def __init__(self, budget: int) -> None:
        super().__init__(budget + 1)

    def left(self, nodes):
        return super().left(nodes) - 1


class ChangesFirst(Paths):
    """Planted bug: the account changes before the refusal."""

    def charge(self, nodes, amount):
        self._own[nodes] += amount
        self._spent[nodes] += amount
        super().charge(nodes, np.maximum(amount, 1))


@pytest.mark.parametrize("planted", [ForgetsBelow, OffByOne, ChangesFirst])
def test_the_model_notices_a_broken_account(planted):
    """The comparison above can fail: three wrong accounts do not survive it, the right one does."""
    follow(Paths(10), 10, OVERSPEND)

    with pytest.raises(AssertionError):
        follow(planted(10), 10, OVERSPEND)
