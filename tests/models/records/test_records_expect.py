"""Messages, expected steps and draws against every record written out, on alphabets small enough for that."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from seqveil.models.records import expect
from seqveil.models.records.draw import drawn
from seqveil.models.records.ends import Ends
from seqveil.models.records.expect import Steps, expected, messages
from seqveil.models.records.fit import normalized
from seqveil.models.records.states import States


def longest_context(states: States, record: tuple[int, ...]) -> int:
    """By search through all contexts, not by steps."""
    best, size = -1, 0
    for s in range(len(states)):
        context = tuple(c for c in states.spelled[s].tolist() if c >= 0)
        if len(context) > size and record[-len(context) :] == context:
            best, size = s, len(context)
    return best


def weight(states: States, weights: np.ndarray, record: tuple[int, ...]) -> float:
    out = 1.0
    for k in range(1, len(record)):
        out *= weights[longest_context(states, record[:k]), record[k]]
    return out


def deep_states() -> States:
    states = States.single(3).refined(np.array([0, 1, 1]), np.array([1, 0, 1]))
    return states.refined(np.array([3, 5]), np.array([0, 1]))


STATES = [States.single(3), States.single(3).refined(np.array([0, 2]), np.array([1, 2])), deep_states()]


def ends_of(seed: int, labels: int = 3) -> Ends:
    random = np.random.default_rng(seed)
    open_, closed = random.dirichlet(np.ones(5)), random.dirichlet(np.ones(5))
    open_[0] = 0.0
    return Ends(random.uniform(0, 40, (labels, labels)).round(), open_ / open_.sum(), closed, None)


@pytest.mark.parametrize("states", STATES)
def test_a_step_leads_to_the_longest_context(states: States) -> None:
    for record in product(range(3), repeat=5):
        state = record[0]
        for k in range(1, 5):
            state = int(states.step[state, record[k]])
            assert state == longest_context(states, record[: k + 1])


@pytest.mark.parametrize("few", [0, 64], ids=["by products", "by lists"])
@pytest.mark.parametrize("states", STATES)
def test_backward_messages_are_the_sum_over_all_walks(states: States, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expect, "FEW", few)
    weights = np.random.default_rng(4).uniform(0.1, 1, (len(states), 3))

    beta, scales = messages(states, Steps.of(states, weights), 4)

    for a, z, r in product(range(3), range(3), range(1, 5)):
        walks = [(a, *inner, z) for inner in product(range(3), repeat=r - 1)]
        assert beta[r, a, z] * np.prod(scales[: r + 1]) == pytest.approx(sum(weight(states, weights, w) for w in walks), rel=1e-5)


@pytest.mark.parametrize("few", [0, 64], ids=["by products", "by lists"])
@pytest.mark.parametrize("states", STATES)
def test_expected_steps_are_those_of_all_records(states: States, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expect, "FEW", few)
    weights = np.random.default_rng(5).uniform(0.1, 1, (len(states), 3))
    ends = ends_of(6)
    truth = np.zeros((len(states), 3))
    for a, z, r in product(range(3), range(3), range(1, 5)):
        number = ends.trips[a, z] * (ends.closed if a == z else ends.open)[r]
        walks = [(a, *inner, z) for inner in product(range(3), repeat=r - 1)]
        total = sum(weight(states, weights, w) for w in walks)
        for walk in walks:
            for k in range(1, len(walk)):
                share = weight(states, weights, walk) / total
                truth[longest_context(states, walk[:k]), walk[k]] += number * share

    steps = expected(states, weights, ends.apart())

    assert steps == pytest.approx(truth, rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("states", STATES)
def test_every_record_has_the_ends_and_the_length_that_it_was_given(states: States, seed: int) -> None:
    ends = ends_of(seed)
    weights = normalized(np.random.default_rng(seed).uniform(0, 1, (len(states), 3)) ** 3)

    records = drawn(states, weights, ends.apart(), other=False)

    drawn_ends = Counter((int(r[0]), int(r[-1])) for r in records)
    assert drawn_ends == Counter({(a, z): int(ends.trips[a, z]) for a in range(3) for z in range(3) if ends.trips[a, z]})
    for share, closed in ((ends.open, False), (ends.closed, True)):
        lengths = np.bincount([len(r) - 1 for r in records if (r[0] == r[-1]) == closed], minlength=5)
        assert np.abs(lengths - lengths.sum() * share).max() <= 2


def test_drawn_steps_are_the_expected_ones_up_to_rounding() -> None:
    states = STATES[2]
    ends = Ends(ends_of(9).trips * 500, ends_of(9).open, ends_of(9).closed, None)
    weights = normalized(np.random.default_rng(10).uniform(0.1, 1, (len(states), 3)))
    truth = expected(states, weights, ends.apart())

    counted = np.zeros_like(truth)
    for record in drawn(states, weights, ends.apart(), other=False):
        state = record[0]
        for x in record[1:]:
            counted[state, x] += 1
            state = states.step[state, x]

    assert np.abs(counted - truth).max() < 30  # independent draws would be off by about √50,000 = 200


def test_roundings_of_long_records_do_not_add_up() -> None:
    labels, most = 8, 19
    random = np.random.default_rng(11)
    states = States.single(labels)
    weights = normalized(0.02 * random.uniform(0, 1, (labels, labels)) + np.eye(labels))  # long runs, and rare steps between
    shares = np.ones(most + 1) / (most - 5)
    shares[:6] = 0.0
    ends = Ends(random.uniform(0, 400, (labels, labels)), shares, shares, None)
    truth = expected(states, weights, ends.apart())

    records = drawn(states, weights, ends.apart(), other=False)

    counted = np.zeros_like(truth)
    for record in records:
        np.add.at(counted, (record[:-1], record[1:]), 1)
    assert np.abs(counted - truth).mean() < 2  # 2.8 when every division counts from the records that came


def test_the_same_model_gives_the_same_records() -> None:
    one, two = (drawn(STATES[1], normalized(np.ones((5, 3))), ends_of(3).apart(), other=False) for _ in range(2))

    assert one.items.tolist() == two.items.tolist()
