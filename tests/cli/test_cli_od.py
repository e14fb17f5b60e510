"""`seqveil od` shows the matrix of first and last labels, and writes it as a file for spreadsheets."""

import csv
import json
from itertools import product

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
        "work\twork\t1\t0\t6\tcount",
    ] == ran.out.splitlines()
    assert "Counts cover at most 4 items per record; more were left out before noise was added." in ran.err
    assert f"3 of 9 pairs are shown. For all: seqveil od {folder} --out od.csv" in ran.err


def test_the_file_holds_all_pairs_of_the_domain_with_the_numbers_that_are_answered(seqveil, folder, tmp_path):
    """Also those that the release does not have. Counts are whole, as on the screen."""
    ran = seqveil("od", folder, "--out", tmp_path / "od.csv")
    rows = list(csv.DictReader((tmp_path / "od.csv").read_text().splitlines()))
    release = load(folder)

    assert (0, "") == (ran.code, ran.out)
    assert set(product(["home", "work", "city hall"], repeat=2)) == {(row["first"], row["last"]) for row in rows}
    assert {"at most 4 items per record"} == {row["covers"] for row in rows}
    for row in rows:
        answer = release.trip(row["first"], row["last"])
        ends = [str(end) if end is not None else "" for end in (answer.low, answer.high)]
        assert [str(round(answer.value)), *ends, answer.kind] == [row[key] for key in ("count", "low", "high", "kind")]


def test_a_square_table(seqveil, folder, tmp_path):
    seqveil("od", folder, "--matrix", "--out", tmp_path / "matrix.csv")
    rows = list(csv.reader((tmp_path / "matrix.csv").read_text().splitlines()))
    release = load(folder)

    assert ["first", "home", "work", "city hall"] == rows[0]
    for first, *counts in rows[1:]:
        assert counts == [str(round(release.trip(first, last).value)) for last in rows[0][1:]]
    assert "home\t2\t2\t0" in seqveil("od", folder, "--matrix").out


def test_labels_that_are_nowhere_in_the_release_are_not_counted_as_zero(seqveil, tmp_path):
    folder = sealed(record_models.model_of([(0, 1), (0, 1), (1, 0)])).save(tmp_path / "two")
    seqveil("od", folder, "--out", tmp_path / "od.csv")
    seqveil("od", folder, "--matrix", "--out", tmp_path / "matrix.csv")

    assert "home,city hall,,,,not released,at most 4 items per record" in (tmp_path / "od.csv").read_text()
    assert "city hall,,," in (tmp_path / "matrix.csv").read_text()
    assert None is json.loads(seqveil("od", folder, "--json", "--top", 9).out)["top"][-1]["value"]


@pytest.mark.parametrize(("labels", "problem"), [(16, "add --out matrix.csv"), (101, "at most 100 labels")])
def test_a_square_table_that_does_not_fit_is_refused(seqveil, tmp_path, labels, problem):
    folder = sealed(record_models.model_of([(0, 1)], Domain.range(1, labels))).save(tmp_path / "many")
    ran = seqveil("od", folder, "--matrix")

    assert (2, True) == (ran.code, problem in ran.err)


def test_pairs_of_a_large_domain_are_those_of_the_release(seqveil, tmp_path):
    folder = sealed(record_models.model_of([(0, 1), (0, 1), (1, 0)], Domain.range(1, 101))).save(tmp_path / "large")

    assert 2 == json.loads(seqveil("od", folder, "--json").out)["pairs"]


def test_json(seqveil, folder, tmp_path):
    shown = json.loads(seqveil("od", folder, "--json", "--top", 1).out)
    written = json.loads(seqveil("od", folder, "--json", "--out", tmp_path / "od.tsv").out)

    assert [["home", "home"]] == [row["pattern"] for row in shown["top"]]
    assert (9, str(tmp_path / "od.tsv")) == (written["pairs"], written["out"])
    assert "home\twork\t2\t0\t10\tcount\tat most 4 items per record" in (tmp_path / "od.tsv").read_text().splitlines()


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
        assert [str(round(answer.value)), *ends, answer.kind] == [row[key] for key in ("count", "low", "high", "kind")]


def test_places_at_any_time_need_labels_with_times(seqveil, folder):
    refused = seqveil("od", folder, "--by", "place")

    assert (2, "") == (refused.code, refused.out)
    assert "publish with time bins" in refused.err
