"""How deep a stratum is asked, and that nothing is kept back for levels that never come."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.models.records.stratum import Stratum, candidates
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
    lengths = np.array([[number / 4, number / 12]] * 3)
    part = ask_labels(inside, 4, 6, lengths, Shares.of(number, 3, 6, 4))
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
