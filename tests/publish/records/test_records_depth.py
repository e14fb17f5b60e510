"""How deep a stratum is asked, and that nothing is kept back for levels that never come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seqveil.models.records.stratum import SLACK, Stratum, candidates
from seqveil.models.records.totals import settled
from seqveil.publish.records import measuring
from seqveil.publish.records.labels import ask_labels, choose_labels, fit_labels
from seqveil.publish.records.measuring import LEAST_CONTEXT, Measured, Pool, measure_stratum
from seqveil.publish.records.shares import Shares
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, Unit, User
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall


def measured(number: int, unit: Unit) -> tuple[Measured, Wall]:
    """A stratum of so many records of 4 to 6 of three labels; every user has three of them."""
    random = np.random.default_rng(1)
    flat = Flat.of(random.integers(0, 3, 4 + k % 3).tolist() for k in range(number))
    owners = np.arange(number) // 3 if isinstance(unit, User) else None
    table = SequenceTable(Domain.of(["a", "b", "c"], public_because="made up"), flat, owners)
    inside = Wall(table, unit, 10**12, SeededNoise(3)).strata([3, 6], 10**12)[1]
    part = ask_labels(inside, 4, 6, Shares.of(number, 3, 6, 4))
    part.lengths = np.array([[number / 4, number / 12]] * 3)
    fit_labels([part], 3)
    strong = choose_labels([part], 3)
    return measure_stratum(part, strong, Pool.empty(strong.size)), inside


@pytest.mark.parametrize(("number", "levels"), [(60, 1), (1_000, 2), (6_000, 3)])
def test_few_records_get_few_levels_and_all_of_the_budget(number: int, levels: int) -> None:
    stratum, inside = measured(number, Record())

    assert len(stratum.levels) == levels
    assert inside.remaining == 0


@pytest.mark.parametrize(("number", "levels"), [(180, 1), (1_000, 1), (3_000, 2), (6_000, 2)])
def test_users_with_three_records_need_three_times_as_many(number: int, levels: int) -> None:
    """Noise grows with the records of a user, so levels that a thousand records bear are asked for from 3,000 on."""
    stratum, inside = measured(number, User(max_sequences=3))

    assert len(stratum.levels) == levels
    assert inside.remaining == 0


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=3)])
def test_contexts_stand_out_from_the_noise_that_their_children_get(unit: Unit, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is computed before the question is asked; it must be that of the answer's own noise."""
    bounds: list[float] = []

    def watched(model: Stratum, least: float, most: int) -> tuple[np.ndarray, np.ndarray]:
        bounds.append(least)
        return candidates(model, least, most)

    monkeypatch.setattr(measuring, "candidates", watched)
    stratum, _ = measured(6_000, unit)

    noises = [noisy.scale for _, noisy in stratum.levels[1:]]
    assert bounds == pytest.approx([LEAST_CONTEXT * scale for scale in noises])
    assert bounds


def test_a_fit_may_leave_its_targets_by_the_variance_of_their_noise() -> None:
    """By squares of scales: steps of every level, and ends, each by the noise of its own question."""
    stratum, _ = measured(6_000, Record())
    part, model, depth = stratum.part, stratum.model, stratum.model.states.depth

    assert stratum.trips is not None
    assert model.ends.loose == pytest.approx([SLACK * one.scale**2 for one in (part.first, part.last, stratum.trips)])
    for level, (_, noisy) in enumerate(stratum.levels, 1):
        assert model.variance[depth == level] == pytest.approx(SLACK * noisy.scale**2 + 0.5)


@pytest.mark.parametrize("unit", [Record(), User(max_sequences=3)])
def test_the_noise_of_a_level_is_that_of_the_places_it_has_in_the_longest_record(unit: Unit) -> None:
    """A record of six items has five pairs, four triples, …: no more noise than these need."""
    stratum, inside = measured(6_000, unit)
    paid = [amount for _, _, amount in inside.stages[-len(stratum.levels) :]]

    for level, ((_, noisy), grains) in enumerate(zip(stratum.levels, paid, strict=True), 1):
        assert noisy.scale == pytest.approx((6 - level) * unit.sequences * 10**12 / grains)


def test_label_totals_know_how_noisy_the_sums_of_pairs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a row and of a column of three pairs each, with noise of variance 2 b² in every cell: 6 · 2 b² / 4."""
    seen: list[float] = []

    def watched(*given: Any) -> np.ndarray:
        seen.append(given[3])
        return settled(*given)

    monkeypatch.setattr(measuring, "settled", watched)
    stratum, _ = measured(60, Record())

    assert seen == pytest.approx([3 * stratum.levels[0][1].scale ** 2])
