"""Several files as arguments: of every verb that reads data, and in a file of parameters."""

from __future__ import annotations

import json

import pytest

import seqveil as sv

COLUMNS = ["--user", "card", "--item", "station", "--domain", "home,shop,work"]
RUN = [*COLUMNS, "--public-because", "a map", "--epsilon", "5"]


@pytest.fixture
def months(tmp_path, monkeypatch):
    """Two files of trips, in the working directory."""
    monkeypatch.chdir(tmp_path)
    for name, people in (("jan", range(150)), ("feb", range(100, 250))):
        rows = "".join(f"c{person},{place}\n" for person in people for place in ("home", "shop"))
        (tmp_path / f"{name}.csv").write_text("card,station\n" + rows)
    return tmp_path


def test_several_files_are_published_checked_and_evaluated(seqveil, months):
    """As one file: the words before, between and after a method's parameters."""
    published = seqveil("publish", "jan.csv", *RUN, "--l-max", "4", "feb.csv", "--out", "release")
    checked = seqveil("check", "jan.csv", "feb.csv", *COLUMNS, "--json")
    evaluated = seqveil("evaluate", "jan.csv", "feb.csv", "release", *COLUMNS[:4], "--json", "--no-sources")
    tried = ["--method", "ngram", "--epsilon", "1", "--runs", "1", "--no-sources", "--json"]
    both = seqveil("evaluate", "jan.csv", "feb.csv", *COLUMNS, *tried)

    assert [0] * 4 == [ran.code for ran in (published, checked, evaluated, both)], [published.err, evaluated.err, both.err]
    assert "reading jan.csv, feb.csv as event log" in published.err
    assert {"seen": 250, "kept": 250, "left_empty": 0} == json.loads(checked.out)["users"]
    assert json.loads(evaluated.out)["internal"] is json.loads(both.out)["internal"] is True
    assert 4 == sv.load(months / "release").manifest.mechanism.parameters["l_max"]


def test_the_account_of_several_files_is_that_of_their_folder(seqveil, months):
    """As that of a pattern for them."""
    names = []
    for words in (["jan.csv", "feb.csv"], ["feb.csv", "jan.csv"], ["*.csv"]):
        out = f"out{len(names)}"
        names.append(json.loads(seqveil("publish", *words, *RUN, "--out", out, "--json").out)["account"])
    above = [f"{months}/jan.csv", f"{months}/feb.csv"]
    named = json.loads(seqveil("publish", *above, *RUN, "--out", "out", "--json").out)["account"]

    assert ["data"] * 3 == names
    assert months.name == named


def test_a_plan_repeats_them(seqveil, months):
    plan = seqveil("plan", "jan.csv", "feb.csv", *COLUMNS, "--size", "300", "--epsilon", "1", "--json")

    assert json.loads(plan.out)["command"].startswith("seqveil publish jan.csv feb.csv --domain home,shop,work ")


def test_a_configuration_lists_them(seqveil, months):
    """What is typed wins, all of it."""
    (months / "run.toml").write_text(
        'l-max = 4\n[source]\nfile = ["jan.csv", "feb.csv"]\nuser = "card"\nitem = "station"\ndomain = "home,shop,work"\n'
        'public-because = "a map"\n[run]\nepsilon = "5"\n'
    )
    listed = seqveil("publish", "--config", "run.toml", "--n-max", "2", "--out", "a")
    typed = seqveil("publish", "jan.csv", "--config", "run.toml", "--out", "b")

    assert "reading jan.csv, feb.csv as " in listed.err
    assert "reading jan.csv as " in typed.err
    assert (0, 0) == (listed.code, typed.code)


@pytest.mark.parametrize("file", ["[]", "[1]", '[["a.csv"]]'])
def test_a_list_of_anything_else_is_refused(seqveil, months, file):
    (months / "run.toml").write_text(f"[source]\nfile = {file}\n")
    ran = seqveil("publish", "--config", "run.toml", *RUN, "--out", "a")

    assert 2 == ran.code
    assert "'file' is a list" in ran.err


def test_a_missing_file_among_several_costs_nothing(seqveil, months):
    ran = seqveil("publish", "jan.csv", "march.csv", "april.csv", *RUN, "--out", "a")

    assert 2 == ran.code
    assert "march.csv does not exist" in ran.err
    assert "april.csv does not exist" in ran.err
    assert not (months / "a").exists()
