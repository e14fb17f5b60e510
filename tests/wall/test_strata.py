"""Strata: all of them together cost ε, for records and for users who have sequences in several of them."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import chain, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil.wall
from seqveil.errors import BudgetExceeded, CallError, RunFailed
from seqveil.tables.units import Edge, Record, Unit, User
from seqveil.wall.budget import GRAINS
from seqveil.wall.clip import stratified
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.questions.alphabet import Alphabet
from seqveil.wall.questions.closed import ClosedLengths
from seqveil.wall.questions.ends import Firsts, Lasts, Trips
from seqveil.wall.questions.grams import Grams
from seqveil.wall.questions.lengths import LengthQuantile, Lengths
from seqveil.wall.questions.prefixes import Prefixes
from seqveil.wall.questions.size import Size
from seqveil.wall.questions.windows import Labels, Windows
from seqveil.wall.run import open_wall
from strategies import databases, table_of_codes

BOUNDS = (1, 2, 4)
EVERY = [r for n in range(6) for r in product(range(2), repeat=n)]
DATA = [(0, 1, 0), (1,), (), (0, 0), (1, 0, 1, 1, 0)]
WORDS = Alphabet.identity(2)
CONTEXTS = {d: np.array(list(product(range(2), repeat=d)), np.int32) for d in (1, 2, 3)}


def opened(records=tuple(DATA), unit=None, users=None, noise=None, epsilon=GRAINS):
    return open_wall(table_of_codes(records, 2, users), unit or Record(), epsilon, noise or NoNoise())


def questions(high):
    """Everything that is asked in a stratum whose longest record has `high` items."""
    asked = [Size(), Lengths(high), ClosedLengths(high), Firsts(WORDS), Lasts(WORDS), Trips(WORDS), Labels(high, WORDS)]
    return asked + [Windows(high, contexts, WORDS) for d, contexts in CONTEXTS.items() if high > d]


def dense(question, stratum, unit):
    return question.tally(stratum, unit).dense(question.slots(2))


def losses(joining, unit, influence=lambda question, unit: question.influence(unit)):
    """By stratum, the largest share of what was paid that these records lose to any one question when they join the data.

    Every question of a stratum is paid from the same ε, and shares of it add up to at most 1: the dearest question is the worst.
    """
    without = stratified(table_of_codes(DATA, 2), BOUNDS)
    having = stratified(table_of_codes([*DATA, *joining], 2), BOUNDS)
    worst = []
    for low, high, less, more in zip((0, *BOUNDS), BOUNDS, without, having, strict=False):
        kinds = questions(high)
        shares = [Fraction(int(np.abs(dense(q, more, unit) - dense(q, less, unit)).sum()), influence(q, unit)) for q in kinds]
        score = LengthQuantile(high, Fraction(85, 100))
        gap = np.abs(score.scores(more, unit) - score.scores(less, unit)).max()
        shares.append(Fraction(int(gap), score.sensitivity(unit)))
        for kind in (Grams(high), Prefixes()):
            roots = [int(kind.open(table, unit).count(np.zeros(1, np.int64))[0]) for table in (less, more)]
            shares.append(Fraction(roots[1] - roots[0], influence(kind, unit)))
        assert low < high
        worst.append(max(shares))
    return worst


def test_a_record_loses_in_one_stratum_at_most():
    """Every record over 2 labels, longer than the last bound too: what it loses in all strata together is at most ε."""
    for record in EVERY:
        lost = losses([record], Record())
        assert sum(lost) == (1 if record else 0)
        assert len([share for share in lost if share]) == (1 if record else 0)


def users_with(m: int) -> list[tuple[tuple[int, ...], ...]]:
    """Users with at most m records, by the lengths and ends that matter: two records of every length and the longest."""
    some = [r for n in range(6) for r in [(0,) * n, ((0, 1) * 3)[:n]]]
    return [who for k in range(1, m + 1) for who in combinations_with_replacement(dict.fromkeys(some), k)]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_user_loses_at_most_epsilon_in_all_strata_together(m):
    """Σ over strata of (L1 change) / (m · bound) is at most 1, however the sequences lie, and reaches 1."""
    totals = [sum(losses(who, User(max_sequences=m))) for who in users_with(m)]

    assert max(totals) == 1


def test_sensitivity_without_m_would_cost_a_user_more():
    """The enumeration notices strata that are calibrated to one sequence: two of them in two strata lose 2ε."""
    calibrated_to_one = [sum(losses(who, User(max_sequences=2), lambda q, unit: q.influence(Record()))) for who in users_with(2)]

    assert max(calibrated_to_one) == 2


def test_strata_by_the_longest_record_of_all_would_be_too_dear_only():
    """With the sensitivity of the last bound everywhere the loss is smaller: the small bounds are what strata gain."""
    loss = losses([(1,)], Record(), lambda q, unit: max(q.influence(unit), BOUNDS[-1]))

    assert max(loss) == Fraction(1, BOUNDS[-1])


def stated(question: object) -> list[object]:
    """What a question states about units: how far one moves it."""
    return [bound for name in ("influence", "sensitivity", "step") if (bound := getattr(question, name, None)) is not None]


EXAMPLES = [
    *questions(4),
    Grams(4),
    Prefixes(),
    LengthQuantile(4, Fraction(1, 2)),
    seqveil.wall.AllItemsets(),
    seqveil.wall.Fingerprints(((0,), (0, 1)), 3),
    seqveil.wall.KthSupport(2, 3),
    seqveil.wall.LengthSupport(2, 1, 100),
    seqveil.wall.LongestSupports(3, 1, 100),
    seqveil.wall.ShrunkSupports(np.array([[0]]), 2),
    seqveil.wall.TruncatedSupports(np.array([[0]]), 2),
    seqveil.wall.Supports(np.array([[0]])),
]


@pytest.mark.parametrize("question", EXAMPLES, ids=lambda q: type(q).__name__)
def test_every_bound_is_linear_in_the_sequences(question):
    """The proof needs it: m sequences are stated to move m times as much as one."""
    assert stated(question)
    for bound in stated(question):
        assert [m * bound(Record()) for m in (1, 2, 7)] == [bound(User(max_sequences=m)) for m in (1, 2, 7)]


class CappedPerUser(Size):
    """A question that claims to move by 1 whatever a user owns; true of one table, and false of several strata together."""

    def influence(self, unit: Unit) -> int:
        return 1


def test_a_bound_that_is_not_linear_is_refused_in_strata():
    """And in parts of strata; on the whole table it may stand."""
    wall = opened([(0,), (0, 1)], User(max_sequences=2), [1, 1])
    stratum = wall.strata(BOUNDS, GRAINS // 2)[0]

    for within in (stratum, *stratum.parts(2, GRAINS // 4), *stratum.strata([1], GRAINS // 8)):
        with pytest.raises(CallError, match="cannot be asked in strata"):
            within.ask(CappedPerUser(), 1)
    with pytest.raises(CallError, match="cannot be asked in strata"):
        stratum.ask_above(CappedPerUser(), 1, 5)
    assert GRAINS // 2 == wall.remaining


def test_strata_hold_what_they_should():
    """Cut to the last bound; records without items are in none, and each wall has the whole ε."""
    walls = opened().strata(BOUNDS, GRAINS // 2)

    assert [1, 1, 2] == [wall.size(GRAINS // 4) for wall in walls]
    assert [GRAINS // 4] * 3 == [wall.remaining for wall in walls]
    assert [0, 0, 1, 1] == walls[2].ask(Lengths(4), 1).tolist()
    assert [1, 0, 0, 1] == walls[2].ask(Trips(WORDS), 1).tolist()


def test_strata_cost_their_maximum():
    """Charged at once, used as far as the dearest of them was; the bill lists them."""
    wall = opened()
    first, second, _ = wall.strata(BOUNDS, GRAINS // 2)
    first.size(GRAINS // 8)
    second.size(GRAINS // 4)
    [stage] = wall.bill

    assert GRAINS // 2 == wall.remaining
    assert ("0.5", "0.25", "maximum of parts", "3 strata") == (stage.epsilon, stage.used, stage.rule, stage.kind)
    assert ("0.125", "0.25", "0.0") == stage.parts
    with pytest.raises(BudgetExceeded):
        second.size(GRAINS // 2)


def test_closed_strata_answer_nothing():
    """With the wall that opened them, strata and what they opened end."""
    wall = opened()
    stratum = wall.strata(BOUNDS, GRAINS)[1]
    (inner,) = stratum.parts(1, GRAINS // 4)
    used = wall.used
    wall.close()

    assert (0, 0) == (stratum.remaining, inner.remaining)
    assert used == wall.used
    for closed in (stratum, inner):
        with pytest.raises(BudgetExceeded):
            closed.ask(Firsts(WORDS), 1)


@pytest.mark.parametrize("bounds", [[], [0, 2], [2, 2], [3, 2], [1.5], ["a"], [-1]])
def test_bounds_that_do_not_rise_are_refused_before_anything_is_paid(bounds):
    """From public parameters alone."""
    wall = opened()
    with pytest.raises(CallError, match="must be whole numbers that rise"):
        wall.strata(bounds, GRAINS)
    assert GRAINS == wall.remaining


def test_what_cannot_be_paid_is_refused_before_anything_is_looked_at():
    """As for every question."""
    wall = opened()
    for epsilon in (0, -1, GRAINS + 1):
        with pytest.raises(BudgetExceeded):
            wall.strata(BOUNDS, epsilon)
    assert [] == wall.bill


def test_units_that_own_no_records_have_no_strata():
    """Edges have no length."""
    graph = seqveil.graph_of([("a", "b")], seqveil.Domain.of(["a", "b"]), order_is_public=True)
    with pytest.raises(CallError, match="strata protect a record or a user"):
        open_wall(graph, Edge(), GRAINS, NoNoise()).strata([1], GRAINS)


def test_a_forked_child_draws_no_noise_for_a_stratum():
    """It belongs to the process that opened it, as every wall: its noise does not follow."""
    from seqveil.wall.noise import SecureNoise

    (stratum,) = opened(noise=SecureNoise()).strata([4], GRAINS)
    if not (child := os.fork()):
        try:
            stratum.ask(Firsts(WORDS), 1)
        except RunFailed:
            os._exit(7)
        os._exit(1)

    assert 7 == os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert 2 == len(stratum.ask(Firsts(WORDS), 1))


@given(
    records=databases(2, 8, 9),
    bounds=st.sets(st.integers(1, 9), min_size=1, max_size=4).map(sorted),
    m=st.integers(1, 3),
    data=st.data(),
)
def test_the_real_engine_is_never_stopped_in_strata(records, bounds, m, data):
    """Whatever the records: a failed check would be a way to tell data apart."""
    owners = data.draw(st.lists(st.integers(0, 3), min_size=len(records), max_size=len(records)))
    for unit, users in ((Record(), None), (User(max_sequences=m), owners)):
        walls = opened(records, unit, users, SeededNoise(1)).strata(bounds, GRAINS)
        for wall, high in zip(walls, bounds, strict=True):
            for question in chain(questions(high)):
                wall.ask(question, 1)
            wall.tree(Grams(high), GRAINS // 4).expand([0], GRAINS // 8, 0.0)
            wall.parts(2, 1)
