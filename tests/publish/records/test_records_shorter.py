"""What longer records learn from shorter ones: a pool of counts, and the ends of records of two items."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from seqveil.models.records.alphabet import Strong
from seqveil.models.records.ends import Ends
from seqveil.publish.records import RecordModel, mechanism
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.labels import Part, fit_labels
from seqveil.publish.records.measuring import Measured, Pool, _label_totals, measure_stratum
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.wall import Wall

RECORDS = [[0], [1, 2], [0, 1, 2, 1], [2, 2, 0, 1, 1, 0, 2, 1]] * 500


def published() -> None:
    table = SequenceTable(Domain.of(["a", "b", "c"], public_because="made up"), Flat.of(RECORDS))
    RecordModel(l_max=8, n_max=2).run(Wall(table, Record(), 10**13, NoNoise()))


def test_every_stratum_adds_its_labels_pairs_and_trips_to_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of one item have no pairs, and their labels are their ends."""
    seen: list[tuple[float, float, float]] = []

    def watched(part: Part, strong: Strong, pool: Pool) -> Measured:
        out = measure_stratum(part, strong, pool)
        seen.append((float(pool.labels.sum()), float(pool.pairs.sum()), float(pool.trips.sum())))
        return out

    monkeypatch.setattr(mechanism, "measure_stratum", watched)
    published()

    wanted = [(500, 0, 0), (1500, 500, 500), (3500, 2000, 1000), (7500, 5500, 1500)]
    assert len(seen) == len(wanted)
    for now, then in zip(seen, wanted, strict=True):
        assert now == pytest.approx(then, rel=0.01, abs=5)


def test_a_label_that_shorter_records_do_not_have_gets_less_of_what_noise_leaves_open() -> None:
    """Label 2 was counted 40 times, with noise of 60: shorter records say that this is chance, or that it is not."""
    trips = np.diag([50.0, 40.0, 10.0])
    part: Any = SimpleNamespace(
        label=Noisy(np.array([260, 200, 40]), 60.0), fitted_label=np.array([260.0, 200.0, 40.0]), items=500.0, records=100.0
    )
    pairs = Noisy(np.array([100, 100, 10, 100, 60, 10, 10, 10, 0]), 60.0)
    whole = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    counts = []
    for labels in ([500.0, 400.0, 0.0], [300.0, 200.0, 400.0]):
        pool = Pool(np.zeros((3, 3)), np.zeros((3, 3)), np.array(labels))
        counts.append(_label_totals(part, Strong(3, np.arange(3)), pairs, Ends(trips, whole, whole, None), pool)[2])

    assert counts[0] < counts[1] - 10


def test_ends_of_records_of_two_items_that_were_measured_again_explain_longer_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of single labels are fitted once more: those of strata that are done stay as they are."""
    calls: list[tuple[int, list[bool]]] = []

    def watched(parts: list[Part], labels: int, settled: int = 0) -> None:
        before = [part.fitted_first for part in parts]
        fit_labels(parts, labels, settled)
        calls.append((settled, [np.array_equal(a, part.fitted_first) for a, part in zip(before, parts, strict=True)]))

    monkeypatch.setattr(mechanism, "fit_labels", watched)
    published()

    assert [settled for settled, _ in calls] == [0, 2]
    assert calls[1][1][:2] == [True, True]
