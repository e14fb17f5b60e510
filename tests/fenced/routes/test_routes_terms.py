"""Waiting for each other and the degree of coverage, held against trying everything."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.errors import CallError, InputProblems
from seqveil.fenced.routes import LocationGraph, User, plan
from seqveil.fenced.routes.terms import Terms

sys.path.insert(0, str(Path(__file__).parent))
from brute import optimum
from test_routes_optimum import queries

SQUARE = LocationGraph.of([("a", "b", 1), ("z", "b", 4), ("b", "c", 1), ("c", "d", 1)], {"b": "museum", "c": "café"})
ADA = User("Ada", "a", "d", 6, {"museum": 2, "café": 1})
BOB = User("Bob", "z", "d", 9, {"café": 1})


def leaving_apart(users, times):
    return [replace(user, departs=time) for user, time in zip(users, times, strict=False)]


@settings(max_examples=60)
@given(
    queries(),
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([None, 0, 4]),
)
def test_waiting_counts_as_much_as_it_is_said_to(query, times, waiting, longest):
    """The best trip when waiting at the first stop is paid for, and bounded: its profit, and what the group pays."""
    graph, users, _ = query
    users = leaving_apart(users, times)
    best = optimum(graph, users, terms=Terms(waiting=waiting, max_wait=longest))
    trip = plan(graph, users, waiting=waiting, max_wait=longest)

    assert (best is not None) == trip.found
    if best:
        assert best[1:] == pytest.approx((trip.profit, sum(one.cost for one in trip.travellers)))
        assert all(one.cost <= user.limit * (1 + 1e-9) for user, one in zip(users, trip.travellers, strict=True))
        assert longest is None or max(one.waits for one in trip.travellers) <= longest


@settings(max_examples=40)
@given(queries(), st.lists(st.integers(0, 9), min_size=3, max_size=3), st.sampled_from([0.5, 1.0]))
def test_the_approximations_keep_their_promises_when_waiting_counts(query, times, waiting):
    """A single stop is still the worst that greedy and scaled can end up with, so their bounds hold."""
    graph, users, _ = query
    users = leaving_apart(users, times)
    best = optimum(graph, users, terms=Terms(waiting=waiting))
    for method, share in (("scaled", 0.5), ("greedy", None)):
        trip = plan(graph, users, method, waiting=waiting)
        assert (best is not None) == trip.found
        if best:
            least = share or 1 / (len(trip.covered) + len(trip.missed))
            assert best[1] * least - 1e-9 <= trip.profit <= best[1] + 1e-9
            assert all(one.cost <= user.limit * (1 + 1e-9) for user, one in zip(users, trip.travellers, strict=True))


@settings(max_examples=60)
@given(
    queries(with_quality=True),
    st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([1.0, 0.6]),
)
def test_the_degree_of_coverage_is_kept_and_valued(query, coverage, curve, theta):
    """No trip that gives everybody enough has a better score, whatever the curve and θ."""
    graph, users, quality = query
    terms = Terms(theta=theta, coverage=coverage, curve=curve)
    best = optimum(graph, users, (), quality, 2, terms=terms)
    trip = plan(graph, users, quality=quality, theta=theta, coverage=coverage, curve=curve)

    assert (best is not None) == trip.found
    if best:
        assert best[0] == pytest.approx(trip.score)
        assert all(one.satisfied >= coverage - 1e-9 for one in trip.travellers)


def test_who_comes_first_waits_and_says_so():
    """Bob needs 4 to the museum, Ada 1: she waits 3, which her limit of 6 just allows."""
    trip = plan(SQUARE, [ADA, BOB], waiting=1)

    assert [(3.0, 6.0), (0.0, 6.0)] == [(one.waits, one.cost) for one in trip.travellers]
    assert "Ada pays 6 of 6 (alone 3, own stops only 3, waits 3 at the first stop) and gets 100%" in trip.explain()
    assert [None, None] == [one.waits for one in plan(SQUARE, [ADA, BOB]).travellers]


def test_a_later_departure_ends_the_wait():
    """Ada leaves 3 later, and nobody waits; 4 later, and Bob does."""
    late = [[one.waits for one in plan(SQUARE, [replace(ADA, departs=t), BOB], waiting=1).travellers] for t in (3, 4)]

    assert [[0.0, 0.0], [0.0, 1.0]] == late


def test_a_wait_that_is_too_long_is_explained():
    """The shortest wait and its place are named."""
    trip = plan(SQUARE, [ADA, BOB], max_wait=2)

    expected = "No trip: wherever the group could meet, somebody would wait longer than 2. The shortest wait is 3, at 'b'."
    assert expected == trip.explain()


FORK = LocationGraph.of([("a", "b", 1), ("b", "d", 1), ("a", "c", 1), ("c", "d", 1)], {"b": ["museum", "park"], "c": "café"})
UNEVEN = [User("Ada", "a", "d", 2, {"museum": 3, "café": 1}), User("Bob", "a", "d", 2, {"park": 1, "café": 3})]


def test_a_curve_below_1_favours_those_who_would_get_little():
    """The museum brings 3 to Ada, the café 1 to each: 4·√(3/4) against 4·√(1/4) + 1 still favours her, 4·(3/4)^0.1 does not."""
    one_sided = [User("Ada", "a", "d", 2, {"museum": 3, "café": 1}), User("Bob", "a", "d", 2, {"café": 1})]

    assert [["museum"], ["café"], ["café"]] == [
        plan(FORK, one_sided, **more).covered for more in ({}, {"curve": 0.1}, {"coverage": 0.1})
    ]


def test_a_coverage_that_nobody_can_give_is_explained():
    """What the best trip gives without it stands beside."""
    trip = plan(FORK, UNEVEN, coverage=0.8)

    assert not trip.found
    assert "No trip gives everybody 80% of their preferences. The one with the highest profit gives Ada" in trip.explain()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"waiting": 1.5}, "waiting=1.5: give a number from 0 (free) to 1 (counts as travel)."),
        ({"max_wait": -1}, "max_wait=-1: give a number of at least 0"),
        ({"coverage": 2}, "coverage=2: give the share that everybody must get, from 0 to 1."),
        ({"curve": 0}, "curve=0: give a number above 0"),
        ({"coverage": 0.5, "method": "scaled"}, "coverage=0.5: only method=exact considers this"),
        ({"curve": 0.5, "method": "greedy"}, "curve=0.5: only method=exact considers this"),
        ({"max_wait": 3, "method": "scaled"}, "max_wait=3: only method=exact considers this"),
    ],
)
def test_terms_out_of_range_are_refused(changed, message):
    """Each says what it allows."""
    with pytest.raises(CallError) as error:
        plan(SQUARE, [ADA, BOB], **changed)

    assert message in str(error.value)


def test_all_terms_out_of_range_come_at_once():
    """Two mistakes, two sentences."""
    with pytest.raises(InputProblems) as error:
        plan(SQUARE, [ADA], theta=2, coverage=2)

    assert 2 == len(error.value.problems)


def test_what_is_out_of_reach_does_not_change_how_profit_is_weighed():
    """θ·Ps/Σλ − …: Σλ is over all that is wanted. Divided by what is within reach, the detour for q would pay."""
    edges = [("a", "p", 1), ("p", "e", 1), ("p", "q", 2), ("q", "e", 2), ("e", "z", 90)]
    graph = LocationGraph.of(edges, {"p": "P", "q": "Q", "z": "Z"})
    users = [User("u", "a", "e", 6, {"P": 1, "Q": 1, "Z": 98})]

    assert ["P"] == plan(graph, users, theta=0.6).covered
    assert optimum(graph, users, theta=0.6)[0] == pytest.approx(plan(graph, users, theta=0.6).score)
