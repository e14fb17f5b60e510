"""Where a coarser rounding unit would break the promise of method='scaled': many small profits that all round to nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest

from seqveil.fenced.routes import LocationGraph, User, plan

MUCH = 1.0


def fork(smalls: int, small: float) -> tuple[LocationGraph, list[User]]:
    """A hub that brings much, then a fork: to the left places that bring little each, to the right one that brings a bit more.

    The limit allows one side, and the greedy route goes right. So where all that is little rounds to nothing, right it is.
    """
    left = [f"l{i}" for i in range(smalls)]
    edges = [(u, v, 1) for u, v in pairwise(["start", "hub", *left, "end"])]
    edges += [("hub", "right", 1), ("right", "end", smalls)]
    likes = {"much": MUCH, "bit more": 1.001 * small} | {f"little {place}": small for place in left}
    offers = {"hub": ["much"], "right": ["bit more"]} | {place: [f"little {place}"] for place in left}
    return LocationGraph.of(edges, offers), [User("u", "start", "end", smalls + 2, likes)]


UNITS = [0.99, 1.2, 1.49, 1.99, 2.99, 3.99, 7.99]
"""What a small profit is worth in right units; a unit m times as large rounds those below m to nothing."""


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.2, 0.4, 0.6])
@pytest.mark.parametrize("k", [4, 8, 11])
def test_no_rounding_loses_more_than_was_promised(k, epsilon):
    """Of k categories each may lose one unit of ε·b/k, and no more: 1 − ε of the optimum is left, whatever rounds to nothing."""
    for units in UNITS:
        small = units * epsilon * MUCH / k
        if 1.001 * small >= MUCH:
            continue
        graph, users = fork(k - 2, small)
        best, quick = plan(graph, users).profit, plan(graph, users, "greedy").profit
        profit = plan(graph, users, "scaled", epsilon=epsilon).profit

        assert (MUCH + (k - 2) * small, MUCH + 1.001 * small) == pytest.approx((best, quick))
        assert profit >= (1 - epsilon) * best - 1e-9, (units, profit / best)


def test_the_fork_would_tell():
    """The greedy route is what is left when everything small rounds to nothing, and here it breaks the promise."""
    k = 11
    for epsilon, units in ((0.05, 1.49), (0.1, 1.99), (0.2, 1.99), (0.4, 3.99)):
        graph, users = fork(k - 2, units * epsilon * MUCH / k)

        assert plan(graph, users, "greedy").profit < (1 - epsilon) * plan(graph, users).profit
