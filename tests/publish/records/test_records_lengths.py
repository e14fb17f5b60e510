"""Lengths learn from the sums of the tables of single labels: each by its variance, and before anything is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seqveil.models.records.denoise import denoised
from seqveil.publish.records import RecordModel, sizes
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.labels import ask_labels, fit_sizes
from seqveil.publish.records.shares import Shares, bounds
from seqveil.publish.records.sizes import Sum, informed, measure_sizes, number_of
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall

L_MAX, NUMBER = 4, 2000


class WrongLengths(NoNoise):
    """Everything is exact but the lengths, in which long records seem to be more than they are, and short ones fewer."""

    def laplace(self, scale: Any, size: int) -> np.ndarray:
        if size != 2 * L_MAX:
            return super().laplace(scale, size)
        return np.repeat(np.rint(6 * float(scale.value) * np.linspace(-1, 1, L_MAX)), 2).astype(np.int64)


def test_the_items_that_labels_count_correct_the_lengths() -> None:
    random = np.random.default_rng(4)
    records = Flat.of(random.integers(0, 2, n).tolist() for n in random.integers(1, L_MAX + 1, NUMBER))
    domain = Domain.of(["a", "b"], public_because="made up")
    wall = Wall(SequenceTable(domain, records, None), Record(), 10**12, WrongLengths())

    drawn = RecordModel(l_max=L_MAX, n_max=1).run(wall).synthetic

    assert len(drawn) == pytest.approx(NUMBER, rel=0.02)
    assert drawn.lengths.mean() == pytest.approx(records.lengths.mean(), rel=0.025)  # by lengths alone 6 % too long


def test_the_variance_of_a_sum_is_that_of_the_noise_of_all_its_cells() -> None:
    """By simulation: the number of cells counts, and a Laplace law of scale b has the variance 2 b²."""
    cells, scale = 40, 3.0
    draws = np.random.default_rng(1).laplace(0, scale, (4000, cells)).sum(axis=1)

    variance = Sum.of(Noisy(np.zeros(cells, np.int64), scale), np.ones(2)).variance

    assert variance == pytest.approx(draws.var(), rel=0.1)


def test_the_answer_of_a_sum_is_the_sum_of_its_table() -> None:
    one = Sum.of(Noisy(np.array([5, -2, 7]), 1.0), np.array([1.0, 2.0]))

    assert one.answer == 10
    assert one.weights.tolist() == [1, 2]


@pytest.mark.parametrize(("variance", "items"), [(1e-6, 260.0), (1e9, 200.0)])
def test_lengths_follow_a_sum_as_far_as_it_is_precise(variance: float, items: float) -> None:
    """A hundred records of one or three items, as likely as not: they had 200 items, and a sum says 260."""
    lengths, loose = np.array([[0.0, 50.0], [0.0, 0.0], [40.0, 10.0]]), np.array([[0.0, 30.0], [0.0, 0.0], [24.0, 6.0]])

    out = informed(lengths, loose, [Sum(np.array([1.0, 2.0, 3.0]), 260.0, variance)])

    assert out.sum() == pytest.approx(100)
    assert (out.sum(axis=1) * [1, 2, 3]).sum() == pytest.approx(items, abs=0.1)
    assert out[1].tolist() == [0, 0]


def test_no_length_becomes_negative_where_sums_ask_for_the_impossible() -> None:
    out = informed(np.array([[0.0, 50.0], [3.0, 0.0]]), np.ones((2, 2)), [Sum(np.array([1.0, 2.0]), 500.0, 1.0)])

    assert (out >= 0).all()
    assert out.sum() == pytest.approx(53)


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=4)])
def test_the_signal_is_the_number_of_records_in_scales_of_a_user(unit: Unit) -> None:
    """From it follow the shares of everything else: a user of four records needs four times as many of them."""
    table = SequenceTable(Domain.of(["a", "b"], public_because="made up"), Flat.of([[0, 1]] * 600), np.arange(600) // 4)

    signal = measure_sizes(Wall(table, unit, 5 * 10**11, NoNoise()), 3).signal

    assert signal == pytest.approx(600 * 0.5 / unit.sequences)


def test_no_length_has_a_part_in_its_own_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours predict it; its own noise would confirm itself."""
    seen: list[np.ndarray] = []

    def watched(answer: Any, predicted: Any, *given: Any, **more: Any) -> Any:
        seen.append(predicted)
        return denoised(answer, predicted, *given, **more)

    monkeypatch.setattr(sizes, "denoised", watched)
    answer = np.zeros(14, np.int64)
    answer[6] = 600  # open records of four items
    sizes.fit_lengths(Noisy(answer, 1.0), 600.0)

    assert np.append(0.0, seen[0]).reshape(7, 2)[:, 0].tolist() == [0, 100, 200, 0, 200, 100, 0]


class WrongNumber(NoNoise):
    """Everything is exact but the number of records, which seems to be six scales larger than it is."""

    def laplace(self, scale: Any, size: int) -> np.ndarray:
        return super().laplace(scale, size) + int(size == 1) * int(6 * float(scale.value))


def test_tables_of_short_records_correct_their_number() -> None:
    """Their stratum has all of ε. By the number of records and lengths alone there would be 555 too many."""
    domain = Domain.of(["a", "b", "c"], public_because="made up")
    table = SequenceTable(domain, Flat.of([[0]] * 30_000), None)

    drawn = RecordModel(l_max=6).run(Wall(table, Record(), 10**12, WrongNumber())).synthetic

    assert len(drawn) == pytest.approx(30_000, abs=150)
    assert drawn.lengths.mean() == pytest.approx(1, abs=0.01)


def test_the_number_of_records_has_no_bias_and_the_least_variance() -> None:
    """Records of one to six items, of which only some lengths occur; what clips lengths at zero counts too many."""
    random, truth, scale = np.random.default_rng(2), np.array([0, 500, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0]), 40.0
    weights = np.array([1.0, 0, 0, 0, 0, 0])
    numbers = []
    for _ in range(2000):
        cells = truth + np.rint(random.laplace(0, scale, 12)).astype(np.int64)
        ones, every = 500 + random.normal(0, 5.0), 700 + random.normal(0, 100.0)
        numbers.append(number_of(Noisy(cells, scale), [Sum(weights, ones, 25.0), Sum(np.ones(6), every, 100.0**2)]))

    least = (1 / (1 / (25.0 + 10 * 2 * scale**2) + 1 / 100.0**2)) ** 0.5  # one cell is replaced by what says more
    assert np.mean(numbers) == pytest.approx(700, abs=4 * least / 2000**0.5)
    assert np.std(numbers) == pytest.approx(least, rel=0.06)


def test_an_l_max_far_above_all_lengths_does_not_make_records_longer() -> None:
    """Records of three to seven items, room for 200: noise on the lengths between must not be taken for long records."""
    random, labels, l_max = np.random.default_rng(5), 10, 200
    records = Flat.of(random.integers(0, labels, n).tolist() for n in random.integers(3, 8, 20_000))
    table = SequenceTable(Domain.range(0, labels - 1, public_because="made up"), records, None)
    means = []
    for seed in range(6):
        wall = Wall(table, Record(), 10**12, SeededNoise(seed))
        wall.cut(l_max, "first")
        size = measure_sizes(wall, l_max)
        tops = bounds(l_max, size.signal)
        parts = [
            ask_labels(inside, below + 1, high, Shares.of(size.signal, labels, high, 4))
            for below, high, inside in zip([0, *tops], tops, wall.strata(tops, wall.remaining), strict=False)
        ]
        fit_sizes(parts, size)
        means.append(sum(part.items for part in parts) / sum(part.records for part in parts))

    assert np.mean(means) == pytest.approx(records.lengths.mean(), rel=0.1)  # 18 % if weak lengths do not move together
