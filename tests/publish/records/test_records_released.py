"""The tables of a release: behind a count stands the exact count plus noise of the stated scales, summed over all strata."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest

from seqveil.publish.records import RecordModel, asking, labels
from seqveil.publish.records.asking import Noisy
from seqveil.publish.records.tables import _summed
from seqveil.release.model import Counted, RecordRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.noise.protocol import Noise
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall

LABELS, L_MAX, NUMBER = 12, 8, 3000
STEP = np.random.default_rng(8).dirichlet(np.full(LABELS, 0.3), LABELS)


def lopsided() -> list[tuple[int, ...]]:
    """Records of a chain whose first labels, last labels and both directions of a trip are all differently frequent."""
    random = np.random.default_rng(3)
    records = []
    for length in random.integers(1, L_MAX + 1, NUMBER).tolist():
        record = [int(random.integers(0, LABELS) ** 2 // LABELS)]
        while len(record) < length:
            record.append(int(np.searchsorted(np.cumsum(STEP[record[-1]]), random.random() * 0.999)))
        records.append(tuple(record))
    return records


RECORDS = lopsided()


class Table(NamedTuple):
    counted: Counted
    true: np.ndarray


def tables(noise: Noise, epsilon: int, unit: Unit) -> dict[str, Table]:
    """Every table of a release, beside the true counts of its rows."""
    domain = Domain.of([f"l{k}" for k in range(LABELS)], public_because="made up")
    owners = np.arange(NUMBER) // 2 if isinstance(unit, User) else None
    wall = Wall(SequenceTable(domain, Flat.of(RECORDS), owners), unit, epsilon * 10**12, noise)
    release: RecordRelease = RecordModel(l_max=L_MAX, n_max=3).run(wall)
    grams = Counter(r[i : i + n] for r in RECORDS for n in (1, 2, 3) for i in range(len(r) - n + 1))
    counts = {
        "grams": grams,
        "firsts": Counter(r[:1] for r in RECORDS),
        "lasts": Counter(r[-1:] for r in RECORDS),
        "trips": Counter((r[0], r[-1]) for r in RECORDS),
    }
    out = {}
    for name, count in counts.items():
        rows = getattr(release, name)
        out[name] = Table(rows.counted, np.array([count[tuple(rows.sequence(k))] for k in range(len(rows))]))
    lengths = np.bincount([len(r) for r in RECORDS], minlength=L_MAX + 1)[1:]
    return out | {"lengths": Table(release.length_counts, lengths)}


@pytest.fixture(params=[LABELS, 5], ids=["every label told apart", "some labels told apart"])
def symbols(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    for bound in ("MOST_SYMBOLS", "MOST_SURE", "MOST_IN_PAIRS"):
        monkeypatch.setattr(labels, bound, request.param)
    return int(request.param)


def test_without_noise_every_measured_row_is_exact(symbols: int) -> None:
    for name, (counted, true) in tables(NoNoise(), 1000, Record()).items():
        rows = counted.measured
        assert rows.sum() >= min(len(rows), symbols - 1), name
        assert counted.noisy[rows].tolist() == true[rows].tolist(), name
        if symbols == LABELS:
            assert counted.count[rows] == pytest.approx(true[rows], abs=3), name


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=2)], ids=["record", "user"])
def test_noise_has_the_stated_scales(symbols: int, unit: Unit) -> None:
    """In units of the deviation that the scales of a row state, errors of noisy answers are 1 on average over rows and seeds."""
    squares: dict[str, list[float]] = {}
    for seed in range(2):
        for name, (counted, true) in tables(SeededNoise(seed), 20, unit).items():
            for row in np.flatnonzero(counted.measured).tolist():
                variance = sum(2 * scale**2 for scale in counted.scales(row))
                squares.setdefault(name, []).append((counted.noisy[row] - true[row]) ** 2 / (variance + 1 / 6))

    assert {"grams", "firsts", "lasts", "trips", "lengths"} == set(squares)
    for name, some in squares.items():
        assert np.mean(some) == pytest.approx(1, abs=6 * np.sqrt(5 / len(some))), (name, len(some))


def test_what_one_stratum_was_not_asked_about_is_not_measured() -> None:
    """Three grams; one stratum was asked about all of them, another about two, a third about none."""
    grams = np.array([[0, 1], [1, 0], [1, 1]], np.int32)
    every, some = (grams, Noisy(np.array([5, 6, 7]), 2.0)), (grams[1:], Noisy(np.array([10, 20]), 3.0))

    both, with_none = _summed(grams, np.ones(3), [every, some], 2), _summed(grams, np.ones(3), [every, None], 2)

    assert both.measured.tolist() == [False, True, True]
    assert both.noisy.tolist() == [0, 16, 27]
    assert both.scales(1) == (2.0, 3.0)
    assert not with_none.measured.any()


def test_a_length_is_the_sum_of_two_answers_but_that_of_single_items() -> None:
    """Open and closed records were counted apart; a record of one item is closed."""
    counted = tables(SeededNoise(1), 20, Record())["lengths"].counted

    assert [len(counted.scales(row)) for row in range(L_MAX)] == [1] + [2] * (L_MAX - 1)


def test_returns_to_a_label_that_a_long_list_did_not_give_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Label 0 has no record of one item, or too few: a table with a threshold does not say which."""
    monkeypatch.setattr(asking, "MOST_WRITTEN", 2)
    domain = Domain.range(0, 4, public_because="made up")
    records = Flat.of([[0, 1, 0], [1, 1, 1], [1]] * 500)

    trips = RecordModel(l_max=3).run(Wall(SequenceTable(domain, records), Record(), 10**12, NoNoise())).trips

    measured = {trips.sequence(k): bool(trips.measured[k]) for k in range(len(trips))}
    assert measured[0, 0] is False
    assert measured[1, 1] is True
