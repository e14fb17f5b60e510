"""Weighted sums: their coefficients, their exact values, and how far a unit moves them in L2, by enumeration."""

from itertools import combinations, product

import numpy as np
import pytest

from seqveil.engines.local.engine import STREAMS
from seqveil.errors import CallError
from seqveil.tables.units import Event, Run, UserDay
from seqveil.wall.continual import ContinualQuestion, Count, Counts, SquareRoot, Sum
from seqveil.wall.continual.coefficients import BITS, coefficients_of
from seqveil.wall.continual.square_root import MOST_ANSWERS, MOST_TOTAL
from seqveil.wall.measures.guarantee import Guarantee

NULL = np.nan
LENGTHS = [1, 2, 3, 7, 11, 64, 100, 1000, 34_589, 10**6, MOST_ANSWERS]


def columns(steps):
    """The matrix, written out."""
    coefficients = coefficients_of(steps)
    heights = np.repeat(coefficients.weights, np.diff(coefficients.lags))
    lag = np.arange(steps)[:, np.newaxis] - np.arange(steps)
    return np.where(lag >= 0, heights[np.maximum(lag, 0)], 0)


@pytest.mark.parametrize("steps", LENGTHS)
def test_coefficients_fall_and_begin_with_one(steps):
    """The proofs need both: nothing negative, nothing that rises, and a first one that can be divided by."""
    coefficients = coefficients_of(steps)

    assert coefficients.heights[0] == 2**BITS
    assert coefficients.heights == sorted(coefficients.heights, reverse=True)
    assert coefficients.heights[-1] >= 0
    assert (coefficients.edges[0], coefficients.edges[-1]) == (0, steps)
    assert len(coefficients.edges) == len(coefficients.heights) + 1 < 100


def test_coefficients_are_near_the_square_root():
    """Without bins, and without their fall to 0, the matrix times itself would be that of prefix sums."""
    steps = 2000
    root = np.cumprod(np.concatenate([[1.0], 1 - 0.5 / np.arange(1, steps)]))
    assert np.allclose(np.convolve(root, root)[:steps], 1)

    heights = np.repeat(coefficients_of(steps).weights, np.diff(coefficients_of(steps).lags)) / 2**BITS
    fallen = root * np.sqrt(1 - np.arange(steps) / steps)
    assert np.abs(heights[:10] - fallen[:10]).max() < 2**-BITS
    assert np.abs(heights[10:1300] / fallen[10:1300] - 1).max() < 0.13


@pytest.mark.parametrize("steps", [1, 2, 5, 12, 40, 333])
def test_the_norm_of_a_run_is_that_of_its_columns(steps):
    """For every length of a run, longer ones than the stream too."""
    matrix = columns(steps).astype(object)
    for run in {1, 2, 3, 5, 17, steps, steps + 4}:
        assert (matrix[:, :run].sum(axis=1) ** 2).sum() == coefficients_of(steps).square(run)


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("batch", [1, 4, 50])
def test_exact_values_are_the_matrix_times_the_steps(every, batch):
    """Whatever the batches are; with several numbers per step too."""
    events = np.random.default_rng(1).integers(0, 3, 50).astype(float)
    for statistic in (Count("= 1"), Sum("-1", "2", "0.5"), Counts(("0", "1", "2"))):
        root = SquareRoot(50, every)
        kernel = root.exact(statistic, STREAMS)
        numbers = events if isinstance(statistic, Counts) else statistic.numbers(events.tolist())
        released = np.concatenate([kernel.feed(numbers[at : at + batch]) for at in range(0, 50, batch)])
        steps = statistic.steps(numbers)[: root.steps * every].reshape(root.steps, every, -1).sum(axis=1)

        assert (columns(root.steps) @ steps).tolist() == released.reshape(root.steps, -1).tolist()


def moved(question, alphabet, length, places):
    """The largest squared L2 distance between released values of streams that differ at some of these sets of places."""
    events = {s: question.kernel().feed(np.array(s, float)) for s in product(alphabet, repeat=length)}
    keys = {s: tuple("null" if e != e else e for e in s) for s in events}
    released = {keys[s]: values.astype(object) for s, values in events.items()}
    letters = ["null" if e != e else e for e in alphabet]
    worst = 0
    for stream, values in released.items():
        for where in places:
            for others in product(letters, repeat=len(where)):
                other = list(stream)
                for at, letter in zip(where, others, strict=True):
                    other[at] = letter
                worst = max(worst, int(((values - released[tuple(other)]) ** 2).sum()))
    return worst


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize(
    ("statistic", "alphabet"),
    [
        (Count("= 1"), (0.0, 1.0, NULL)),
        (Sum("-1", "2", "0.5"), (-1.0, 2.0, NULL)),
        (Counts(("a", "b")), (0.0, 1.0, NULL)),
    ],
    ids=str,
)
def test_one_event_moves_as_much_as_claimed(statistic, alphabet, every):
    """Over all neighbours of all short streams: never more, and exactly as much, so that nothing less would do."""
    question = ContinualQuestion(statistic, SquareRoot(4, every))

    assert question.square(Event()) == moved(question, alphabet, 4, [(at,) for at in range(4)])


@pytest.mark.parametrize(("every", "run"), [(1, 2), (1, 3), (1, 9), (2, 2), (2, 4), (3, 2)])
def test_a_run_moves_as_much_as_claimed(every, run):
    """All its events the same way; where steps hold several events, several of them in one step."""
    question = ContinualQuestion(Count("= 1"), SquareRoot(6, every), Run(run))
    places = [tuple(range(at, min(at + run, 6))) for at in range(max(1, 7 - run))]

    assert question.square(Run(run)) == moved(question, (0, 1), 6, places)


@pytest.mark.parametrize(("every", "most"), [(1, 2), (1, 3), (2, 2), (2, 3), (3, 4)])
def test_no_events_of_a_users_day_move_more_than_a_run(every, most):
    """Wherever its events lie: of all sets of places the first ones in a row move most."""
    question = ContinualQuestion(Count("= 1"), SquareRoot(6, every), UserDay(most))
    furthest = moved(question, (0, 1), 6, list(combinations(range(6), most)))

    assert furthest <= question.square(UserDay(most))
    if most % every == 0 or most < every:
        assert furthest == question.square(UserDay(most))
    assert furthest > most * ContinualQuestion(Count("= 1"), SquareRoot(6, every)).square(Event())


def test_a_run_of_labels_moves_two_counts():
    """All events of a run leave one count and enter another."""
    question = ContinualQuestion(Counts(("a", "b")), SquareRoot(3), Run(2))

    assert question.square(Run(2)) == moved(question, (0.0, 1.0, NULL), 3, [(0, 1), (1, 2)])


def test_the_width_of_the_noise_is_the_norm_over_rho():
    """σ² = S²/(2ρ), never rounded down."""
    guarantee = Guarantee(10**12, 10**12)
    question = ContinualQuestion(Sum("0", "5"), SquareRoot(1000))
    needed = 25 * coefficients_of(1000).square(1) * 10**12

    assert needed <= 2 * guarantee.amount * question.law(guarantee).exact < needed * (1 + 1e-12)


def test_pure_epsilon_is_refused_with_what_to_type():
    """There is no Laplace noise that would suit these sums."""
    with pytest.raises(CallError, match="needs δ: give delta=1e-6, or use method=blocks"):
        ContinualQuestion(Count(), SquareRoot(9)).law(Guarantee(10**12))


def test_what_would_leave_64_bits_is_refused():
    """Too many answers, and sums that are too large for exact arithmetic."""
    with pytest.raises(CallError, match="gives at most 16,777,216 answers; answer less often, for example every=2"):
        SquareRoot(MOST_ANSWERS + 1)
    assert SquareRoot(MOST_ANSWERS + 1, every=2).steps == MOST_ANSWERS // 2
    fitting = Sum("0", str(MOST_TOTAL // 8))
    SquareRoot(8).exact(fitting, STREAMS).feed(np.full(8, float(MOST_TOTAL)))
    with pytest.raises(CallError, match="coarser resolution"):
        SquareRoot(9).exact(fitting, STREAMS)


def test_the_largest_sums_are_exact():
    """At the limit of what is admitted nothing wraps around."""
    fitting = Sum("0", str(MOST_TOTAL // 8))
    released = SquareRoot(8).exact(fitting, STREAMS).feed(np.full(8, float(MOST_TOTAL // 8)))

    assert [int(row.sum()) * (MOST_TOTAL // 8) for row in columns(8).astype(object)] == released.tolist()
