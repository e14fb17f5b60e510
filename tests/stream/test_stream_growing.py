"""Answers between checkpoints, and which checkpoints a stream has when none are asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.engines.local.engine import STREAMS
from seqveil.errors import CallError
from seqveil.stream.answers import noise95
from seqveil.stream.growing import POWERS, Growing
from seqveil.stream.mechanism import StreamMethod
from seqveil.stream.opening import declared
from seqveil.wall.continual import Count, Lis, Released, experiment_stream

LIS = {"statistic": "lis", "length": 34_589}


def released(ending, noisy, first=1, closed=False):
    return Released(first, np.array(ending, np.int64), np.array(noisy, np.int64), closed)


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        ("hold", [0, 8, 8, 8, 20, 20]),
        ("root", [0, 8, 10, 11, 20, 22]),  # 8√(3/2), 8√2, 20√(6/5)
        ("linear", [0, 8, 12, 16, 20, 24]),
    ],
)
def test_worked_example(between, expected):
    """Checkpoints at 2 and 5 with the values 8 and 20."""
    results = Growing(POWERS[between]).combine(released([0, 1, 0, 0, 1, 0], [8, 20]))

    assert expected == [value for value, _ in results]
    assert [0, 1, 1, 1, 1, 1] == [draws for _, draws in results]


def test_a_checkpoint_that_was_lost_is_not_used():
    """Positions 3 to 5 were closed by a power failure: the value of position 2 grows on, over its whole age."""
    grown = Growing(1.0)
    grown.combine(released([0, 1], [8]))

    assert [] == grown.combine(released([0, 0, 0], [], first=3, closed=True))
    assert [(24, 1), (28, 1)] == grown.combine(released([0, 0], [], first=6))
    assert [3.0, 3.5] == grown.factor(np.array([6, 7])).tolist()


@given(st.integers(1, 60), st.data(), st.sampled_from(list(POWERS)))
def test_batches_make_no_difference(length, data, between):
    """Whatever the batches in which events arrive; at a checkpoint the answer is the released value."""
    ending = data.draw(st.lists(st.integers(0, 1), min_size=length, max_size=length))
    noisy = data.draw(st.lists(st.integers(-50, 50), min_size=sum(ending), max_size=sum(ending)))
    at, all_at_once = data.draw(st.integers(0, length)), Growing(POWERS[between])
    two = Growing(POWERS[between])
    results = all_at_once.combine(released(ending, noisy))
    before = sum(ending[:at])

    assert results == two.combine(released(ending[:at], noisy[:before])) + two.combine(
        released(ending[at:], noisy[before:], first=at + 1)
    )
    assert noisy == [value for (value, _), ends in zip(results, ending, strict=True) if ends]


@pytest.mark.parametrize(("between", "factor"), [("hold", 1), ("root", (99 / 50) ** 0.5), ("linear", 99 / 50)])
def test_the_bound_on_the_noise_grows_with_the_answer(between, factor):
    """Nothing before the first checkpoint, at 50; there the bound on one draw, and at 99 as much more as the answer."""
    method = StreamMethod(Count("> 0"), "checkpoints", 100, checkpoints=2, between=between)
    answers = experiment_stream(method, "1", 1).feed_many([1] * 99)
    bound = noise95(2.0, 1)

    assert (0, 0, 0, 0, 49) == answers[48][1:]  # nothing is known yet: from 0 to 49
    assert [bound, np.ceil(bound * factor)] == [answers[49].within, answers[98].within]
    assert round(answers[49].noisy * factor) == answers[98].noisy


@pytest.mark.parametrize(
    ("asked", "epsilon", "expected"),
    [
        (LIS, "1", ("checkpoints", 14, "quadratic", "root")),
        (LIS, "10", ("checkpoints", 43, "quadratic", "root")),
        (LIS, "0.1", ("checkpoints", 4, "quadratic", "root")),
        ({**LIS, "length": 1}, "0.01", ("checkpoints", 1, "quadratic", "root")),
        ({**LIS, "checkpoints": 12, "between": "hold"}, "1", ("checkpoints", 12, "quadratic", "hold")),
        ({**LIS, "window": 168}, "1", ("binary", None, None, None)),
        ({**LIS, "method": "binary"}, "1", ("binary", None, None, None)),
        (
            {"statistic": "count", "length": 9, "method": "checkpoints", "checkpoints": 3},
            "1",
            ("checkpoints", 3, "even", "linear"),
        ),
        ({"statistic": "matches", "length": 9, "pattern": "a b"}, "1", ("binary", None, None, None)),
    ],
)
def test_what_is_left_out_follows_from_public_parameters(asked, epsilon, expected):
    """Trends are measured at √(ε√T) checkpoints, closer together at the beginning; what adds up is measured in blocks."""
    method = declared(asked, epsilon)

    assert expected == (method.method, method.checkpoints, method.spacing, method.between)


def test_a_state_file_of_before_holds_its_answers():
    """Its parameters name neither spacing nor growth: even checkpoints and held answers, as when it was opened."""
    old = StreamMethod(Count("> 0"), "checkpoints", 9, checkpoints=3)

    assert {"statistic", "where", "method", "length", "checkpoints"} == set(old.parameters())
    assert [0, 0, 3, 3, 3, 6] == [a.noisy for a in experiment_stream(old, "900000", 1).feed_many([1] * 6)]


def test_growth_follows_an_unordered_stream_better_than_holding():
    """√t between quadratic checkpoints against the last value at even ones, with hardly any noise: half the error."""
    events = np.random.default_rng(2).random(4000)
    truth = Lis().prefix(STREAMS).feed(events)
    methods = [
        StreamMethod(Lis(), "checkpoints", 4000, checkpoints=12, **own)
        for own in ({}, {"spacing": "quadratic", "between": "root"})
    ]
    answers = [experiment_stream(method, "900000", 1).feed_many(events.tolist()) for method in methods]
    plain, grown = (np.mean(np.abs(truth - [answer.value for answer in one])) for one in answers)

    assert grown < plain / 2


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        ({"spacing": "cubic"}, "spacing='cubic': choose one of even, quadratic"),
        ({"between": "exp"}, "between='exp': choose one of hold, root, linear"),
        ({"method": "binary", "between": "root"}, "method=binary takes no between: leave it out, or use method=checkpoints"),
    ],
)
def test_wrong_growth_is_explained(call, complaint):
    """What is allowed, and where."""
    with pytest.raises(CallError, match=complaint):
        sv.stream.lis(length=100, epsilon=1, seed=1, **call)
