"""Single labels: each table is denoised against the others, and never against its own noise."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from seqveil.models.records.explain import explained
from seqveil.publish.records import RecordModel, labels
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.labels import Part, fit_labels
from seqveil.publish.records.shares import Shares
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall

LABELS = 2000
RANDOM = np.random.default_rng(11)


def asked(truth: np.ndarray, scale: float) -> Noisy:
    return Noisy(np.rint(truth + RANDOM.laplace(0, scale, len(truth))).astype(np.int64), scale)


def part(low: int, high: int, first: np.ndarray, last: np.ndarray, label: np.ndarray) -> Part:
    lengths = np.zeros((high - low + 1, 2))
    lengths[-1, 0] = first.sum()
    none = np.zeros(0)
    shares = Shares(0.02, 0.04, 0.3, (0.6,))
    return Part(
        cast(Any, None), low, high, lengths, shares, asked(first, 50), asked(last, 50), asked(label, high / 0.3), none, none, none
    )


def distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum() / 2 / b.sum())


def spread(total: float) -> np.ndarray:
    weights = RANDOM.pareto(0.8, LABELS) * (RANDOM.random(LABELS) < 0.2)
    return np.asarray(weights * (total / weights.sum()))


def test_last_labels_are_learnt_from_the_labels_of_their_records() -> None:
    """Last labels like all labels, told with so much noise that few of them stand out: labels say where the others lie."""
    label = spread(300_000)
    first = spread(30_000)
    one = part(6, 10, first, label / 10, label)

    fit_labels([one], LABELS)

    assert distance(one.fitted_last, label / 10) < 0.15
    assert distance(one.fitted_first, first) > distance(one.fitted_last, label / 10)


def test_no_table_has_a_part_in_its_own_prediction(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels, whose table says most, are predicted by nothing; first labels by them; last labels by both; none comes twice."""
    seen: list[int] = []

    def watched(answer: np.ndarray, scale: float, total: float, tables: list[np.ndarray]) -> np.ndarray:
        seen.append(sum(table.sum() > 0 for table in tables))
        return explained(answer, scale, total, tables)

    monkeypatch.setattr(labels, "explained", watched)

    fit_labels([part(6, 10, spread(30_000), spread(30_000), spread(300_000))], LABELS)

    assert seen == [0, 1, 2]


def test_what_was_not_given_stays_below_the_threshold_and_sums_up() -> None:
    answer, label = np.zeros(100_000, np.int64), np.zeros(100_000)
    answer[:3] = 900, 700, 500
    label[:6] = 900, 700, 500, 90, 60, 30

    out = labels._completed(answer, 400, 2400.0, [label])

    assert out[:3].tolist() == [900, 700, 500]
    assert out[3:6] == pytest.approx([150, 100, 50])
    assert out.sum() == pytest.approx(2400)
    assert (labels._completed(answer, 400, 5000.0, [label])[3:] < 400.1).all()
    assert labels._completed(answer, 400, 1000.0, [label]).sum() == pytest.approx(1000)


def test_a_long_list_of_labels_is_never_written_down() -> None:
    """60,000 labels, forty of them in use: noise is drawn for far fewer slots than one per label and table."""
    size = 60_000
    draws: list[int] = []

    class Watched(SeededNoise):
        def laplace(self, scale: Any, number: int) -> Any:
            draws.append(number)
            return super().laplace(scale, number)

    domain = Domain.of([f"p{k}" for k in range(size)], public_because="made up")
    records = Flat.of(RANDOM.integers(0, 40, n).tolist() for n in RANDOM.integers(1, 6, 8_000))
    wall = Wall(SequenceTable(domain, records, None), Record(), 10**12, Watched(1))

    release = RecordModel().run(wall)

    assert sum(draws) < 4 * size
    drawn = release.synthetic
    assert len(drawn) == pytest.approx(8_000, rel=0.05)
    assert (drawn.items < 40).mean() > 0.8
    firsts = release.firsts
    given = firsts.counted.measured
    assert (firsts.counted.count[~given] < 1000).all()
