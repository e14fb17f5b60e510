"""`seqveil od` shows the matrix of first and last labels, and writes it as a file for spreadsheets."""

import csv
import json

import pytest

import record_models
from sealing import sealed
from seqveil.release import load
from seqveil.tables.domain import Domain


@pytest.fixture
def folder(tmp_path):
    return record_models.model().save(tmp_path / "model")


def test_the_most_frequent_pairs(seqveil, folder):
    ran = seqveil("od", folder, "--top", 3)

    assert [
        "first\tlast\tcount\tlow\thigh\tkind",
        "home\thome\t2\t0\t8\tcount",
        "home\twork\t2\t0\t10\tcount",
        "work\twork\t1\t0\t4\tcount",
    ] == ran.out.splitlines()
    assert f"3 of 4 pairs are shown. For all: seqveil od {folder} --out od.csv" in ran.err


def test_the_file_holds_all_pairs_with_the_numbers_that_are_answered(seqveil, folder, tmp_path):
    ran = seqveil("od", folder, "--out", tmp_path / "od.csv")
    rows = list(csv.DictReader((tmp_path / "od.csv").read_text().splitlines()))
    release = load(folder)

    assert (0, "") == (ran.code, ran.out)
    assert 4 == len(rows)
    for row in rows:
        answer = release.trip(row["first"], row["last"])
        ends = [str(end) if end is not None else "" for end in (answer.low, answer.high)]
        assert [str(answer.value), *ends, answer.kind] == [row[key] for key in ("count", "low", "high", "kind")]


def test_json(seqveil, folder, tmp_path):
    shown = json.loads(seqveil("od", folder, "--json", "--top", 1).out)
    written = json.loads(seqveil("od", folder, "--json", "--out", tmp_path / "od.tsv").out)

    assert [["home", "home"]] == [row["pattern"] for row in shown["top"]]
    assert (4, str(tmp_path / "od.tsv")) == (written["pairs"], written["out"])
    assert "home\twork\t2.25\t0\t10\tcount" in (tmp_path / "od.tsv").read_text().splitlines()


def test_no_spreadsheet_runs_a_label(seqveil, tmp_path):
    release = record_models.model_of([(0, 1), (1, 0)], Domain.of(["=1+1", "@b"]))
    folder = sealed(release).save(tmp_path / "odd")
    seqveil("od", folder, "--out", tmp_path / "od.csv")
    seqveil("od", folder, "--out", tmp_path / "raw.csv", "--raw-cells")

    assert "'=1+1,'@b" in (tmp_path / "od.csv").read_text()
    assert "\n=1+1,@b" in (tmp_path / "raw.csv").read_text()


@pytest.mark.parametrize(("name", "problem"), [("od.xlsx", "unknown file ending: use .csv or .tsv"), ("od.csv", "exists")])
def test_files_that_cannot_be_written_are_refused(seqveil, folder, tmp_path, name, problem):
    (tmp_path / "od.csv").write_text("mine")
    ran = seqveil("od", folder, "--out", tmp_path / name)

    assert 2 == ran.code
    assert problem in ran.err
    assert "mine" == (tmp_path / "od.csv").read_text()


def test_an_experiment_says_so(seqveil, tmp_path):
    folder = sealed(record_models.model_of(record_models.RECORDS), private=False).save(tmp_path / "trial")
    ran = seqveil("od", folder, "--out", tmp_path / "od.csv")

    assert "EXPERIMENT" in ran.err
    assert (tmp_path / "od.EXPERIMENT.csv").exists()


def test_steps_are_the_pairs_that_count_answers(seqveil, folder, tmp_path):
    """The directly-follows table: what `count` says about two labels next to each other."""
    ran = seqveil("od", folder, "--steps", "--out", tmp_path / "steps.csv")
    rows = list(csv.DictReader((tmp_path / "steps.csv").read_text().splitlines()))
    release = load(folder)

    assert ran.code == 0
    assert rows
    for row in rows:
        answer = release.count([row["from"], row["to"]])
        ends = [str(end) if end is not None else "" for end in (answer.low, answer.high)]
        assert [str(answer.value), *ends, answer.kind] == [row[key] for key in ("count", "low", "high", "kind")]


def test_places_at_any_time_need_labels_with_times(seqveil, folder):
    refused = seqveil("od", folder, "--by", "place")

    assert (2, "") == (refused.code, refused.out)
    assert "publish with time bins" in refused.err
