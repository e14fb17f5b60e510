"""Labels that the model does not tell apart: records that return to one of them are drawn as such."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from seqveil.models.records.alphabet import Strong
from seqveil.models.records.ends import Ends
from seqveil.models.records.states import States
from seqveil.publish.records import RecordModel, labels
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.measuring import Pool, _closed_other, _label_totals
from seqveil.publish.records.mechanism import _records
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.wall import Wall

LABELS, STRONG = 100, 3


def returning(number: int) -> Flat:
    """Half of the records leave a rare label and return to it after four steps; the others end at another one."""
    random = np.random.default_rng(2)
    rows = []
    for k in range(number):
        home, away = random.choice(np.arange(STRONG, LABELS), 2, replace=False).tolist()
        inner = random.integers(0, STRONG, 2 if k % 4 == 0 else 3).tolist()
        rows.append([home, *inner, home if k % 2 else away])
    return Flat.of(rows)


def closed(records: Flat) -> int:
    """How many records end where they began."""
    return sum(record[0] == record[-1] for record in records)


def test_as_many_records_return_to_a_rare_label_as_in_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "MOST_SYMBOLS", STRONG + 1)
    monkeypatch.setattr(labels, "MOST_SURE", STRONG + 1)
    domain, records = Domain.of([f"l{k}" for k in range(LABELS)], public_because="made up"), returning(2000)
    wall = Wall(SequenceTable(domain, records, None), Record(), 10**14, NoNoise())

    release = RecordModel(l_max=5, n_max=2).run(wall)

    drawn = release.synthetic
    assert closed(drawn) == pytest.approx(closed(records), rel=0.05)  # without looking, 24 of 1,000
    assert np.bincount(drawn.lengths) == pytest.approx(np.bincount(records.lengths), abs=2)
    assert release.length_counts.count == pytest.approx(np.bincount(records.lengths)[1:], abs=2)


@pytest.mark.parametrize(("returned", "weak"), [(20.0, 0.0), (30.0, 0.0), (42.0, 12.0), (70.0, 40.0), (500.0, 40.0)])
def test_what_strong_labels_do_not_explain_returns_to_a_weak_one(returned: float, weak: float) -> None:
    """Thirty records return to strong labels; forty have a weak one at both ends, and no more than these return to it."""
    trips = np.array([[10.0, 3.0, 1.0], [5.0, 20.0, 2.0], [1.0, 1.0, 40.0]])

    assert _closed_other(trips, returned) == pytest.approx(weak)


def test_weak_labels_that_are_only_ends_of_records_are_not_drawn_inside_them() -> None:
    """Of three labels none is told apart: 0 begins and ends every record, 1 stands between."""
    strong = Strong(3, np.zeros(0, np.int64))
    cells = np.zeros((3, 1, 1), np.float32)
    cells[2] = 100.0
    ends = np.array([100.0, 0.0, 0.0])
    part = SimpleNamespace(fitted_first=ends, fitted_last=ends, fitted_label=np.array([200.0, 100.0, 0.0]))
    model = SimpleNamespace(states=States.single(1), weights=np.ones((1, 1)), cells=cells)
    stratum: Any = SimpleNamespace(part=part, model=model, closed_other=100.0)

    assert [record.tolist() for record in _records(stratum, strong, 1.0, Domain.range(1, 3))] == [[0, 1, 0]] * 100


@pytest.mark.parametrize("answer", [10**6, -(10**6)])
def test_however_noisy_other_has_from_none_to_all_of_the_inner_items(answer: int) -> None:
    """A hundred records of four items: 200 items lie inside, whatever sums of pairs say about OTHER."""
    strong, trips = Strong(5, np.array([0])), np.array([[60.0, 20.0], [10.0, 10.0]])
    first, last = trips.sum(axis=1), trips.sum(axis=0)
    pairs = Noisy(np.array([100, 50, 50, answer]), 5.0)
    counts = np.array([200.0, 50.0, 50.0, 50.0, 50.0])
    part: Any = SimpleNamespace(label=Noisy(counts.astype(np.int64), 5.0), fitted_label=counts, items=400.0, records=100.0)
    whole = np.array([0.0, 0.0, 0.0, 1.0])

    label = _label_totals(part, strong, pairs, Ends(trips, whole, whole, whole), Pool.empty(2))

    assert label.sum() == pytest.approx(400)
    assert (label >= first + last - 1e-9).all()
