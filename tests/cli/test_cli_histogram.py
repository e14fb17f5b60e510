"""Verbs on a histogram: every cell has its interval, sums have their own, and what it does not hold is refused with a way out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sealing import sealed
from seqveil.release.histogram import Cells, HistogramRelease
from seqveil.tables.calendar import Calendar
from seqveil.tables.domain import Domain

TIMED = Domain.of(["Ely", "West Ham"], public_because="a test").at_times(Calendar.parse("12h"))


@pytest.fixture
def folder(tmp_path):
    tables = {"od": [[40, -3], [7, 7]], "hour": [51, -5], "length": [1, 50, 0]}
    cells = {name: Cells(np.array(noisy, np.int64), 2.0) for name, noisy in tables.items()}
    return sealed(HistogramRelease(TIMED, cells=cells, l_max=3)).save(tmp_path / "tables")


def test_a_transcript(seqveil, folder):
    """Hours without a record answer 0 with an interval; a row of the OD table is a sum."""
    ran = seqveil("query", folder, "--od", "Ely,West Ham", "--first", "Ely", "--hour", "all", "--hour", "13", "--length", 3)

    assert 0 == ran.code
    assert [
        "query\tcount\tlow\thigh\tkind",
        "--first Ely\t37\t29\t45\ttotal",
        "--od 'Ely \"West Ham\"'\t0\t0\t6\tcount",
        "--length 3\t0\t0\t6\tcount",
        "--hour 00\t51\t45\t57\tcount",
        "--hour 12\t0\t0\t6\tcount",
        "--hour 13\t0\t0\t6\tcount",
    ] == ran.out.splitlines()
    assert "an estimate" not in ran.err.lower()


def test_cells_are_added_up_by_what_was_drawn(seqveil, folder):
    """40 − 3, with the noise of two cells; two questions at once have no sum."""
    ran = seqveil("query", folder, "--od", "Ely,Ely", "--od", "Ely,West Ham", "--total", "--json")
    mixed = seqveil("query", folder, "--od", "Ely,Ely", "--first", "Ely", "--total")

    assert {"value": 37.0, "low": 29, "high": 45, "kind": "total"}.items() <= json.loads(ran.out)["total"].items()
    assert 2 == mixed.code
    assert "questions about whole records overlap" in mixed.err


def test_all_pairs_are_written_zeros_included(seqveil, folder, tmp_path):
    ran = seqveil("od", folder, "--out", tmp_path / "od.csv")

    assert 0 == ran.code
    assert [
        "first,last,count,low,high,kind,covers",
        "Ely,Ely,40,34,46,count,at most 3 items per record",
        "West Ham,Ely,7,1,13,count,at most 3 items per record",
        "West Ham,West Ham,7,1,13,count,at most 3 items per record",
        "Ely,West Ham,0,0,6,count,at most 3 items per record",
    ] == (tmp_path / "od.csv").read_text().splitlines()


def test_inspect_shows_the_tables(seqveil, folder):
    ran = seqveil("inspect", folder)
    shape = json.loads(seqveil("inspect", folder, "--json").out)["shape"]

    assert "records  46 (38 to 54)" in ran.out
    assert "records by the time of their first item" in ran.out
    assert "Every cell has a count and an interval. For one: seqveil query" in ran.out
    assert [51.0, 0.0] == [row["value"] for row in shape["hours"]]
    assert [1.0, 50.0, 0.0] == [row["value"] for row in shape["lengths"]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (("synth",), "no synthetic records: try seqveil inspect"),
        (("od", "--steps"), "no synthetic records: leave it out"),
        (("query", "Ely"), "no table of labels, only od, hour, length: ask about one of these, or publish with --of label"),
        (
            ("query", "--visits", "Ely,West Ham"),
            "--visits cannot be answered by tables of od, hour, length: ask --first, --last,",
        ),
        (("query", "--hour", "noon"), "--hour 'noon' is no time bin of this release: its bins are '00' to '12'"),
    ],
)
def test_what_it_does_not_hold_is_refused(seqveil, folder, call, says):
    verb, *rest = call
    ran = seqveil(verb, folder, *rest)

    assert 2 == ran.code
    assert says in ran.err.replace("\n", " ")


def test_a_report_shows_every_table(seqveil, folder, tmp_path):
    ran = seqveil("report", folder, "--out", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()

    assert 0 == ran.code
    assert "Tables of counts, with differential privacy" in page
    assert "West Ham" in page
