"""No record vanishes between the lengths that are released and the records that are drawn, whatever the noise says."""

from __future__ import annotations

from itertools import product
from typing import Any, cast

import numpy as np
import pytest

from seqveil.publish.records import RecordModel, labels
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.labels import Part
from seqveil.publish.records.measuring import _shares
from seqveil.publish.records.shares import Shares
from seqveil.release.model import RecordRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall

FEW = 10
"""Symbols that a model of few labels tells apart here, so that there are other ones without hundreds of labels."""


class Unlucky(SeededNoise):
    """Draws that no seed would find: all far below zero or above it, every second one, or with heavy tails."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.random = np.random.default_rng(seed)

    def laplace(self, scale: Any, size: int) -> Any:
        usual = super().laplace(scale, size).astype(np.float64)
        far = float(scale.value) * self.random.choice([1.0, 10.0, 100.0])
        odd = np.where(np.arange(size) % 2, far, -far)
        tails = far * np.clip(self.random.standard_cauchy(size), -1e4, 1e4)
        chosen = [usual, -np.abs(usual) - far, np.abs(usual) + far, odd, tails][self.random.integers(5)]
        return np.rint(chosen).astype(np.int64)


def published(number: int, size: int, epsilon: float, noise: SeededNoise, **given: Any) -> tuple[RecordRelease, Wall]:
    random = np.random.default_rng(number)
    records = Flat.of(random.integers(0, size, random.integers(1, 12)).tolist() for _ in range(number))
    domain = Domain.of([f"l{k}" for k in range(size)], public_because="made up")
    wall = Wall(SequenceTable(domain, records, None), Record(), round(epsilon * 10**12), noise)
    return RecordModel(**given).run(wall), wall


@pytest.mark.parametrize("unlucky", [False, True], ids=["laplace", "unlucky"])
@pytest.mark.parametrize(("size", "seed"), [*product([1, 2, 5, FEW + 10], range(4)), (70, 0), (70, 2)])
def test_as_many_records_of_every_length_are_drawn_as_are_released(
    size: int, seed: int, unlucky: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the model does not tell all labels apart."""
    for bound in ("MOST_SYMBOLS", "MOST_SURE", "MOST_IN_PAIRS"):
        monkeypatch.setattr(labels, bound, FEW if size < 70 else 256)
    noise = Unlucky(seed) if unlucky else SeededNoise(seed)
    l_max = [3, 4, 8, 8][seed]
    release, wall = published(40, size, [0.5, 0.05, 0.01, 1000.0][seed], noise, l_max=l_max, n_max=3)

    wanted = release.length_counts.count
    drawn = np.bincount(release.synthetic.lengths, minlength=l_max + 1)[1:]
    assert wall.remaining == 0
    assert wall.used <= wall.epsilon
    assert np.isfinite(wanted).all()
    if wanted.sum() < 10**6:  # else only a share is drawn
        assert drawn.sum() == pytest.approx(wanted.sum(), abs=3)
        assert np.abs(drawn - wanted).max() <= 5
    for table in (release.grams, release.firsts, release.lasts, release.trips):
        assert np.isfinite(table.counted.count).all()
        assert (table.counted.count >= 0).all()


def one_part(answer: list[int], lengths: list[list[float]], fitted: list[float] | None = None) -> Part:
    table, none = Noisy(np.array(answer), 10.0), np.array(fitted or [])
    shares = Shares.of(1000.0, len(answer), 5, 2)
    return Part(cast(Any, None), 4, 5, np.array(lengths), shares, table, table, table, none, none, none)


def test_a_stratum_keeps_its_records_where_all_its_labels_are_settled_to_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables keep their sums; one of which nothing would be left stays as it is."""
    parts = [one_part([50, 0, 0], [[20.0, 20.0], [10.0, 0.0]]), one_part([0, 0, -40], [[5.0, 5.0], [0.0, 0.0]])]
    pool = np.array([[[40.0, 10.0, 0.0], [0.0, 0.0, 10.0]]] * 3)
    monkeypatch.setattr(labels.totals, "settled", lambda *_: np.array([60.0, 5.0, 0.0]))

    labels._settle(parts, pool)

    assert pool[:, 0].sum(axis=1) == pytest.approx([50.0] * 3)
    assert (pool[:, 0, 1] < 10).all()
    assert pool[:, 1].tolist() == [[0.0, 0.0, 10.0]] * 3


@pytest.mark.parametrize("closed", [0.0, 12.0, 30.0, 40.0, 100.0])
def test_released_lengths_are_those_of_as_many_open_and_closed_records_as_are_drawn(closed: float) -> None:
    one = one_part([0, 0], [[10.0, 20.0], [60.0, 10.0]])

    open_, back = _shares(one, closed)

    assert open_ == pytest.approx([0, 0, 0, 1 / 7, 6 / 7])
    assert back == pytest.approx([0, 0, 0, 2 / 3, 1 / 3])
    assert one.lengths == pytest.approx(np.stack([(100 - closed) * open_[3:], closed * back[3:]], axis=1))
    assert one.records == pytest.approx(100)
    if closed == 30:
        assert one.lengths == pytest.approx(np.array([[10.0, 20.0], [60.0, 10.0]]))


def test_records_of_a_kind_that_lengths_do_not_know_have_the_lengths_of_all() -> None:
    one = one_part([0, 0], [[10.0, 0.0], [30.0, 0.0]])

    assert _shares(one, 4.0)[1] == pytest.approx([0, 0, 0, 0.25, 0.75])
    assert one.lengths == pytest.approx(np.array([[9.0, 1.0], [27.0, 3.0]]))
