"""One journey per row: an origin and a destination are the two items of a record, or the row is left out."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqveil as sv
from seqveil.errors import InputProblems
from seqveil.sources import Source
from seqveil.sources.sequences import read_tallied

DOMAIN = sv.Domain.of(["A", "B", "C"])
ENDS: dict[str, Any] = {"user": "who", "origin": "from", "destination": "to"}
CELLS = ["A", "B", "elsewhere", ""]
ROWS = [(f"u{k % 3}", origin, goal) for k, (origin, goal) in enumerate(product(CELLS, CELLS))]


def by_user(table: Any) -> dict[int, list[list[str]]]:
    """The journeys of every user, in the order of the file."""
    people: dict[int, list[list[str]]] = {}
    for owner, record in zip(table.owners.tolist(), table.flat, strict=True):
        people.setdefault(owner, []).append(DOMAIN.with_other().labels(record))
    return people


def expected(allowed: set[str], other: bool = False) -> list[list[list[str]]]:
    """Brute force: a row is a journey if both of its cells are there, and are labels or may be `other`."""
    people: dict[str, list[list[str]]] = {}
    for who, *ends in ROWS:
        if all(ends) and (other or set(ends) <= allowed):
            people.setdefault(who, []).append([end if end in allowed else "other" for end in ends])
    return list(people.values())


def write(name: str, folder: Path) -> Path:
    path = folder / f"journeys.{name}"
    columns = dict(zip(("who", "from", "to"), zip(*ROWS, strict=True), strict=True))
    lines = [",".join(("who", "from", "to")), *(",".join(row) for row in ROWS)]
    if name == "parquet":
        pq.write_table(pa.table({key: list(values) for key, values in columns.items()}), path)
    elif name == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in ROWS))
    elif name == "csv.gz":
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
    else:
        path.write_text("\n".join(lines).replace(",", "\t" if name == "tsv" else ","))
    return path


@pytest.mark.parametrize("outside", ["drop", "other"])
@pytest.mark.parametrize("name", ["csv", "tsv", "csv.gz", "parquet", "jsonl"])
def test_a_journey_is_read_whole_or_not_at_all(tmp_path: Path, name: str, outside: str) -> None:
    """Every combination of a label, another label, a value outside and nothing; A to A only where the row says so."""
    table = sv.read_sequences(write(name, tmp_path), domain=DOMAIN, outside=outside, **ENDS)

    assert expected({"A", "B"}, other=outside == "other") == list(by_user(table).values())


def test_a_frame_and_rows_without_users() -> None:
    frame = pa.table({"o": ["A", "B", None, "A"], "d": ["A", "C", "C", "nowhere"]})

    table = sv.read_sequences(frame, domain=DOMAIN, origin="o", destination="d")

    assert ([[0, 0], [1, 2]], None) == ([record.tolist() for record in table.flat], table.owners)


def test_columns_by_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("p,A,x,B\nq,C,x,C\n")

    table = sv.read_sequences(path, domain=DOMAIN, user=1, origin=2, destination=4, header=False)

    assert [[0, 1], [2, 2]] == [record.tolist() for record in table.flat]


def test_both_ends_carry_the_bin_of_the_time_of_the_row(tmp_path: Path) -> None:
    path = tmp_path / "timed.csv"
    path.write_text("who,when,from,to\np,2026-09-01T08:59,A,B\np,2026-09-01T07:00,B,A\np,soon,A,B\n")

    table = sv.read_sequences(path, domain=DOMAIN, time="when", time_bins="60m", **ENDS)

    assert [["A@08", "B@08"], ["B@07", "A@07"]] == [table.domain.labels(record) for record in table.flat]


def test_max_events_counts_journeys(tmp_path: Path) -> None:
    table = sv.read_sequences(write("csv", tmp_path), domain=DOMAIN, max_events=1, **ENDS)

    assert [each[:1] for each in expected({"A", "B"})] == list(by_user(table).values())


def test_what_is_left_out_is_counted_by_journey(tmp_path: Path) -> None:
    source = Source(write("csv", tmp_path), DOMAIN, **ENDS)

    tally = read_tallied(source).tally

    assert (16, 7, 5) == (tally.rows, tally.no_item, tally.cut_off)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"origin": "from"}, "origin needs destination as well: add destination=COLUMN"),
        ({"destination": "to"}, "destination needs origin as well: add origin=COLUMN"),
        ({"origin": "to", "destination": "to"}, "origin and destination name the same column: give two columns"),
        ({**ENDS, "item": "to"}, "a journey has an origin and a destination: leave out item"),
        ({**ENDS, "session": "who"}, "every row is one journey, and so one sequence: leave out session"),
        ({**ENDS, "time": "who"}, "the time of a journey is only used with time bins: add time_bins=60m, or leave out time"),
        ({"origin": "form", "destination": "to"}, "has no column 'form' (origin): use origin=from"),
        ({**ENDS, "format": "lines"}, "has no columns: leave it out, or add format=events"),
        ({**ENDS, "format": "jsonl"}, "has no origins and destinations: add format=jsonl-events"),
    ],
)
def test_what_does_not_go_with_journeys_is_refused_with_what_to_type(tmp_path: Path, options: Any, said: str) -> None:
    with pytest.raises(InputProblems) as refused:
        sv.read_sequences(write("csv", tmp_path), domain=DOMAIN, **options)

    assert said in str(refused.value)


def test_sets_tables_and_graphs_have_no_journeys(tmp_path: Path) -> None:
    """A set would lose the direction, and where both ends are one place also the second end."""
    for reader, words in (("sets", "a set has no order"), ("relational", "one record per row"), ("graph", "one edge per row")):
        with pytest.raises(InputProblems, match=words):
            Source(write("csv", tmp_path), DOMAIN, reader, order_is_public=reader == "graph", **ENDS).inspect()


@pytest.mark.parametrize("name", ["csv", "parquet", "jsonl"])
def test_a_specimen_has_journeys(tmp_path: Path, name: str) -> None:
    """What is read before anything is spent goes the way of the real rows."""
    assert len(Source(write(name, tmp_path), DOMAIN, **ENDS).specimen().flat)


def test_the_format_is_described() -> None:
    frame = pa.table({"o": ["A"], "d": ["A"]})

    assert "one journey per row (arrow)" == Source(frame, DOMAIN, origin="o", destination="d").description
