"""`seqveil fenced suppress`: an event log becomes a folder with a badge, or nothing at all."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from seqveil.cli.app import main

PATHS = [
    "a1 d2 b3 e4 f6 e8",
    "d2 c5 f6 c7 e9",
    "b3 c7 e8",
    "b3 e4 f6 e8",
    "a1 d2 c5 f6 c7",
    "c5 f6 e9",
    "f6 c7 e8",
    "a1 d2 f6 c7 e9",
]
VALUES = ["HIV", "Fever", "Hepatitis", "Flu", "HIV", "Hepatitis", "Fever", "Flu"]
TABLE_5_2 = [
    ("b3 e4 f6 e8", "HIV"),
    ("d2 c5 f6 c7 e9", "Fever"),
    ("c7 e8", "Hepatitis"),
    ("b3 e4 f6 e8", "Flu"),
    ("d2 c5 f6 c7", "HIV"),
    ("c5 f6 e9", "Hepatitis"),
    ("f6 c7 e8", "Fever"),
    ("d2 f6 c7 e9", "Flu"),
]
HEADER = "card,ward,hour,diagnosis,age"
ROWS = [
    f"patient-{i},{word[0]},{word[1:]},{value},{30 + i}"
    for i, (path, value) in enumerate(zip(PATHS, VALUES, strict=True))
    for word in path.split()
]
COLUMNS = {"user": "card", "time": "hour", "item": "ward", "sensitive": "diagnosis", "values": "HIV,Hepatitis"}


@pytest.fixture
def fenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any):
    """Runs the command on rows; returns exit code, stdout, stderr and the folder."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))

    def run(rows: list[str] = ROWS, header: str = HEADER, flags: tuple[str, ...] = (), **changed: object):
        (tmp_path / "visits.csv").write_text("\n".join([header, *rows]) + "\n")
        options = {**COLUMNS, "k": 2, "c": "0.5", "l": 2, "out": tmp_path / "out", **changed}
        given = [(name, one) for name, value in options.items() for one in (value if isinstance(value, list) else [value])]
        words = [word for name, value in given for word in (f"--{name.replace('_', '-')}", str(value))]
        monkeypatch.setattr(sys, "argv", ["seqveil", "fenced", "suppress", str(tmp_path / "visits.csv"), *words, *flags])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capfd.readouterr()
        return code, said.out, said.err, tmp_path / "out"

    return run


def people(folder: Path) -> dict[str, list[dict[str, str]]]:
    rows: dict[str, list[dict[str, str]]] = {}
    with (folder / "suppressed.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault(row["card"], []).append(row)
    return rows


def test_a_log_of_table_5_1_becomes_one_of_table_5_2(fenced, tmp_path):
    """The true rows that are left, under fresh numbers; other columns untouched and warned about; no ledger anywhere."""
    code, out, err, folder = fenced()
    left = people(folder)
    paths = [(" ".join(r["ward"] + r["hour"] for r in rows), rows[0]["diagnosis"]) for rows in left.values()]

    assert 0 == code
    assert "" == out
    assert sorted(TABLE_5_2) == sorted(paths)
    assert {str(i) for i in range(1, 9)} == set(left)
    assert all({str(30 + VALUES.index(r["diagnosis"])), str(37 - VALUES[::-1].index(r["diagnosis"]))} & {r["age"]}
               for rows in left.values() for r in rows)  # fmt: skip
    assert err.startswith("NOT DIFFERENTIALLY PRIVATE: ")
    assert "WARNING: age: kept unchanged" in err
    assert "patient-" not in (folder / "suppressed.csv").read_text()
    assert not (tmp_path / "home").exists()


def test_the_report_says_what_was_removed(fenced):
    """For programs and for people, the badge first."""
    code, out, _, folder = fenced(flags=("--json",), score="mfs", mfs_support=2)
    report = json.loads((folder / "report.json").read_text())
    facts = json.loads(out)

    assert 0 == code
    assert {"out": str(folder), **report} == facts
    assert ["badge", "differentially_private"] == list(report)[:2]
    assert report["differentially_private"] is False
    assert (2, {"diagnosis": 0.5}, 2) == (report["K"], report["C"], report["L"])
    assert (8, 34, 5, 6) == (
        report["records"],
        report["points"],
        report["violating_sequences_found"],
        report["maximal_frequent_sequences"],
    )
    assert report["points_removed"] == sum(row["removed"] for row in report["most_removed"])
    assert (folder / "README.txt").read_text().startswith(report["badge"])


@pytest.mark.parametrize("strategy", ["local", "thesis"])
def test_both_strategies_give_table_5_2(fenced, strategy):
    """The example does not tell them apart."""
    _, _, _, folder = fenced(strategy=strategy)
    paths = [(" ".join(r["ward"] + r["hour"] for r in rows), rows[0]["diagnosis"]) for rows in people(folder).values()]

    assert sorted(TABLE_5_2) == sorted(paths)
    assert strategy == json.loads((folder / "report.json").read_text())["strategy"]


def test_several_sensitive_columns_each_with_its_values_and_confidence(fenced):
    """All four share a1; half have HIV, which is allowed, three quarters are 30, which is not. No column is left over."""
    rows = [f"{p},a,1,{d},{age}" for p, d, age in (("p", "HIV", 30), ("q", "HIV", 30), ("r", "Flu", 30), ("s", "Flu", 31))]
    columns = {"sensitive": ["diagnosis", "age"], "values": ["HIV", "30"]}
    code, _, err, folder = fenced(rows, **columns, c=["0.5", "0.7"])
    report = json.loads((folder / "report.json").read_text())

    assert 0 == code
    assert (4, {"diagnosis": 0.5, "age": 0.7}) == (report["points_removed"], report["C"])
    assert {"diagnosis": ["HIV"], "age": ["30"]} == report["sensitive_values"]
    assert "at most 0.5 of these has the same diagnosis (of HIV), and at most 0.7 the same age (of 30)" in " ".join(err.split())
    assert "kept unchanged" not in err


def test_one_confidence_for_all_columns(fenced):
    """The same with C = 0.75 for both: nothing goes."""
    rows = [f"{p},a,1,{d},{age}" for p, d, age in (("p", "HIV", 30), ("q", "HIV", 30), ("r", "Flu", 30), ("s", "Flu", 31))]
    _, _, _, folder = fenced(rows, sensitive=["diagnosis", "age"], values=["HIV", "30"], c="0.75")

    assert 0 == json.loads((folder / "report.json").read_text())["points_removed"]


def test_records_without_a_point_are_left_out_and_counted(fenced):
    """Nobody shares anything: all goes, and the numbers of those who are left have no gaps."""
    code, _, _, folder = fenced(["p,a,1,Flu,1", "q,b,1,Flu,1", "r,c,2,Flu,1", "s,c,2,Flu,1"])
    report = json.loads((folder / "report.json").read_text())

    assert 0 == code
    assert {"1", "2"} == set(people(folder))
    assert 2 == report["records_left_out_because_no_point_was_left"]


def test_equal_times_are_written_alike(fenced):
    """2 and 2.0 are one time; a spelling would tell people apart."""
    _, _, _, folder = fenced(["p,a,2,Flu,1", "q,a,2.0,Flu,1"])

    assert ["2", "2"] == [rows[0]["hour"] for rows in people(folder).values()]


def test_clock_times_and_unsorted_rows(fenced):
    """ISO 8601 works; --sort puts rows in order."""
    rows = [f"{p},{w},2026-10-31T{h}:00:00,Flu,1" for p in "pq" for w, h in (("b", "09"), ("a", "08"))]
    code, _, _, folder = fenced(rows, flags=("--sort",))

    assert 0 == code
    assert [["a", "b"]] * 2 == [[r["ward"] for r in person] for person in people(folder).values()]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"sensitive": "illness"}, "no column 'illness' (--sensitive): the columns are card, ward, hour, diagnosis, age"),
        ({"k": 9}, "K is 9, but there are fewer records than that: choose a smaller --k"),
        ({"k": 0}, "K is 0"),
        ({"c": "1.5"}, "C is 1.5"),
        ({"c": "-0.5"}, "C is -0.5"),
        ({"l": 0}, "L is 0"),
        ({"l": "few"}, "L is 'few'"),
        ({"values": " , "}, "--values names no sensitive value"),
        ({"values": ["HIV", "Flu"]}, "--sensitive is given 1 times and --values 2 times"),
        ({"sensitive": ["diagnosis", "diagnosis"], "values": ["HIV", "Flu"]}, "--sensitive names a column twice"),
        ({"c": ["0.5", "0.6"]}, "C is given 2 times, but there are 1 sensitive attributes: give --c once for all"),
        ({"score": "beauty"}, "choose instances or mfs"),
        ({"strategy": "beauty"}, "choose local, thesis or global, e.g. --strategy local"),
        ({"score": "mfs"}, "--mfs-support 800"),
        ({"user": "ward"}, "must name 4 different columns"),
        ({"rows": ["p,a,2,Flu,1", "p,b,1,Flu,1"]}, "do not increase in 1 rows, first in line 3"),
        ({"rows": ["p,a,2,Flu,1", "q,a,2,Flu,1", "p,b,2,Flu,1"], "flags": ("--sort",)}, "in 1 rows, first in line 4"),
        ({"rows": ["p,,,Flu,1", "q,a,1,Flu,1"]}, "a trajectory must not be empty"),
        ({"rows": [",a,1,Flu,1"]}, "column 'card' is empty"),
        ({"rows": ["p,a,noon,Flu,1"]}, "is neither a number nor a time"),
        ({"rows": ["p,a,1,Flu,1", "p,a,2,HIV,1"]}, "two sensitive values in column 'diagnosis'"),
        (
            {"rows": ["p,a,1,Flu,1", "p,b,2,Flu,2"], "sensitive": ["diagnosis", "age"], "values": ["Flu", "1"]},
            "two sensitive values in column 'age'",
        ),
        ({"rows": []}, "has no events"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_and_nothing_is_written(fenced, tmp_path, changed, says):
    """A clear error, exit code 2, no folder and no remains of one."""
    code, out, err, _ = fenced(**changed)

    assert (2, "") == (code, out)
    assert says in " ".join(err.split())
    assert ["visits.csv"] == [path.name for path in tmp_path.iterdir()]


def test_a_folder_is_never_overwritten(fenced):
    """The second run refuses before it reads."""
    fenced()
    code, _, err, _ = fenced()

    assert 2 == code
    assert "exists already" in err


def test_a_full_disk_leaves_nothing(fenced, tmp_path, monkeypatch):
    """The folder gets its name last."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("seqveil.fenced.suppression.files.sync", full)
    code, _, err, _ = fenced()

    assert 1 == code
    assert "No space left on device" in err
    assert ["visits.csv"] == [path.name for path in tmp_path.iterdir()]
