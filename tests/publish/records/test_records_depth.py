"""How deep a stratum is asked, and that nothing is kept back for levels that never come."""

from __future__ import annotations

import numpy as np
import pytest

from seqveil.publish.records.labels import ask_labels, choose_labels, fit_labels
from seqveil.publish.records.measuring import Measured, Pool, measure_stratum
from seqveil.publish.records.shares import Shares
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record
from seqveil.wall.noise.seeded import SeededNoise
from seqveil.wall.wall import Wall


def measured(number: int) -> tuple[Measured, Wall]:
    """A stratum of so many records of 4 to 6 of three labels."""
    flat = Flat.of(np.random.default_rng(k).integers(0, 3, 4 + k % 3).tolist() for k in range(number))
    table = SequenceTable(Domain.of(["a", "b", "c"], public_because="made up"), flat, None)
    inside = Wall(table, Record(), 10**12, SeededNoise(3)).strata([3, 6], 10**12)[1]
    lengths = np.array([[number / 4, number / 12]] * 3)
    part = ask_labels(inside, 4, 6, lengths, Shares.of(number, 3, 6, 4))
    fit_labels([part], 3)
    strong = choose_labels([part], 3)
    return measure_stratum(part, strong, Pool.empty(strong.size)), inside


@pytest.mark.parametrize(("number", "levels"), [(60, 1), (1_000, 2), (6_000, 3)])
def test_few_records_get_few_levels_and_all_of_the_budget(number: int, levels: int) -> None:
    stratum, inside = measured(number)

    assert len(stratum.levels) == levels
    assert inside.remaining == 0
