"""A wall that is charged in zCDP: which noise an amount of ρ buys, what adds up, and what strata divide."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations_with_replacement

import numpy as np
import pytest
from scipy import stats

import seqveil as sv
from seqveil.errors import BudgetExceeded, CallError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import stratified
from seqveil.wall.noise import Scale, SeededNoise, Sigma
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.ends import Trips
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import LengthQuantile, Lengths
from seqveil.wall.questions.longest import LongestSupports
from seqveil.wall.questions.protocol import square_of
from seqveil.wall.questions.size import Size
from seqveil.wall.questions.supports import Supports
from seqveil.wall.questions.triangles import Triangles
from seqveil.wall.questions.windows import Labels, Windows
from seqveil.wall.wall import Wall
from strategies import table_of_codes

RECORDS = [(0,), (0, 1), (1, 1), (0, 1, 1, 0, 1)]
WORDS = Alphabet.identity(2)
ONE = np.array([[0], [1]], np.int32)


class Told(NoNoise):
    """No noise, and a list of what was asked for."""

    def __init__(self):
        self.asked = []

    def laplace(self, scale, size):
        self.asked.append((scale, size))
        return super().laplace(scale, size)

    def gaussian(self, sigma, size):
        self.asked.append((sigma, size))
        return super().gaussian(sigma, size)

    def exponential(self, scores, rate):
        self.asked.append((rate, len(scores)))
        return super().exponential(scores, rate)


def wall_of(noise=None, unit=None, amount=GRAINS, users=None, measure="zcdp", records=RECORDS):
    return Wall(table_of_codes(records, 2, users), unit or Record(), amount, noise or NoNoise(), measure=measure)


LAWS = [  # question, unit, S²
    (Size(), Record(), 1),
    (Size(), User(max_sequences=3), 9),
    (Lengths(4), User(max_sequences=3), 9),
    (Trips(WORDS), User(max_sequences=2), 4),
    (Labels(4, WORDS), Record(), 16),
    (Labels(4, WORDS, cap=1), Record(), 4),
    (Labels(4, WORDS, cap=1), User(max_sequences=3), 12),
    (Windows(4, ONE, WORDS, cap=2), User(max_sequences=2), 12),
    (Supports(ONE.astype(np.int64)), User(max_sequences=2), 8),
    (Grams(4), Record(), 16),
    (Grams(4, most=1), Record(), 4),
    (Grams(4, most=2), User(max_sequences=3), 24),
]


@pytest.mark.parametrize(("question", "unit", "square"), LAWS, ids=str)
def test_an_amount_buys_noise_for_the_squared_sensitivity(question, unit, square):
    """σ² = S²/(2ρ), as stated beforehand, and as drawn; the pure wall says the scale that it always had."""
    noise = Told()
    wall, amount = wall_of(noise, unit, users=[1, 2, 3, 4] if isinstance(unit, User) else None), GRAINS // 4
    stated = wall.law(question, amount)
    if hasattr(question, "open"):
        wall.tree(question, amount).expand([0], amount)
    else:
        wall.ask(question, amount)

    assert stated == Sigma.of(square, amount) == Sigma(2.0 * square)
    assert {law for law, size in noise.asked if size} == {stated}
    pure = wall_of(unit=unit, users=[1, 2, 3, 4] if isinstance(unit, User) else None, measure="pure")
    assert pure.law(question, amount) == Scale.of(question.influence(unit), amount)
    assert ("zcdp", "pure") == (wall.measure, pure.measure)


def test_what_is_no_count_is_bought_with_pure_epsilon():
    """A choice costs ε²/8, sparse vectors ε²/2: rates are the largest that ρ pays for."""
    noise = Told()
    wall = wall_of(noise, amount=2 * GRAINS)
    wall.quantile(LengthQuantile(4, Fraction(1, 2)), GRAINS // 8)
    wall.first_above(LongestSupports(3, 1, 10), GRAINS // 2, 2)

    assert [(Fraction(1, 2), 4), (Scale(2.0), 1), (Scale(2.0), 3)] == noise.asked
    assert 2 * GRAINS - GRAINS // 8 - GRAINS // 2 == wall.remaining


def test_a_ladder_is_bought_with_pure_epsilon():
    """ε²/2, as every mechanism of pure ε that has no bounded range to show for itself."""

    class Steep(NoNoise):
        def ladder(self, widths, scale):
            assert scale == Scale(2.0)
            return 0

    graph = sv.graph_of([("a", "b"), ("b", "c"), ("a", "c")], sv.Domain.of(["a", "b", "c"]), order_is_public=True)
    wall = Wall(graph, Edge(), GRAINS, Steep(), measure="zcdp")

    assert wall.ask_ladder(Triangles(), GRAINS // 2) == 1
    assert wall.remaining == GRAINS // 2


def test_answers_follow_the_discrete_gaussian():
    """A thousand labels, none of which occurs: squared answers are as large as σ² says; a tenth more or less is noticed."""
    wall = Wall(table_of_codes([], 2000), Record(), 100 * GRAINS, SeededNoise(5), measure="zcdp")
    question = Labels(9, Alphabet.identity(2000), cap=1)
    law, total = wall.law(question, GRAINS // 50), 0.0
    for _ in range(10):
        total += float((wall.ask(question, GRAINS // 50).astype(np.float64) ** 2).sum())
    low, high = stats.chi2.ppf([1e-6, 1 - 1e-6], 20_000)

    assert law.value == 15.0
    assert low < total / law.variance < high
    assert not low < total / (1.1**2 * law.variance) < high
    assert not low < total / (0.9**2 * law.variance) < high


def test_parts_strata_and_trees_are_charged_in_the_same_measure():
    """Walls within walls know it, and the bill is one of ρ."""
    noise = Told()
    wall = wall_of(noise, User(max_sequences=2), 4 * GRAINS, users=[1, 2, 3, 3])
    part = wall.parts(1, 2 * GRAINS)[0]
    stratum = part.strata([1, 5], GRAINS)[1]
    stratum.ask(Labels(5, WORDS, cap=1), GRAINS // 2)

    assert [part.measure, stratum.measure] == ["zcdp"] * 2
    assert [(Sigma(10.0), 2)] == noise.asked
    assert GRAINS // 2 == stratum.used == part.remaining - GRAINS // 2
    with pytest.raises(BudgetExceeded, match=r"size asks for ρ = 9\.0, but only 2\.0 of 4\.0 is left"):
        wall.size(9 * GRAINS)


@pytest.mark.parametrize("amount", [0, -1, 0.5, float("nan"), GRAINS + 1])
def test_too_much_too_little_and_nonsense_are_refused_before_any_draw(amount):
    noise = Told()
    for ask in (
        lambda wall: wall.size(amount),
        lambda wall: wall.quantile(LengthQuantile(4, Fraction(1, 2)), amount),
        lambda wall: wall.first_above(LongestSupports(3, 1, 10), amount, 2),
        lambda wall: wall.tree(Grams(2), amount),
        lambda wall: wall.parts(2, amount),
    ):
        wall = wall_of(noise)
        with pytest.raises((CallError, BudgetExceeded)):
            ask(wall)
        assert ([], GRAINS, []) == (noise.asked, wall.remaining, wall.stages)


BOUNDS = (1, 2, 4)
SHORT = [r for n in range(6) for r in [(0,) * n, ((0, 1) * 3)[:n]]]


def stratum_questions(high):
    asked = [Size(), Lengths(high), Labels(high, WORDS), Labels(high, WORDS, cap=1), Labels(high, WORDS, cap=2)]
    return asked + ([Windows(high, ONE, WORDS), Windows(high, ONE, WORDS, cap=1)] if high > 1 else [])


def lost(joining, m, square=square_of):
    """By stratum, the largest share of ρ that a user with these records loses to any question there."""
    unit, owners = User(max_sequences=m), [7, 8, 9]
    data = [(0, 1), (1,), (0, 0, 1)]
    less = stratified(table_of_codes(data, 2, owners), BOUNDS)
    more = stratified(table_of_codes([*data, *joining], 2, [*owners, *[1] * len(joining)]), BOUNDS)
    shares = []
    for high, without, having in zip(BOUNDS, less, more, strict=True):
        moves = [
            (q, q.tally(having, unit).dense(q.slots(2)) - q.tally(without, unit).dense(q.slots(2)))
            for q in stratum_questions(high)
        ]
        shares.append(max(Fraction(int((move**2).sum()), square(q, unit)) for q, move in moves))
    return shares


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_user_loses_at_most_rho_in_all_strata_together(m):
    """Σ over strata of S²-shares is at most 1, however the sequences lie, and reaches 1."""
    users = [who for k in range(1, m + 1) for who in combinations_with_replacement(dict.fromkeys(SHORT), k)][:: m * m]
    everywhere = [((0,), (0, 1), (0, 1, 0, 1))[:m], ((0, 1, 0, 1),) * m]

    assert max(sum(lost(who, m)) for who in chain(users, everywhere)) == 1


def test_strata_with_the_noise_of_one_sequence_would_cost_more():
    """The enumeration notices squares that forget m."""
    assert sum(lost(((0,), (0, 1)), 2, lambda q, unit: square_of(q, Record()))) == 2


class Rooted(Labels):
    """A squared bound that grows with the root of the sequences: true of one table, perhaps, but not of strata."""

    def square(self, unit):
        return 100 + unit.sequences


def test_a_squared_bound_that_grows_too_slowly_is_refused_in_strata():
    """Before anything is charged; on the whole table it may stand."""
    wall = wall_of(unit=User(max_sequences=3), users=[1, 2, 3, 3])
    wall.ask(Rooted(4, WORDS), GRAINS // 4)
    stratum = wall.strata([1, 4], GRAINS // 4)[1]

    for ask in (stratum.ask, stratum.law):
        with pytest.raises(CallError, match="cannot be asked in strata: its squared bound"):
            ask(Rooted(4, WORDS), 1)
    assert GRAINS // 4 == stratum.remaining
