"""The wall's questions: their laws, their charges, their sensitivities by enumeration, and refusals before any draw."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from seqveil.engines.protocol import Tally
from seqveil.errors import BudgetExceeded, CallError, SeqveilError
from seqveil.tables.units import Record, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import LengthQuantile, Lengths
from seqveil.wall.questions.size import Size
from seqveil.wall.run import open_wall
from seqveil.wall.wall import Wall
from strategies import ChosenNoise, databases, table_of_codes

P_THRESHOLD = 1e-6
RECORDS = [[0], [0, 1], [1, 1], [0, 1, 1, 0, 1]]


class Running:
    """A test series: how many records have a length of at most 1, 2, …; every count moves by m, all up."""

    name = "running lengths"

    def __init__(self, monotone: bool = True) -> None:
        self.monotone = monotone

    def slots(self, domain_size):
        return 4

    def influence(self, unit):
        return 4 * unit.sequences

    def step(self, unit):
        return unit.sequences

    def tally(self, table, unit):
        counts = np.array([(table.flat.lengths <= most).sum() for most in range(1, 5)], np.int64)
        return Tally.of(counts, heaviest=4)


def wall_of(noise, records=RECORDS, unit=None, epsilon=GRAINS, users=None) -> Wall:
    return open_wall(table_of_codes(records, 2, users), unit or Record(), epsilon, noise)


QUESTIONS = {  # name: (ask with ε, scales it may draw with, for one record and ε = 1/2)
    "ask": (lambda w, e: w.ask(Lengths(3), e), {2.0}),
    "ask_above": (lambda w, e: w.ask_above(Lengths(3), e, 1), {2.0}),
    "size": (lambda w, e: w.size(e), {2.0}),
    "first_above, monotone": (lambda w, e: w.first_above(Running(), e, 2), {4.0}),
    "first_above": (lambda w, e: w.first_above(Running(monotone=False), e, 2), {4.0, 8.0}),
    "choose": (lambda w, e: w.choose(LengthQuantile(3, Fraction(1, 2)), e), set()),
    "quantile": (lambda w, e: w.quantile(LengthQuantile(3, Fraction(1, 2)), e), set()),
    "tree": (lambda w, e: w.tree(Grams(2), e), set()),
    "parts": (lambda w, e: w.parts(3, e), set()),
}
every_question = pytest.mark.parametrize("name", QUESTIONS)


@every_question
@pytest.mark.parametrize("sequences", [1, 3])
def test_a_question_draws_with_the_scale_it_pays_for(name, sequences):
    """Δ/ε for counts, 2Δ/ε and 4Δ/ε for the sparse vector; a user with three records makes it three times as much."""
    ask, scales = QUESTIONS[name]
    noise = ChosenNoise([0])
    ask(wall_of(noise, unit=User(max_sequences=sequences)), GRAINS // 2)

    assert {sequences * s for s in scales} == {scale for _, scale, _ in noise.scales}


@every_question
def test_a_question_is_charged_exactly(name):
    """What is charged is what was said, it is listed under its stage, and the budget ends exactly at zero."""
    ask, _ = QUESTIONS[name]
    wall = wall_of(NoNoise(), epsilon=10)
    with wall.stage("first"):
        ask(wall, 3)
    ask(wall, 7)

    assert 0 == wall.remaining
    assert [("first", 3), 7] == [wall.stages[0][::2], wall.stages[1][2]]
    with pytest.raises(BudgetExceeded, match="is left"):
        ask(wall, 1)


BAD = [0, -1, GRAINS + 1, 2**70, 0.5, float("nan"), float("inf"), None, "1"]


@every_question
@pytest.mark.parametrize("amount", BAD, ids=str)
def test_too_much_too_little_and_nonsense_are_refused_before_any_draw(name, amount):
    """Zero, negative, too much, floats, NaN: nothing is charged, nothing drawn, the table is not touched."""
    ask, _ = QUESTIONS[name]

    class Untouchable:
        domain = table_of_codes([], 2).domain

        def __getattr__(self, name):
            raise AssertionError(f"raw data was touched: {name}")

    noise = ChosenNoise([0])
    wall = Wall(Untouchable(), Record(), GRAINS, noise)
    with pytest.raises((SeqveilError, TypeError)):
        ask(wall, amount)

    assert ([], GRAINS, []) == (noise.scales, wall.remaining, wall.stages)


@given(databases(2, 6, 6))
def test_without_noise_the_answers_are_exact(records):
    """Sizes and lengths as plain Python counts them; long records count as the longest length."""
    lengths = [len(r) for r in records]

    assert len(records) == wall_of(NoNoise(), records).size(1)
    expected = [sum(min(n, 3) == k for n in lengths) for k in (1, 2, 3)]
    assert expected == wall_of(NoNoise(), records).ask(Lengths(3), 1).tolist()
    rank, noisy = wall_of(NoNoise(), records).ask_above(Lengths(3), 1, 2)
    assert {k: c for k, c in enumerate(expected) if c >= 2} == dict(zip(rank.tolist(), noisy.tolist(), strict=True))
    running = [sum(n <= k for n in lengths) for k in (1, 2, 3, 4)]
    first = wall_of(NoNoise(), records).first_above(Running(), 1, 2)
    assert next((k for k, c in enumerate(running) if c >= 2), None) == first


SHARES = [Fraction(1, 2), Fraction(85, 100), Fraction(1, 10)]


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("m", [1, 2])
def test_quantile_sensitivity_by_enumeration(share, m):
    """Whatever lengths there are and are added, no score moves by more than the claim; some move by exactly that."""
    question, unit = LengthQuantile(4, share), User(max_sequences=m)
    scores = lambda lengths: question.scores(table_of_codes([[0] * n for n in lengths], 1), unit)  # noqa: E731
    moves = []
    for size in range(5 - m):
        for data in product(range(6), repeat=size):
            before = scores(data)
            moves += [np.abs(scores(data + more) - before).max() for more in product(range(6), repeat=m)]

    assert max(moves) == question.sensitivity(unit)


def test_the_enumeration_notices_a_sensitivity_without_the_larger_side():
    """Claiming 1 − share alone (0.15 for the 85 % quantile) is refuted by a long record."""
    share = Fraction(85, 100)
    scores = [LengthQuantile(2, share).scores(table_of_codes([[0, 0]] * n, 1), Record()) for n in (3, 4)]

    assert np.abs(scores[1] - scores[0]).max() > share.denominator - share.numerator


@pytest.mark.parametrize("question", [Lengths(3), Size()], ids=lambda q: q.name)
def test_count_sensitivity_by_enumeration(question):
    """One user's two records move a count question by exactly its claim in L1, at most."""
    unit = User(max_sequences=2)
    dense = lambda lengths: wall_of(NoNoise(), [[0] * n for n in lengths]).ask(question, 1)  # noqa: E731
    kinds = list(product(range(5), repeat=2))
    moves = [np.abs(dense(data + more) - dense(data)).sum() for data in kinds for more in kinds]

    assert max(moves) == question.influence(unit)


def chosen_p(wall_epsilon: Fraction, drawn_with: Fraction, times: int = 3_000) -> float:
    """Draws of the 50 % quantile against exp(ε·score/2Δ)."""
    question = LengthQuantile(4, Fraction(1, 2))
    scores = question.scores(table_of_codes(RECORDS, 2), Record())
    weights = np.exp(float(wall_epsilon) * scores / (2 * question.sensitivity(Record())))
    wall = wall_of(SeededNoise(21), epsilon=10**18)
    counts = np.bincount([wall.quantile(question, int(drawn_with * GRAINS)) - 1 for _ in range(times)], minlength=4)
    return float(stats.chisquare(counts, times * weights / weights.sum()).pvalue)


@pytest.mark.slow
def test_the_quantile_has_the_law_of_the_exponential_mechanism():
    """Candidates come out with probability ∝ exp(ε·score/2Δ), and a rate that lacks the 2 is noticed."""
    assert chosen_p(Fraction(2), Fraction(2)) > P_THRESHOLD
    assert chosen_p(Fraction(2), Fraction(4)) < P_THRESHOLD


GRID = np.arange(-120, 121)


def laplace_on_grid(scale: float):
    weights = np.exp(-np.abs(GRID) / scale)
    return weights / weights.sum()


@cache
def log_law(counts: tuple[int, ...], threshold_scale: float, count_scale: float):
    """Log-probabilities of the first answer above 0, and of none, summed over the threshold's noise."""
    noise, before, out = laplace_on_grid(count_scale), laplace_on_grid(threshold_scale), []
    for count in counts:
        below = np.array([noise[count + GRID < limit].sum() for limit in GRID])
        out.append((before * (1 - below)).sum())
        before = before * below
    return np.log([*out, before.sum()])


def above_p(law_epsilon: float, drawn_with: int, monotone: bool, times: int = 3_000) -> float:
    """First answers above a threshold against their law."""
    theta = 3
    law = np.exp(log_law((1 - theta, 0, 0, 0), 2 / law_epsilon, (2 if monotone else 4) / law_epsilon))
    wall = wall_of(SeededNoise(22), epsilon=10**18)
    answers = [wall.first_above(Running(monotone), drawn_with, theta) for _ in range(times)]
    counts = np.bincount([4 if a is None else a for a in answers], minlength=5)
    return float(stats.chisquare(counts, times * law / law.sum()).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("monotone", [True, False])
def test_first_above_has_the_law_of_the_sparse_vector(monotone):
    """Noise 2Δ/ε on the threshold and 2Δ/ε or 4Δ/ε on the counts; taking one for the other is noticed."""
    assert above_p(1.0, GRAINS, monotone) > P_THRESHOLD
    assert above_p(2.0, GRAINS, monotone) < P_THRESHOLD


def worst_loss(threshold_scale: float, count_scale: float, steps: tuple[int, ...]) -> float:
    """The largest log-ratio between series of three counts and neighbours whose counts move by `steps`."""
    law = lambda counts: log_law(counts, threshold_scale, count_scale)  # noqa: E731
    pairs = product(product((-2, 0, 1), repeat=3), product(steps, repeat=3))
    return max(np.abs(law(c) - law(tuple(x + m for x, m in zip(c, move, strict=True)))).max() for c, move in pairs)


@pytest.mark.slow
def test_first_above_loses_at_most_epsilon():
    """Exact losses at ε = 1: the noise that is drawn keeps them within ε, half of it or the wrong kind does not."""
    assert worst_loss(2.0, 2.0, steps=(0, 1)) <= 1
    assert worst_loss(2.0, 4.0, steps=(-1, 0, 1)) <= 1
    assert worst_loss(1.0, 1.0, steps=(0, 1)) > 1
    assert worst_loss(2.0, 2.0, steps=(-1, 0, 1)) > 1


def test_parts_divide_the_records_and_cost_once():
    """Every record lies in one part, every part has the whole ε of the question, together they cost it once."""
    wall = wall_of(SeededNoise(23), [[0]] * 1_000, epsilon=10)
    parts = wall.parts(4, 6)

    assert [6] * 4 == [part.epsilon for part in parts]
    assert 4 == wall.remaining
    sizes = [part._Wall__table.flat for part in parts]
    assert 1_000 == sum(map(len, sizes))
    assert stats.chisquare([len(s) for s in sizes]).pvalue > P_THRESHOLD
    with pytest.raises(BudgetExceeded):
        parts[0].size(7)
    with pytest.raises(CallError, match="at least 1 part"):
        wall.parts(0, 1)


@pytest.mark.slow
def test_parts_are_independent_of_each_other():
    """Where one record falls says nothing about another: all joint outcomes of three records are equally likely."""
    noise = SeededNoise(24)
    seen = np.zeros((2, 2, 2))
    for _ in range(2_000):
        zero = wall_of(noise, [[0], [0, 0], [0, 0, 0]]).parts(2, 1)[0]
        lengths = zero._Wall__table.flat.lengths.tolist()
        seen[tuple(int(n in lengths) for n in (1, 2, 3))] += 1

    assert stats.chisquare(seen.ravel()).pvalue > P_THRESHOLD


def test_parts_keep_a_user_together():
    """All records of one user fall into the same part."""
    users = [0, 1, 2] * 30
    wall = wall_of(SeededNoise(25), [[0]] * 90, User(max_sequences=30), users=users)
    owners = [set(part._Wall__table.users.tolist()) for part in wall.parts(2, 1)]

    assert {0, 1, 2} == owners[0] | owners[1]
    assert set() == owners[0] & owners[1]


def test_parts_of_an_empty_table():
    """No records, or no users: the parts are there and empty."""
    for users in (None, []):
        assert [0, 0] == [part.size(1) for part in wall_of(NoNoise(), [], users=users).parts(2, 1)]
