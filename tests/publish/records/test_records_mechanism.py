"""The record model from question to release: exact where it can be, whole records, and every odd input."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.publish.records import RecordModel, room
from seqveil.publish.records.shares import Shares, bounds, part
from seqveil.release.lines import lines_to
from seqveil.release.model import RecordRelease
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.noise.protocol import Noise
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall

GRAINS = 10**12


def run(
    records: list[list[int]] | Flat,
    labels: int,
    epsilon: float = 1.0,
    noise: Noise | None = None,
    unit: Unit | None = None,
    **given: object,
) -> tuple[RecordRelease, Wall]:
    domain = Domain.of([f"l{i}" for i in range(labels)], public_because="made up")
    flat = records if isinstance(records, Flat) else Flat.of(records)
    owners = np.arange(len(flat)) // 2 if isinstance(unit, User) else None
    wall = Wall(SequenceTable(domain, flat, owners), unit or Record(), round(epsilon * GRAINS), noise or SeededNoise(7))
    return RecordModel(**given).run(wall), wall  # type: ignore[arg-type]


def chain(number: int, labels: int, seed: int) -> list[list[int]]:
    """Records of a Markov chain with an end."""
    random = np.random.default_rng(seed)
    step = np.cumsum(random.dirichlet(np.full(labels, 0.5), labels), axis=1).tolist()
    records = []
    for _ in range(number):
        record = [int(random.integers(labels))]
        while len(record) < 8 and random.random() < 0.7:
            record.append(min(bisect(step[record[-1]], random.random()), labels - 1))
        records.append(record)
    return records


def pairs(records: list[list[int]] | Flat) -> Counter[tuple[int, int]]:
    return Counter((int(a), int(b)) for r in records for a, b in pairwise(r))


def test_without_noise_an_order_one_chain_comes_back() -> None:
    records = chain(8000, 4, seed=1)

    release, _ = run(records, 4, epsilon=1000.0, noise=NoNoise(), l_max=8)

    drawn = release.synthetic
    assert len(drawn) == len(records)
    assert np.bincount(drawn.lengths).tolist() == pytest.approx(np.bincount([len(r) for r in records]), abs=3)
    truth, got = pairs(records), pairs(drawn)
    assert sum(abs(truth[k] - got[k]) for k in truth | got) < 0.01 * sum(truth.values())
    for name, place in (("firsts", 0), ("lasts", -1)):
        table = getattr(release, name)
        true = Counter(r[place] for r in records)
        assert {table.sequence(k)[0]: round(table.counted.count[k]) for k in range(len(table))} == true
    assert release.count(["l0", "l1"]).value == pytest.approx(truth[0, 1], abs=2)


def test_with_noise_records_have_the_shape_of_the_data() -> None:
    records = chain(20_000, 6, seed=2)

    release, _ = run(records, 6, l_max=8)

    drawn = release.synthetic
    assert len(drawn) == pytest.approx(len(records), rel=0.02)
    lengths = [np.bincount(n, minlength=9) / len(n) for n in ([len(r) for r in records], drawn.lengths)]
    assert np.abs(lengths[0] - lengths[1]).sum() / 2 < 0.05
    ends = [Counter((int(r[0]), int(r[-1])) for r in rs) for rs in (records, drawn)]
    assert sum(abs(ends[0][k] - ends[1][k]) for k in ends[0] | ends[1]) / 2 / len(records) < 0.05


def test_strong_grams_stay_as_precise_as_their_noisy_answer() -> None:
    records = chain(20_000, 6, seed=3)
    own, raw = [], []
    for seed in range(2):
        release, _ = run(records, 6, noise=SeededNoise(seed), l_max=8)
        grams = release.grams
        truth = Counter(tuple(r[k : k + 3]) for r in records for k in range(len(r) - 2))
        for gram, count in truth.most_common(30):
            row = grams.find(gram)
            assert row is not None
            assert grams.counted.measured[row]
            own.append(abs(grams.counted.count[row] - count))
            raw.append(abs(grams.counted.noisy[row] - count))

    assert np.mean(own) <= 1.1 * np.mean(raw)


def test_the_same_answers_give_the_same_records() -> None:
    one, two = (run(chain(500, 4, seed=4), 4)[0].synthetic for _ in range(2))

    assert one.items.tolist() == two.items.tolist()
    assert one.offsets.tolist() == two.offsets.tolist()


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=2)])
@pytest.mark.parametrize("epsilon", [0.01, 100.0])
def test_all_of_epsilon_is_spent_and_no_grain_more(unit: Unit, epsilon: float) -> None:
    _, wall = run(chain(300, 4, seed=5), 4, epsilon, unit=unit)

    assert wall.remaining == 0
    assert wall.used <= wall.epsilon


ODD: dict[str, tuple[list[list[int]], int, dict[str, object]]] = {
    "no records": ([], 3, {}),
    "no items": ([[]] * 20, 3, {}),
    "one label": ([[0, 0, 0], [0]] * 20, 1, {}),
    "records of one item": (chain(200, 3, 6), 3, {"l_max": 1}),
    "records of two items": (chain(200, 3, 6), 3, {"l_max": 2}),
    "records of three items": (chain(200, 3, 6), 3, {"l_max": 3}),
    "labels only": (chain(200, 3, 6), 3, {"n_max": 1}),
    "pairs only": (chain(200, 3, 6), 3, {"n_max": 2}),
    "longest grams": (chain(200, 3, 6), 3, {"n_max": 7}),
    "a chosen length": (chain(200, 3, 6), 3, {"l_max": "auto"}),
    "long records": ([[0, 1, 2] * 30] * 30, 3, {"l_max": 90}),
    "many labels": (chain(200, 20, 7), 600, {"n_max": 3}),
}


@pytest.mark.parametrize("epsilon", [0.0001, 1.0, 1000.0])
@pytest.mark.parametrize("name", ODD)
def test_odd_inputs_are_published(name: str, epsilon: float) -> None:
    records, labels, given = ODD[name]

    release, _ = run(records, labels, epsilon, **given)

    drawn = release.synthetic
    assert (drawn.lengths > 0).all()
    assert (drawn.lengths <= release.l_max).all()
    assert not len(drawn.items) or (drawn.items.min() >= 0 and drawn.items.max() < labels)


class AllNegative(NoNoise):
    """Answers far below zero: what a very unlucky draw of noise would give."""

    def laplace(self, scale: object, size: int) -> np.ndarray:
        return np.full(size, -(10**6), np.int64)


@pytest.mark.parametrize("labels", [3, 400])
def test_answers_below_zero_are_survived(labels: int) -> None:
    release, _ = run(chain(100, 3, 8), labels, noise=AllNegative())

    assert len(release.synthetic) == 0


def test_a_large_domain_keeps_its_strong_labels_apart() -> None:
    records = chain(8000, 5, seed=9)
    rare = [[int(x), int(y)] for x, y in np.random.default_rng(1).integers(5, 3000, (2000, 2))]

    release, _ = run(records + rare, 3000, l_max=8)

    truth, drawn = Counter(x for r in records for x in r), Counter(release.synthetic.items.tolist())
    for label in range(5):
        assert drawn[label] == pytest.approx(truth[label], rel=0.15)
    assert len(release.synthetic) == pytest.approx(10_000, rel=0.02)


@pytest.mark.parametrize(("labels", "high", "depth"), [(17, 20, 3), (17, 3, 3), (17, 5, 1), (300, 20, 3), (5, 4, 6), (9, 2, 3)])
@pytest.mark.parametrize("signal", [1.0, 3e4, 1e7])
def test_shares_add_up_to_one(labels: int, high: int, depth: int, signal: float) -> None:
    shares = Shares.of(signal, labels, high, depth)

    assert 2 * shares.ends + shares.trips + shares.labels + sum(shares.levels) == pytest.approx(1)
    assert len(shares.levels) <= max(high - 1, 0)


def test_strata_end_with_the_longest_record() -> None:
    assert bounds(20, 1e6) == [1, 2, 3, 5, 20]
    assert bounds(1, 1e6) == [1]
    assert bounds(2, 10.0) == [1, 2]
    assert part(7, 0.5) == 3
    assert part(1, 0.001) == 1


def test_parameters_out_of_range_are_refused() -> None:
    for given in ({"l_max": 0}, {"l_max": 2000}, {"n_max": 0}, {"n_max": 8}, {"l_most": 0}):
        with pytest.raises(CallError):
            RecordModel(**given)  # type: ignore[arg-type]


def test_the_plan_spends_what_it_is_given() -> None:
    domain = Domain.of(["a", "b"], public_because="made up")
    for model in (RecordModel(), RecordModel(l_max="auto")):
        plan = model.plan(GRAINS, domain, Record(), records=1000)
        assert sum(stage[1] for stage in plan.stages) == GRAINS


def test_it_is_a_public_name() -> None:
    assert sv.RecordModel().name == "record-model"


@pytest.mark.parametrize("width", [1, 300])
def test_what_noise_alone_asks_for_fits_into_a_release(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With very little ε there seem to be trillions of records. A release that nobody can read would have cost ε for nothing."""
    monkeypatch.setattr(room, "MOST_ITEMS", 20_000)
    monkeypatch.setattr(room, "MOST_UNPACKED", 400_000)
    domain = Domain.of(["x" * width, "y" * width], public_because="made up")
    drawn = []
    for seed in range(4):
        wall = Wall(SequenceTable(domain, Flat.of([[0, 1]])), Record(), GRAINS // 10**4, SeededNoise(seed))
        drawn.append(RecordModel(l_max=8).run(wall).synthetic)

    assert max(len(records.items) for records in drawn) > 50
    assert all(len(records.items) <= 20_000 and len(lines_to(domain, records)) <= 400_000 for records in drawn)
