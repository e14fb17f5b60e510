"""Flat histograms: every table is the true one plus noise for what one unit can move; what cannot go well is refused unspent."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seqveil as sv
from seqveil.errors import CallError
from seqveil.evaluate.cells import true_cells
from seqveil.publish.histogram import Histogram
from seqveil.publish.histogram.order import divided
from seqveil.release.histogram.axes import TABLES
from seqveil.release.histogram.cells import reach_of
from seqveil.tables.calendar import Calendar
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.units import Record, User
from seqveil.wall import GRAINS
from seqveil.wall.measures.zcdp import rho_of
from seqveil.wall.mechanism import precheck
from seqveil.wall.noise import SeededNoise
from seqveil.wall.noise.nothing import NoNoise
from seqveil.wall.run import open_wall

PLACES = Domain.of(["Ely", "Ware"], public_because="a test")
TIMED = PLACES.at_times(Calendar.parse("12h"))
EVERY = [record for n in range(4) for record in product(range(4), repeat=n)]
DATA = [(0, 3), (1,), (), (2, 2, 1)]
ALL = Histogram(of=",".join(TABLES), l_max=2)


def cells(records, unit=None, users=None, mechanism=ALL, domain=TIMED):
    """The tables of a run without noise."""
    table = SequenceTable(domain, Flat.of(records), None if users is None else np.array(users, np.int64))
    wall = open_wall(table, unit or Record(), GRAINS, NoNoise())
    return {name: one.noisy for name, one in mechanism.run(wall).cells.items()}


def test_tables_are_what_they_are_called():
    """By hand: labels are Ely@00, Ely@12, Ware@00, Ware@12; pairs are of places; the last length stands for all beyond it."""
    tables = cells([(0, 3), (1,), (), (2, 2, 1)])

    assert [1, 1, 1, 0] == tables["first"].tolist()
    assert [0, 2, 0, 1] == tables["last"].tolist()
    assert [[1, 1], [1, 0]] == tables["od"].tolist()
    assert [1, 2] == tables["length"].tolist()
    assert [2, 1] == tables["hour"].tolist()
    assert [1, 1, 2, 1] == tables["label"].tolist()


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=6))
def test_without_noise_every_table_is_the_true_one(records):
    """The engine's tables and a second way of counting agree."""
    tables, flat = cells(records), Flat.of(records)

    for table in TABLES:
        assert true_cells(table, flat, TIMED, 2).tolist() == tables[table].tolist()


def moved(unit, joining, users):
    before = cells(DATA, unit, None if users is None else range(len(DATA)))
    after = cells([*DATA, *joining], unit, users)
    return {table: int(np.abs(after[table] - before[table]).sum()) for table in TABLES}


def most_moved(unit, contents, users=None):
    every = [moved(unit, content, users) for content in contents]
    return {table: max(one[table] for one in every) for table in TABLES}


def run(mechanism, unit, amount=GRAINS, measure="pure"):
    users = range(len(DATA)) if isinstance(unit, User) else None
    table = SequenceTable(TIMED, Flat.of(DATA), None if users is None else np.array(users, np.int64))
    return mechanism.run(open_wall(table, unit, amount, SeededNoise(1), measure=measure)).cells


def stated(mechanism, unit):
    """The scale that the release states, as an L1 sensitivity."""
    tables = run(mechanism, unit)
    return {name: round(one.scale / len(TABLES)) for name, one in tables.items()}


def test_a_unit_moves_a_table_by_what_its_noise_is_for():
    """Every record over four labels, and every pair of the shorter ones as one user's: the bound is reached and never passed."""
    each = {"first": 1, "last": 1, "od": 1, "label": 2, "length": 1, "hour": 1}

    assert each == most_moved(Record(), [[record] for record in EVERY]) == stated(ALL, Record())
    unit, pairs = User(max_sequences=2), combinations_with_replacement(EVERY[:21], 2)
    own = [*range(len(DATA)), 9, 9]
    twice = {table: 2 * bound for table, bound in each.items()}
    assert twice == most_moved(unit, pairs, own) == stated(ALL, unit)


def test_in_zcdp_a_unit_moves_no_table_by_more_than_rho_allows():
    """The same enumeration in squares: σ is for the most that one cell moves, and that is reached in every table."""
    for unit, users in ((Record(), None), (User(max_sequences=2), [*range(len(DATA)), 9, 9])):
        contents = [[record] for record in EVERY] if users is None else combinations_with_replacement(EVERY[:21], 2)
        before = cells(DATA, unit, None if users is None else range(len(DATA)))
        most = dict.fromkeys(TABLES, 0)
        for joining in contents:
            after = cells([*DATA, *joining], unit, users)
            most = {table: max(most[table], int(((after[table] - before[table]) ** 2).sum())) for table in TABLES}
        tables = run(ALL, unit, len(TABLES) * GRAINS, "zcdp")

        assert most == {table: round(2 * one.scale**2) for table, one in tables.items()}
        assert all(one.gaussian for one in tables.values())


@pytest.mark.parametrize("parts", [1, 4])
def test_in_zcdp_the_noise_is_what_the_error_bars_say(parts):
    """Eighty thousand cells without a record, and sums of four of them: 5 % or so are beyond ±z, more beyond a shorter bar."""
    table = sv.table_of([["1"]], Domain.range(1, 80_001, public_because="a test"))
    drawn = sv.experiment(table, Histogram(of="first"), "0.5", seed=5, delta="1e-6").cells["first"]
    sums, z = drawn.noisy[1:].reshape(-1, parts).sum(axis=1), drawn.reach_together(parts)
    beyond, narrower = float((np.abs(sums) > z).mean()), float((np.abs(sums) > 0.9 * z).mean())

    assert abs(z - 1.96 * drawn.scale * np.sqrt(parts)) < 1.5
    assert 0.043 < beyond < 0.054 < narrower


def test_a_plan_in_zcdp_states_the_error_bar_of_the_release():
    mechanism, domain = Histogram(of="od,label", shares="3,1", l_max=5), Domain.range(1, 30, public_because="a test")
    release = sv.experiment(sv.table_of([["1", "2"]], domain), mechanism, "1", seed=1, delta="1e-6")
    plan = mechanism.plan(rho_of(GRAINS, 10**12), domain, Record(), measure="zcdp")

    for name, sentence in zip(("od", "label"), plan.predictions, strict=True):
        assert f"{name}: every cell within ±{release.cells[name].reach:,} (95 %)" in sentence
        assert int(np.abs(release.cells[name].noisy).max()) <= int(sentence.rsplit("±", 1)[1].replace(",", ""))


def test_too_little_rho_is_refused_before_anything_is_spent():
    domain = Domain.range(1, 3, public_because="a test")
    for paid in (1, 2):  # the third table gets nothing at all, or so little that noise hides any data
        with pytest.raises(CallError, match="so small that noise would hide any data"):
            Histogram(of="first,last,length").plan(paid, domain, User(max_sequences=2000), measure="zcdp")


def test_a_table_of_all_pairs_in_a_record_would_move_more():
    """The enumeration notices a table of more than the ends: pairs of neighbours need the noise of a whole record."""
    assert 2 == max(len(record) - 1 for record in EVERY) > most_moved(Record(), [[record] for record in EVERY])["od"]


def test_the_noise_is_what_the_error_bars_say():
    """Thirty thousand cells without a record: the share beyond ±z is 5 % or less, and z - 1 would be too little."""
    table = sv.table_of([["1"]], Domain.range(1, 30_000, public_because="a test"))
    drawn = sv.experiment(table, Histogram(of="first"), "0.1", seed=5).cells["first"]

    beyond = [float((np.abs(drawn.noisy[1:]) > z).mean()) for z in (drawn.reach, drawn.reach - 2)]
    assert 30 == drawn.reach == reach_of(10.0, 1)
    assert 0.04 < beyond[0] < 0.053 < beyond[1]


def test_the_plan_states_the_error_bar_of_the_release():
    """The error bar needs no data: it stands in the plan as it stands in the release."""
    mechanism, domain = Histogram(of="od,label", shares="3,1", l_max=5), Domain.range(1, 30, public_because="a test")
    plan = mechanism.plan(GRAINS, domain, User(max_sequences=2), 1_000)
    table = sv.table_of([["1", "2"]], domain, users=["u"])
    release = sv.experiment(table, mechanism, "1", seed=1, unit=User(max_sequences=2))

    assert [("od", 750_000_000_000), ("label", 250_000_000_000)] == [(name, paid) for name, paid, _ in plan.stages]
    for name, sentence in zip(("od", "label"), plan.predictions, strict=True):
        assert f"{name}: every cell within ±{release.cells[name].reach:,} (95 %)" in sentence
    assert "od: 1,000 records over 900 cells are fewer" in plan.warnings[0]


@given(st.integers(3, 10**13), st.lists(st.floats(0.001, 1000), min_size=1, max_size=6))
def test_shares_of_epsilon_add_up_exactly(epsilon, shares):
    """In whole grains, each within one grain of its share."""
    parts = divided(epsilon, tuple(shares))

    assert epsilon == sum(parts)
    for part, share in zip(parts, shares, strict=True):
        assert abs(part - epsilon * share / sum(shares)) <= 1 + 1e-9 * epsilon


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"of": "first,firts"}, "of='first,firts': give each table once"),
        ({"of": "first,,od"}, "give each table once"),
        ({"of": "od,od"}, "give each table once"),
        ({"of": ""}, "give each table once"),
        ({"of": "od", "shares": "1,2"}, "one number above 0 for each of the 1 tables"),
        ({"of": "od,first", "shares": "1,0"}, "one number above 0"),
        ({"of": "od,first", "shares": "1,inf"}, "one number above 0"),
        ({"of": "od,first", "shares": "1,x"}, "for example '2,1'"),
        ({"l_max": True}, "from 1 to 1,000"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(parameters, says):
    with pytest.raises(CallError, match=says):
        Histogram(**parameters)


@pytest.mark.parametrize(
    ("of", "labels", "epsilon", "says"),
    [
        ("od", 2_001, GRAINS, "od has 4,004,001 cells over this domain; a histogram has at most 4,000,000"),
        ("hour", 5, GRAINS, "the labels have no times"),
        ("first,last,od", 5, 2_000, "the part of ε that first gets is so small"),
    ],
)
def test_what_cannot_be_counted_is_refused_before_anything_is_spent(of, labels, epsilon, says):
    domain = Domain.range(1, labels, public_because="a test")

    with pytest.raises(CallError, match=says):
        precheck(Histogram(of=of), epsilon, domain, Record(), "sequences")


def test_a_thousand_places_have_a_table_of_pairs():
    """A million cells are within the bound, and are written down in about a second."""
    domain = Domain.range(1, 1_000, public_because="a test")
    release = sv.experiment(sv.table_of([["7", "1000"]] * 50, domain), Histogram(of="od"), "1", seed=2)

    assert (1_000, 1_000) == release.cells["od"].noisy.shape
    assert ["7", "1000"] == release.od(1)[0]["pattern"]
    assert release.size().low <= 50 <= release.size().high
