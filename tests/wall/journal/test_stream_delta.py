"""Streams under (ε, δ): what is charged, what the state file promises, and that no noise is drawn twice."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import BudgetRefused, CallError, LedgerError, RunFailed
from seqveil.stream.mechanism import StreamMethod, method_from
from seqveil.wall.continual import Count, Released, promise_of, reopen_stream
from seqveil.wall.journal.frames import read_frames
from seqveil.wall.journal.promise import BANNER, GAUSSIAN
from seqveil.wall.journal.recovery import salt
from seqveil.wall.ledger import Ledger
from seqveil.wall.measures.guarantee import Guarantee
from seqveil.wall.measures.zcdp import epsilon_of

DELTA = 10**12
EVENTS = [1, 0, 1, None, 1, 1, 0, 1]


@pytest.fixture
def place(tmp_path):
    """A home for the ledger and a place for the state."""
    return {"home": tmp_path / "home", "state": tmp_path / "count.state"}


def start(place, **more):
    asked = {"length": 1000, "epsilon": "1.0", "delta": "1e-6", "account": "gate", **place, **more}
    return sv.stream.count(**asked)


def drawn(place):
    """The noise in a state file."""
    promise = promise_of(place["state"])
    with place["state"].open("rb") as file:
        return [int(draw) for frame in read_frames(file, len(promise.head()) + 4096, salt(promise)) for draw in frame.draws]


def test_a_restart_goes_on_with_the_same_answers_and_fresh_noise_for_new_events(place):
    """One charge, one draw per event, and every answer as it was."""
    with start(place) as stream:
        first = stream.feed_many(EVENTS)
    before = drawn(place)
    with sv.stream.count(**place) as stream:
        second = stream.feed_many(EVENTS)
    with start(place) as stream:
        third = [stream.feed(1)]
    charges = Ledger(place["home"]).charges("gate")

    assert before == drawn(place)[: len(EVENTS)]
    assert 2 * len(EVENTS) + 1 == len(drawn(place)) == len(set(drawn(place)))
    assert [answer.position for answer in [*first, *second, *third]] == list(range(1, 2 * len(EVENTS) + 2))
    assert [(10**12, DELTA, "committed")] == [(charge.epsilon, charge.delta, charge.status) for charge in charges]

    stream = reopen_stream(method_from(promise_of(place["state"]).parameters), place["state"], home=place["home"])
    assert [*first, *second, *third] == list(stream.again())
    stream.close()


def test_answers_in_between_do_not_depend_on_restarts(place):
    """Opened anew for every event: answers are those of the journal's noise, undone from the first event on."""
    answers = []
    for event in EVENTS:
        with start(place) as stream:
            answers.append(stream.feed(event))
    noise = drawn(place)
    method = sv.stream.count(length=1000, epsilon=1, delta="1e-6", seed=1)._question

    combiner = StreamMethod(Count(), "sqrt", 1000).combiner()
    exact = method.kernel().feed(Count().numbers(EVENTS))
    pairs = combiner.combine(Released(1, np.ones(len(EVENTS), np.int64), exact + np.array(noise)))

    assert [value for value, _ in pairs] == [answer.noisy for answer in answers]


def test_the_account_adds_up_rho(place):
    """The amount is what (ε, δ) is worth in ρ, and two streams cost less than twice ε."""
    start(place).close()
    sv.stream.sum(length=9, epsilon=1, delta="1e-6", lower=0, upper=5, account="gate", home=place["home"]).close()
    account = Ledger(place["home"]).account("gate")

    assert ("zcdp", 2 * Guarantee(10**12, DELTA).amount) == (account.measure, account.spent)
    assert epsilon_of(account.spent, DELTA) < 1.5 * 10**12


def test_a_pure_account_refuses_a_gaussian_stream(place):
    """And says what to type; nothing is charged and no state file is left."""
    sv.stream.count(length=9, epsilon=1, account="gate", home=place["home"]).close()

    with pytest.raises((BudgetRefused, CallError), match="account"):
        start(place)
    assert 10**12 == Ledger(place["home"]).account("gate").spent
    assert not place["state"].exists()


def test_a_cap_is_one_of_epsilon_and_delta(place):
    """The second stream would exceed it."""
    start(place, cap="1.2").close()
    place["state"].unlink()

    with pytest.raises(BudgetRefused):
        start(place)


def test_the_head_says_what_is_promised(place):
    """δ and σ in the promise; a version that knows no δ sees another number in the banner. Pure heads are as they were."""
    start(place).close()
    promise, head = promise_of(place["state"]), place["state"].read_bytes()
    pure = place["state"].with_name("pure.state")
    sv.stream.count(length=9, epsilon=1, account="other", home=place["home"], state=pure).close()

    assert ("1e-6", "sqrt", Guarantee(10**12, DELTA)) == (promise.delta, promise.parameters["method"], promise.guarantee)
    assert head.startswith(GAUSSIAN)
    assert not head.startswith(BANNER)
    assert pure.read_bytes().startswith(BANNER)
    assert "delta" not in json.loads(pure.read_bytes().split(b"\n")[1])


@pytest.mark.parametrize("changes", [{"delta": "1e-5"}, {"delta": None}, {"scale": 1.0}, {"epsilon": "2.0"}])
def test_an_edited_head_is_refused(place, changes):
    """With a digest that fits it: less noise than was charged for is never drawn."""

    start(place).close()
    head = replace(promise_of(place["state"]), **changes).head()
    with place["state"].open("r+b") as file:
        file.write(head)

    with pytest.raises((RunFailed, LedgerError)):
        sv.stream.count(**place)


def test_another_delta_is_refused_with_what_the_file_has(place):
    """The state file belongs to the stream that it was opened for."""
    start(place).close()

    with pytest.raises(CallError, match="delta 1e-6, not 1e-5"):
        start(place, delta="1e-5")


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"method": "sqrt", "delta": None}, "method=sqrt adds Gaussian noise, which needs δ"),
        ({"delta": "0"}, "delta = 0"),
        ({"delta": "1e-6", "length": 2**24 + 1}, "at most 16,777,216 answers"),
    ],
)
def test_what_cannot_be_promised_is_refused_before_it_costs(place, asked, complaint):
    """No account, no state file."""
    with pytest.raises(CallError, match=complaint):
        start(place, **asked)
    assert [] == Ledger(place["home"]).accounts()
    assert not place["state"].exists()


def test_windows_and_trends_take_delta_too(place):
    """Their own methods, with Gaussian noise: a window of W events has the noise of √W."""
    window = sv.stream.lis(length=900, window=100, method="window", epsilon=1, delta="1e-6", seed=1)
    blocks = sv.stream.count(window=168, epsilon=1, delta="1e-6", seed=1)

    assert window.promise.scale == pytest.approx(10 * 4.5309, rel=1e-4)
    assert "blocks" == blocks.promise.parameters["method"]
    assert 1 == window.feed_many([1])[0].position


def test_a_forked_child_cannot_use_the_noise(place):
    """As for every stream: a draw belongs to one process."""
    with start(place) as stream:
        stream.feed(1)
        number = os.fork()
        if not number:
            try:
                stream.feed(0)
            except Exception:
                os._exit(0)
            os._exit(1)
        assert 0 == os.waitpid(number, 0)[1]
