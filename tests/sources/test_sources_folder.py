"""A folder of files of one format is read as one file; what is wrong with it is said before a row is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import seqveil as sv
from seqveil.errors import InputProblems
from seqveil.sources import Source

DOMAIN = sv.Domain.of(["home", "metro", "office"])
HEADER = "card,ts,station\n"
COLUMNS = {"user": "card", "time": "ts", "item": "station"}


def written(folder: Path, **files: str | bytes) -> Path:
    """Files by their names, in which __ stands for the dot."""
    folder.mkdir(exist_ok=True)
    for name, body in files.items():
        (folder / name.replace("__", ".")).write_bytes(body if isinstance(body, bytes) else body.encode())
    return folder


def records(source: Source) -> list[list[int]]:
    return sorted(record.tolist() for record in source.read().flat)


def problems(folder: Path, **options: str | None) -> list[str]:
    with pytest.raises(InputProblems) as caught:
        Source(folder, DOMAIN, **(options or COLUMNS)).inspect()
    return caught.value.problems


def test_text_files_are_joined_under_one_header(tmp_path: Path):
    body = "a,2,metro\nb,1,office"  # no line end
    folder = written(tmp_path / "taps", one__csv=HEADER + "a,1,home\n", two__csv=HEADER + body)
    whole = written(tmp_path / "whole", all__csv=HEADER + "a,1,home\n" + body + "\n") / "all.csv"
    source, same = Source(folder, DOMAIN, **COLUMNS), Source(whole, DOMAIN, **COLUMNS)

    assert source.description == same.description == "event log, comma-separated (csv)"
    assert records(source) == records(same) == [[0, 1], [2]]
    assert b"".join(source.chunks()) == b"".join(same.chunks())  # the ledger knows the data again
    assert str(source.file) == str(folder / "*.csv")
    assert str(folder) in repr(source)


def test_packed_files_and_a_byte_order_mark(tmp_path: Path):
    folder = written(
        tmp_path / "taps", a__csv__gz=gzip.compress((HEADER + "a,1,home\n").encode()), b__csv="﻿" + HEADER + "b,1,metro\n"
    )

    assert records(Source(folder, DOMAIN, **COLUMNS)) == [[0], [1]]


@pytest.mark.parametrize(
    ("names", "bodies"),
    [
        (["a__txt", "b__txt"], ["home metro\n", "office"]),
        (["a__jsonl", "b__jsonl"], ['["home", "metro"]', '["office"]\n']),
    ],
)
def test_lines_have_no_header(tmp_path: Path, names: list[str], bodies: list[str]):
    folder = written(tmp_path / "taps", **dict(zip(names, bodies, strict=True)))

    assert records(Source(folder, DOMAIN)) == [[0, 1], [2]]


def test_without_a_header_line_1_of_every_file_is_a_row(tmp_path: Path):
    folder = written(tmp_path / "taps", a__csv="a,home\n", b__csv="a,metro\n")

    assert records(Source(folder, DOMAIN, header=False, user="1", item="2")) == [[0, 1]]


def test_parquet_tables_are_joined(tmp_path: Path):
    import polars as pl

    folder = written(tmp_path / "taps", _SUCCESS="", __hidden="")
    for name, station in (("a", "home"), ("b", "metro")):
        pl.DataFrame({"card": ["x"], "station": [station]}).write_parquet(folder / f"{name}.parquet")
    assert records(Source(folder, DOMAIN, user="card", item="station")) == [[0, 1]]

    pl.DataFrame({"card": [1], "station": ["home"]}).write_parquet(folder / "c.parquet")
    assert "c.parquet and a.parquet must have the same" in problems(folder, user="card", item="station")[0]
    (folder / "c.parquet").write_bytes(b"nothing")
    assert "is not a Parquet file" in problems(folder, user="card", item="station")[0]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "is a folder without files"),
        ({"a__csv": HEADER, "README__md": "x"}, "holds files of several formats (README.md, a.csv)"),
        ({"a__csv": HEADER, "b__csv": "card,station\n"}, "different headers: b.csv and a.csv must have the same line 1"),
        ({"a__csv": HEADER, "b__csv__gz": b"x"}, "b.csv.gz is named .gz but is not a gzip archive"),
        ({"a__bin": "x"}, "cannot infer the format"),
        ({"a__xes": "<log/>", "b__xes": "<log/>"}, "cannot be read from several files in the format xes"),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, files: dict[str, str | bytes], problem: str):
    folder = written(tmp_path / "taps", **files)

    assert problem in problems(folder, user=None, item=None if "xes" in problem else "station")[0]


def test_a_folder_in_the_folder_is_refused(tmp_path: Path):
    folder = written(tmp_path / "taps", a__csv=HEADER)
    (folder / "2026").mkdir()

    (problem,) = problems(folder)
    pattern = str(tmp_path / "taps" / "*" / "*")
    assert f"is a folder that holds 2026, not only files: for the files in the folders in it, give '{pattern}'" == problem


def test_the_pattern_that_is_named_reads_a_partitioned_folder(tmp_path: Path):
    """As Spark and Hive leave it: date=…/part-….parquet, beside marks that are no data."""
    (tmp_path / "taps").mkdir()
    for day in ("date=1", "date=2"):
        written(tmp_path / "taps" / day, a__csv=HEADER + "c1,1,home\n", _SUCCESS="")

    assert [[0], [0]] == records(Source(tmp_path / "taps" / "*" / "*", DOMAIN, item="station"))


def test_headers_of_rows_are_never_compared(tmp_path: Path):
    """Without a header, line 1 is somebody's row: it may be what it likes."""
    folder = written(tmp_path / "taps", a__csv="a,home\n", b__csv="PK\x03\x04,metro\n", c__csv="")

    assert records(Source(folder, DOMAIN, header=False, item="2")) == [[0], [1]]


def test_a_folder_is_published_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from typer.testing import CliRunner

    from seqveil.cli.app import app

    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    rows = "".join(f"c{n},{t},{item}\n" for n in range(200) for t, item in enumerate(("home", "metro", "office")))
    folder = written(tmp_path / "taps", jan__csv=HEADER + rows, feb__csv=HEADER + rows.replace("c", "d"))
    (tmp_path / "stations.txt").write_text("home\nmetro\noffice\n")
    columns = [word for name, value in COLUMNS.items() for word in (f"--{name}", value)]
    words = [str(folder), *columns, "--domain", str(tmp_path / "stations.txt")]
    checked = CliRunner().invoke(app, ["check", *words, "--json"])
    spend = ["--public-because", "a map", "--unit", "user", "--epsilon", "5", "--out", str(tmp_path / "release")]
    published = CliRunner().invoke(app, ["publish", *words, *spend])

    assert '"read": 1200' in checked.stdout
    assert published.exit_code == 0, published.output
    assert abs(len(sv.load(tmp_path / "release").synthetic) - 400) < 100


def test_a_pattern_stands_for_its_files(tmp_path: Path):
    """Those that match, in the order of their names; the rest of the folder does not count."""
    folder = written(
        tmp_path / "taps", a1__csv=HEADER + "a,1,home\n", a2__csv=HEADER + "a,2,metro\n", b__csv=HEADER + "b,1,office\n"
    )

    assert records(Source(str(folder / "a*.csv"), DOMAIN, **COLUMNS)) == [[0, 1]]
    assert "matches no file" in problems(folder / "c*.csv")[0]


def test_a_file_whose_name_has_a_star_is_that_file(tmp_path: Path):
    folder = written(tmp_path / "taps", a__csv=HEADER + "a,1,home\n")
    (folder / "*.csv").write_text(HEADER + "b,1,office\n")

    assert records(Source(str(folder / "*.csv"), DOMAIN, **COLUMNS)) == [[2]]


def test_a_list_of_files_folders_and_patterns_is_one_input(tmp_path: Path):
    """In the order of their names, however they are given: the same bytes, so the ledger knows the data again."""
    folder = written(tmp_path / "taps", a1__csv=HEADER + "a,1,home\n", a2__csv=HEADER + "b,2,metro\n")
    more = written(tmp_path / "late", z__csv__gz=gzip.compress((HEADER + "a,3,office").encode()))
    given = [more, str(folder / "a2.csv"), str(folder / "a1*.csv")]
    source, back = Source(given, DOMAIN, **COLUMNS), Source(tuple(reversed(given)), DOMAIN, **COLUMNS)
    whole = written(tmp_path / "whole", all__csv=HEADER + "a,3,office\na,1,home\nb,2,metro\n") / "all.csv"

    assert records(source) == records(back) == [[0, 2], [1]]
    assert b"".join(source.chunks()) == b"".join(back.chunks()) == whole.read_bytes()
    assert str(source.file) == str(tmp_path / "*.csv")
    assert records(Source([whole], DOMAIN, **COLUMNS)) == [[0, 2], [1]]
    assert sorted(r.tolist() for r in sv.read_sequences(given, domain=DOMAIN, **COLUMNS).flat) == [[0, 2], [1]]


def test_everything_that_is_wrong_with_a_list_is_said_at_once(tmp_path: Path):
    folder = written(tmp_path / "taps", a__csv=HEADER + "a,1,home\n", b__tsv=HEADER)
    (tmp_path / "empty").mkdir()
    (tmp_path / "link.csv").symlink_to(folder / "a.csv")
    several = [folder / "a.csv", tmp_path / "link.csv", "-", tmp_path / "empty"]

    assert [
        "- is standard input, which is read alone: leave it out, or give nothing else",
        f"{tmp_path}/empty is a folder without files: give a file, or a folder of files of one format",
        f"{folder}/a.csv is given more than once: give each file once",
        f"{tmp_path}/link.csv is given more than once: give each file once",
    ] == problems(several)
    assert "several formats (a.csv, b.tsv)" in problems([folder / "a.csv", folder / "b.tsv"])[0]
    missing = problems([folder / "a.csv", folder / "c.csv", folder / "d.csv"])[0]
    assert "c.csv does not exist: check the path; d.csv does not exist" in missing


def test_rows_of_a_file_are_read_as_if_they_were_in_one(tmp_path: Path):
    """What stands in one file, a quote without end or a wrong byte, changes nothing of the others."""
    odd = b'card,ts,station\nz,1,"home\nz,2,\xff\n"'
    apart = written(tmp_path / "apart", a__csv=HEADER + "a,1,home\n", c__csv=HEADER + "a,2,metro\n")
    files = sorted(written(tmp_path / "apart", b__csv=odd).iterdir())

    assert records(Source(files, DOMAIN, **COLUMNS)) == [[0, 1]]
    assert records(Source([files[0], files[2]], DOMAIN, **COLUMNS)) == [[0, 1]]
    assert apart == files[0].parent
