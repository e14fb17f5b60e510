"""What a histogram shows: numbers, order, files and sums agree, and every interval covers as often as it says."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import seqveil as sv
from sealing import sealed
from seqveil.errors import CallError, ReleaseDamaged
from seqveil.publish.histogram import Histogram
from seqveil.release import load
from seqveil.release.histogram import Cells, HistogramRelease
from seqveil.release.histogram.columns import from_columns, to_columns
from seqveil.tables.calendar import Calendar
from seqveil.tables.domain import Domain

PLACES = Domain.of(["Ely", "West Ham"], public_because="a test")
TIMED = PLACES.at_times(Calendar.parse("12h"))


def of(domain=PLACES, l_max=3, scale=2.0, **tables):
    cells = {name: Cells(np.array(noisy, np.int64), scale) for name, noisy in tables.items()}
    return HistogramRelease(domain, cells=cells, l_max=l_max)


OD = [[40, -3], [7, 7]]


def test_values_order_and_files_agree():
    """What is ranked, asked and written is one number: the noisy count, or 0 where that is negative."""
    release = of(od=OD)
    ranked = [(tuple(row["pattern"]), row["value"], row["low"], row["high"]) for row in release.od()]
    written = release.tables()["od"].to_pylist()
    asked = {tuple(row["pattern"]): release.trip(*row["pattern"]) for row in release.od()}

    assert [("Ely", "Ely"), ("West Ham", "Ely"), ("West Ham", "West Ham"), ("Ely", "West Ham")] == [row[0] for row in ranked]
    assert sorted(ranked) == sorted(((r["first"], r["last"]), r["count"], r["low"], r["high"]) for r in written)
    assert all((answer.value, answer.low, answer.high) == row[1:] for row in ranked for answer in [asked[row[0]]])
    assert ranked[:2] == [(tuple(row["pattern"]), row["value"], row["low"], row["high"]) for row in release.od(2)]
    assert [40, -3, 7, 7] == [row["noisy"] for row in written]


def test_an_interval_contains_what_is_shown_and_no_cell_is_certain():
    """Also where the noise was far below 0: the error bar is public, and stays."""
    release, z = of(first=[-500, 3]), 6

    assert (0, 0, z) == tuple(getattr(release.first("Ely"), name) for name in ("value", "low", "high"))
    assert (3, 0, 3 + z) == tuple(getattr(release.first("West Ham"), name) for name in ("value", "low", "high"))
    assert z == release.cells["first"].reach


@pytest.mark.parametrize("true", [0, 1, 7, 1_000])
@pytest.mark.parametrize("parts", [1, 5, 40])
def test_intervals_cover_whatever_the_true_count_is(true, parts):
    """Single cells and sums of cells, over 4,000 draws each: 95 % or more, and hardly more where nothing is cut at 0."""
    table = sv.table_of([["1"]], Domain.range(1, 1))
    noise = sv.experiment(table, Histogram(of="length", l_max=1_000), "0.2", seed=true + parts).cells["length"]
    drawn = np.resize(noise.noisy[1:], 4_000 * parts) if parts == 1 else _more(parts * 4_000, true)
    hits = 0
    for row in (drawn + true).reshape(4_000, parts):
        answer = Cells(row, noise.scale).total(np.s_[:], "")
        hits += answer.low <= true * parts <= answer.high
    assert 0.94 < hits / 4_000
    assert true < 1_000 or hits / 4_000 < 0.965


def _more(n, seed):
    """Discrete Laplace noise of scale 5, as two geometric draws."""
    rng, p = np.random.default_rng(seed), 1 - np.exp(-1 / 5)
    return rng.geometric(p, n) - rng.geometric(p, n)


def test_a_sum_adds_what_was_drawn_not_what_is_shown():
    """Noise that is cut at 0 would pile up: over 10,000 empty cells the shown counts add up to thousands."""
    noisy = _more(10_000, 3)
    cells = Cells(noisy, 5.0)

    assert int(cells.shown.sum()) > 20_000
    total = cells.total(np.s_[:], "")
    assert total.low == 0
    assert total.high < 3_000


def test_the_way_with_the_least_noise_answers():
    """First labels from their own table, else from rows of pairs; the number of records from the smallest sum of noise."""
    pairs, both = of(od=OD), of(od=OD, first=[100, 200])

    assert (37, "total") == (pairs.first("Ely").value, pairs.first("Ely").kind)
    assert (47, "total") == (pairs.last("Ely").value, pairs.last("Ely").kind)
    assert (100, "count") == (both.first("Ely").value, both.first("Ely").kind)
    assert (100, 100) == (both.begins(["Ely"]).value, both.ask("begins", ["Ely"]).value)
    assert (51, 300) == (pairs.size().value, both.size().value)
    assert "not released" == of(label=[1, 2]).size().kind


def test_places_and_times():
    """Over a timed domain: labels with their time, places at any time, hours of first items, pairs of places."""
    release = of(TIMED, first=[5, 6, 7, 8], od=OD, label=[1, 2, 3, 4])

    assert [5, 11, 37] == [release.first("Ely at 3").value, of(TIMED, first=[5, 6, 7, 8]).first("Ely").value,
                           of(TIMED, od=OD).first("Ely").value]  # fmt: skip
    assert {"00": 12, "12": 14} == {name: answer.value for name, answer in release.hours().items()}
    assert 14 == release.hour("13:20").value
    assert [2, 3] == [release.count(["Ely@12"]).value, release.count(["Ely"]).value]
    assert 6 == release.total([["Ely"], ["West Ham@00"]]).value
    with pytest.raises(CallError, match="more than once"):
        release.total([["Ely"], ["Ely@00"]])
    with pytest.raises(CallError, match="give places without a time"):
        release.trip("Ely@00", "West Ham@12")
    with pytest.raises(CallError, match="no time bin of this release: its bins are '00' to '12'"):
        release.hour("soon")
    assert ("first", "last", "od", "hour") == release.asked


def test_sums_of_answers_to_one_question():
    """Cells of one table, each once."""
    release = of(od=OD)

    assert 37 == release.total_of("od", [["Ely", "Ely"], ["Ely", "West Ham"]]).value
    assert 51 == release.total_of("first", [["Ely"], ["West Ham"]]).value
    with pytest.raises(CallError, match="more than once"):
        release.total_of("first", [["Ely"], ["Ely"]])


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda r: r.count(["Ely"]), "no table of labels, only od: ask about one of these, or publish with of=label"),
        (lambda r: r.length(1), "no table of lengths"),
        (lambda r: r.length(4), "from 1 to 3"),
        (lambda r: r.visits(["Ely", "West Ham"]), "visits cannot be answered by tables of od: ask first, last, od"),
        (lambda r: r.begins(["Ely", "West Ham"]), "begins cannot be answered"),
        (lambda r: r.ask("od", ["Ely"]), "od takes 2 labels; 1 was given"),
        (lambda r: r.first("Elly"), "did you mean 'Ely'"),
        (lambda r: r.hour("8"), "have no times"),
        (lambda r: of(label=[1, 2]).count(["Ely", "Ely"]), "counts single labels, not 2 in a row"),
    ],
)
def test_what_no_table_holds_is_refused_with_a_way_out(ask, says):
    with pytest.raises(CallError, match=says):
        ask(of(od=OD))


def test_the_last_length_stands_for_all_beyond_it():
    release = of(length=[5, 9, 2])

    assert "have 3 items or more" in release.length(3).about
    assert {1: 5, 2: 9, 3: 2} == {n: answer.value for n, answer in release.lengths().items()}


def test_a_release_is_read_back_to_the_last_cell(tmp_path):
    """Tables keep their order, and their cells; the manifest holds the scales."""
    release = sealed(of(TIMED, hour=[4, -4], od=OD, length=[1, 0, 2], label=[1, 2, 3, -4]))
    loaded = load(release.save(tmp_path / "r"))

    assert ["hour", "od", "length", "label"] == list(loaded.cells)
    for name, cells in release.cells.items():
        assert (cells.noisy.tolist(), cells.scale) == (loaded.cells[name].noisy.tolist(), loaded.cells[name].scale)
    assert [2.0] * 4 == list(loaded.manifest.facts["scales"].values())


def test_a_release_of_gaussian_noise_is_read_back_with_its_error_bars(tmp_path):
    """The manifest holds σ, under a name of its own; a release that mixes laws is refused."""
    cells = Cells(np.array([4, -4], np.int64), 20.0, gaussian=True)
    release = sealed(HistogramRelease(TIMED, cells={"hour": cells}, l_max=3))
    loaded = load(release.save(tmp_path / "r"))

    assert {"l_max": 3, "sigmas": {"hour": 20.0}} == loaded.manifest.facts
    assert 39 == loaded.cells["hour"].reach == cells.reach
    with pytest.raises(CallError, match="not one histogram"):
        HistogramRelease(TIMED, cells={"hour": cells, "first": Cells(np.zeros(4, np.int64), 20.0)}, l_max=3)


@pytest.mark.parametrize("table", ["od", "length", "hour", "first"])
def test_a_table_that_lacks_cells_or_mixes_them_up_is_refused(table):
    """A stranger's file cannot move a count to another cell, leave one out, or claim a huge table."""
    noisy = {"od": OD, "length": [1, 0, 2], "hour": [4, 5], "first": [1, 2, 3, 4]}[table]
    good = to_columns(table, Cells(np.array(noisy, np.int64), 2.0), TIMED)

    def read(columns: pa.Table, l_max: int = 3, scale: float = 2.0):
        labels = {n: c.combine_chunks().dictionary_encode() if pa.types.is_string(c.type) and table != "hour"
                  else c.combine_chunks() for n, c in zip(columns.column_names, columns.columns, strict=True)}  # fmt: skip
        return from_columns(table, labels, scale, TIMED, l_max)

    assert noisy == read(good).noisy.tolist()
    with pytest.raises(CallError, match="not a table"):
        read(good.slice(0, good.num_rows - 1))
    with pytest.raises(CallError, match="not all cells of the domain"):
        read(good.take(list(range(good.num_rows))[::-1]))
    with pytest.raises(ReleaseDamaged, match="scale"):
        read(good, scale=1e300)
    if table == "length":
        with pytest.raises(CallError, match="the domain 9,007,199,254,740,992 cells"):
            read(good, l_max=2**53)


def test_tables_of_another_shape_are_refused():
    for tables in ({"od": [[1, 2]]}, {"length": [1]}, {"hour": [1]}, {"other": [1, 2]}):
        with pytest.raises(CallError, match="not a table of"):
            of(**tables)
    with pytest.raises(CallError, match="at least one table"):
        of()
