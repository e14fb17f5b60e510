"""Tables of sets and rows: every cell is there, a unit moves a table by what its noise is for, and misfits are refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import seqveil as sv
from seqveil.errors import CallError
from seqveil.publish.histogram import SetHistogram
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sets import SetTable
from seqveil.tables.units import Record, User
from seqveil.wall import GRAINS
from seqveil.wall.mechanism import precheck
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.run import open_wall

ROWS = Domain.of(["sex=f", "sex=m", "age=old", "age=young", "smoker"], public_because="a test")
EVERY = [chosen for n in range(1, 6) for chosen in combinations(range(5), n)]
DATA = [(0, 2), (1, 2, 4), (3,)]
TABLES = {"label": 2, "sex": 1, "sex*age": 1, "age,sex": 1}
"""What one record can move in each table, with l_max = 2."""


def counted(of, sets, unit=None, users=None):
    """The counts of a run without noise, by cell, and the scale of noise as a sensitivity."""
    table = SetTable(ROWS, Flat.of(sets), None if users is None else np.array(users, np.int64))
    release = SetHistogram(of=of, l_max=2).run(open_wall(table, unit or Record(), GRAINS, NoNoise()))
    cells = {release.patterns.pattern(row): int(n) for row, n in enumerate(release.patterns.noisy.tolist())}
    return cells, release.patterns.scale / (of.count(",") + 1)


def test_tables_are_what_they_are_called():
    assert {(0,): 1, (1,): 1} == counted("sex", DATA)[0]
    assert {(0, 2): 1, (0, 3): 0, (1, 2): 1, (1, 3): 0} == counted("sex*age", DATA)[0]
    assert counted("sex*age", DATA)[0] == counted("age*sex", DATA)[0]
    assert {(code,) for code in range(5)} == set(counted("label", DATA)[0])


@pytest.mark.parametrize("of", TABLES)
def test_a_unit_moves_a_table_by_what_its_noise_is_for(of):
    """Every set over five labels, rows with two values of an attribute included; and pairs of them as one user's."""
    tables = of.count(",") + 1
    before, scale = counted(of, DATA)
    moved = [sum(abs(counted(of, [*DATA, one])[0][cell] - n) for cell, n in before.items()) for one in EVERY]

    assert tables * TABLES[of] == max(moved)
    assert {TABLES[of]} == set(scale.tolist())
    unit, users = User(max_sequences=2), [0, 1, 2, 9, 9]
    own = counted(of, DATA, unit, users[:3])
    twice = max(sum(abs(counted(of, [*DATA, one, one], unit, users)[0][c] - n) for c, n in own[0].items()) for one in EVERY)
    assert 2 * tables * TABLES[of] == twice
    assert {2 * TABLES[of]} == set(own[1].tolist())


def test_every_cell_has_an_interval_and_sums_have_one():
    """A cell without rows answers 0 or a little more, with its error bar."""
    table = SetTable(ROWS, Flat.of([(0, 2)] * 500 + [(1, 3)] * 300))
    release = sv.experiment(table, SetHistogram(of="sex*age"), "1", seed=4)

    assert 4 == len(release)
    for cell, true in {("sex=f", "age=old"): 500, ("sex=f", "age=young"): 0, ("age=young", "sex=m"): 300}.items():
        answer = release.count(cell)
        assert answer.low <= true <= answer.high
    total = release.total([["sex=f", "age=old"], ["sex=m", "age=young"]])
    assert total.low <= 800 <= total.high


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ("sex,", "give each table once"),
        ("sex*age,age*sex", "give each table once"),
        ("label,sex", "label counts all values"),
    ],
)
def test_tables_that_repeat_cells_are_refused(of, says):
    with pytest.raises(CallError, match=says):
        SetHistogram(of=of)


@pytest.mark.parametrize("of", ["height", "sex*height", "sex*sex", "sex*age*smoker", "smoker"])
def test_unknown_attributes_are_refused_unspent(of):
    with pytest.raises(CallError, match=r"is not an attribute of this domain or a pair of two: its attributes are sex, age"):
        precheck(SetHistogram(of=of), GRAINS, ROWS, Record(), "sets")


def test_too_many_cells_are_refused_unspent():
    domain = Domain.of([f"{name}={n}" for name in "ab" for n in range(500)], public_because="a test")

    with pytest.raises(CallError, match="250,000 cells over this domain"):
        precheck(SetHistogram(of="a*b"), GRAINS, domain, Record(), "sets")
