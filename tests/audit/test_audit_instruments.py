"""The instruments themselves: laws, books, tapes, bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seqveil.audit.account import dearest_path, overspent
from seqveil.audit.adversary import TEMPERS, Adversary
from seqveil.audit.bound import best_event, clopper_pearson, empirical, lower_bound
from seqveil.audit.faults import forked
from seqveil.audit.laws import Arranged, FirstAbove, Plain, Scored, Slots, log_tail
from seqveil.audit.noise_tests import chi_square, laplace_mass
from seqveil.audit.replay import record, replay
from seqveil.audit.subjects import subjects
from seqveil.audit.tape import Ask, Recorder, plain
from seqveil.kinds.sequences import SequenceWorld
from seqveil.tables.units import Record
from seqveil.wall.noise import Scale, SecureNoise, SeededNoise, Sigma
from seqveil.wall.sparse import Survivors

ONE = 10**12
EXAMPLES = settings.default.max_examples // 10


@given(st.integers(-30, 30), st.floats(0.3, 20))
def test_the_tail_of_the_law_is_the_sum_of_its_masses(threshold: int, scale: float) -> None:
    """log P(X ≥ t) agrees with adding up the probabilities one by one."""
    mass = laplace_mass(scale)
    summed = math.fsum(mass(x) for x in range(threshold, threshold + math.ceil(60 * scale) + 60))

    assert math.exp(log_tail(threshold, Scale(scale))) == pytest.approx(summed, rel=1e-9)


def test_the_law_of_slots_adds_up_to_one() -> None:
    """Over everything that can be told of one slot, the loss averages to what two laws that both sum to 1 allow."""
    here, there = Slots({(0, 0): 3}, Scale(1.5), 2), Slots({(0, 0): 4}, Scale(1.5), 2)
    mass, nobody = laplace_mass(1.5), Survivors(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    answers = [Survivors(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([y])) for y in range(2, 90)]
    chances = [mass(int(answer.noisy[0]) - 4) for answer in answers] + [1 - math.exp(log_tail(2 - 4, Scale(1.5)))]

    total = math.fsum(p * math.exp(here.loss(there, a)) for p, a in zip(chances, [*answers, nobody], strict=True))
    assert total == pytest.approx(1.0)


def test_one_unit_moves_one_slot_by_its_scale() -> None:
    """A count told above both truths loses exactly 1/scale per unit of change."""
    answer = Survivors(np.zeros(1, np.int64), np.zeros(1, np.int64), np.array([50]))

    assert 2 / 4.0 == Slots({(0, 0): 7}, Scale(4.0), 0).loss(Slots({(0, 0): 5}, Scale(4.0), 0), answer)
    assert 2 == Slots({(0, 0): 7}, Scale(4.0), 0).moved(Slots({(0, 0): 5}, Scale(4.0), 0))


def test_the_law_of_the_first_above_is_a_law() -> None:
    """The chances of every possible answer sum to 1, and agree with simulation."""
    law = FirstAbove(np.array([1, 4, 2]), 3, 2.0, 3.0)
    chances = [math.exp(law.log(answer)) for answer in (0, 1, 2, None)]
    total = math.fsum(chances)
    noise, runs = SeededNoise(1), 40_000
    limit = 3 + noise.laplace(Scale(2.0), runs)
    above = np.array([1, 4, 2]) + noise.laplace(Scale(3.0), 3 * runs).reshape(runs, 3) >= limit[:, None]
    first = np.where(above.any(1), above.argmax(1), 3)

    # weights of the noisy threshold are left unnormalised in `log`: the same constant for every answer
    assert chances[1] / total == pytest.approx(np.mean(first == 1), abs=0.01)
    assert chances[3] / total == pytest.approx(np.mean(first == 3), abs=0.01)


def test_choices_and_arrangements_are_laws() -> None:
    """Their chances sum to 1 over all answers."""
    scored = Scored(np.array([0, 3, 1]), Fraction(1, 2))
    arranged = Arranged(frozenset({0, 3}), 4, 2, Fraction(2))
    sets = [np.array([a, b]) for a in range(4) for b in range(a + 1, 4)]

    assert 1.0 == pytest.approx(sum(math.exp(scored.log(i)) for i in range(3)))
    assert 1.0 == pytest.approx(sum(math.exp(arranged.log(s)) for s in sets))
    assert 0.5 == pytest.approx(Plain(np.array([1]), [Scale(2.0)]).loss(Plain(np.array([0]), [Scale(2.0)]), np.array([9])))


@pytest.mark.parametrize("order", [2, 8, 32])
@pytest.mark.parametrize("threshold", [None, 2])
def test_gaussian_counts_lose_rho_times_the_order_and_no_more(order: int, threshold: int | None) -> None:
    """Rényi divergences add up to α·S²/(2σ²), exactly where all is released, and to less where a threshold hides something."""
    sigma = Sigma.of(square=5, grains=ONE // 4)
    here, there = Slots({(0, 0): 3, (0, 1): 1}, sigma, threshold), Slots({(0, 0): 5}, sigma, threshold)
    rho = 5 / (2 * sigma.square)

    assert rho == 0.25
    assert here.losses(there).renyi(order) <= order * rho * (1 + 1e-9)
    assert (here.losses(there).renyi(order) == pytest.approx(order * rho, rel=1e-9)) == (threshold is None)
    assert Plain(np.array([3, 1]), [sigma] * 2).losses(Plain(np.array([5, 0]), [sigma] * 2)).renyi(order) == pytest.approx(
        order * rho
    )


def test_delta_is_what_the_normal_law_says_and_nothing_beyond_a_pure_epsilon() -> None:
    """δ(ε) of a wide Gaussian answer against its closed form, of a Laplace answer 0 from ε on, of a choice within its range."""
    wide = Slots({(0, 0): 100}, Sigma(10_000.0), None).losses(Slots({}, Sigma(10_000.0), None))
    normal = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    for epsilon in (0.1, 1.0, 3.0):
        truth = normal(0.5 - epsilon) - math.exp(epsilon) * normal(-0.5 - epsilon)
        assert wide.delta(epsilon) == pytest.approx(truth, rel=1e-2)
    pure = Plain(np.array([4]), [Scale(2.0)]).losses(Plain(np.array([3]), [Scale(2.0)]))
    chosen = Scored(np.array([0, 3]), Fraction(1, 2)).losses(Scored(np.array([1, 2]), Fraction(1, 2)))

    assert pure.delta(0.5) == pytest.approx(0, abs=1e-12)
    assert pure.delta(0.49) > 1e-4
    assert chosen.delta(1.0) == 0 < chosen.delta(0.1)


def _ask(payer: int, method: str, nodes: list[int], paid: list[int], children: list[int], parents: list[int]) -> Ask:
    offspring = (np.array(children, np.int64), np.array(parents, np.int64))
    return Ask(payer, method, None, np.array(nodes, np.int64), np.array(paid, np.int64), offspring)


def test_the_second_book_adds_up_paths() -> None:
    """Charges add along a path and not across; what was not told hangs below a child of its own."""
    asks = [
        _ask(1, "expand", [0], [4], [1, 2], [0, 0]),
        _ask(1, "expand", [1], [5], [3], [1]),
        _ask(1, "expand_rest", [0], [6], [4], [0]),
        _ask(1, "expand", [4], [2], [], []),
    ]

    assert 9 == dearest_path(asks[:2])
    assert 12 == dearest_path(asks)


def test_the_second_book_notices_a_wall_and_a_tree_that_overspend() -> None:
    """Both kinds of payers are held to what they were given."""
    opened = Ask(0, "tree", None, np.zeros(0, np.int64), np.array([10]), None, (1,))
    tape = Recorder(asks=[opened, _ask(1, "expand", [0], [11], [], [])], budgets={0: 9, 1: 10})

    assert 2 == len(overspent(tape))


@pytest.mark.parametrize(("hits", "runs"), [(0, 50), (3, 50), (50, 50)])
def test_clopper_pearson_covers(hits: int, runs: int) -> None:
    """The bounds hold the estimate, and exclude what the binomial makes too unlikely."""
    low, high = clopper_pearson(hits, runs, 0.025)

    assert low <= hits / runs <= high
    assert (low == 0) == (hits == 0)
    assert (high == 1) == (hits == runs)


def test_the_statistical_bound_finds_a_leak_and_no_more_than_there_is() -> None:
    """A bit that is right with odds of e is seen as ε below 1; one that is always right is seen as far above it."""

    def fair(having: bool, seed: int) -> dict[str, float]:
        random = np.random.default_rng([seed, having])
        return {"bit": float(having if random.random() < math.e / (1 + math.e) else not having)}

    shown, sure, event = empirical(fair, 4000)
    assert event is not None
    assert 0.7 < shown < 1.0
    assert sure < shown

    _, leaking, _ = empirical(lambda having, seed: {"bit": float(having), "noise": float(seed % 7)}, 200)
    assert leaking > 1.5


def test_no_event_is_made_of_nothing() -> None:
    """Two heaps of the same runs show nothing."""
    same = [{"x": float(i % 5)} for i in range(40)]

    assert best_event(same, same) is None
    assert 0.0 == lower_bound(0, 0, 50)


def test_chi_square_has_power() -> None:
    """It accepts the law and rejects one that is 20 % off."""
    drawn = SeededNoise(3).laplace(Scale(4.0), 20_000)

    assert chi_square(drawn, laplace_mass(4.0), -50, 50) > 1e-4
    assert chi_square(drawn, laplace_mass(4.8), -50, 50) < 1e-9


@pytest.mark.parametrize("temper", TEMPERS)
@settings(max_examples=EXAMPLES)
@given(st.integers(0, 2**31))
@example(4)
def test_books_are_right_under_any_luck(temper: str, seed: int) -> None:
    """Whatever the noise, no path of the N-gram tree costs more than ε, and a neighbour hears the same."""
    subject = subjects("ngram")[0]
    world = SequenceWorld()
    base = world.bases()[1]
    here, there = world.table(base, Record()), world.table([*base, world.worst(Record())[seed % 5]], Record())

    tape, heard = record(subject.mechanism, here, Record(), ONE, Adversary(temper, seed))  # type: ignore[arg-type]
    outcome = replay(tape, heard, subject.mechanism, there, Record(), ONE)

    assert heard.error is None
    assert [] == overspent(tape) + tape.faults
    assert () == outcome.differences
    assert abs(outcome.loss) <= 1 + 1e-9


def test_public_things_compare_by_value() -> None:
    """Arrays, dataclasses and nested lists compare by what they hold, not by where they are."""
    assert plain(Scale(1.0)) == plain(Scale(1.0))
    assert plain([np.array([1]), {"a": (2,)}]) == plain([np.array([1]), {"a": (2,)}])
    assert plain(np.array([1])) != plain(np.array([2]))


def test_forked_processes_draw_different_noise(tmp_path: Path) -> None:
    """A process that was forked after the sampler had been used must not repeat what its sibling draws."""
    pages = []
    SecureNoise().laplace(Scale(1e6), 10)
    for number in range(2):
        paper = tmp_path / str(number)
        assert 0 == forked(lambda: print(SecureNoise().laplace(Scale(1e6), 8)) or 0, paper=paper)
        pages.append(paper.read_text(encoding="utf-8"))

    assert pages[0] != pages[1]
