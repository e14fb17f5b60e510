"""--config: a small TOML file with one value per name, for the method, the source and the run, read in no time."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import seqveil as sv
from seqveil.cli.config import SOURCE, read_config
from seqveil.errors import CallError
from seqveil.registry import make
from seqveil.sources.layout import Layout


def test_values_are_read(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('l_max = 12\ntheta = 3.5\napproximate = false\n# a remark\nn_max = "4"\n', encoding="utf-8")

    mechanism = make("ngram", read_config(file))

    assert (12, 3.5, False, 4) == (mechanism.l_max, mechanism.theta, mechanism.approximate, mechanism.n_max)


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(CallError, match=r"--config /dev/zero: is larger than 16,384 bytes"):
        read_config(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[publish]\nl_max = 12\n",
            "'publish' is a table: write one value per name, such as l_max = 20; options go under [source] and [run]",
        ),
        ("[source]\nuser = [1]\n", "'user' is a list: write one value per name, such as l_max = 20"),
        ("l_max = [12]\n", "'l_max' is a list"),
        ("l_max = 2026-10-31\n", "'l_max' is a date or time"),
        ("l_max = " + "[" * 9000, "is not TOML"),
        ("l_max = " + "{a=" * 5000, "is not TOML"),
        ("l_max = " + "9" * 5000, "is not TOML"),
        ("l_max", "is not TOML (Expected '=' after a key in a key/value pair"),
        ("\0\0", "is not TOML"),
    ],
    ids=range(9),
)
def test_other_files_are_refused_with_what_to_write(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "run.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(CallError) as refused:
        read_config(file)
    assert problem in str(refused.value)
    assert "l_max = 20" in str(refused.value)


@pytest.mark.parametrize("value", ["inf", "nan", "true", "-inf"])
def test_values_that_are_no_numbers_are_refused(tmp_path: Path, value: str) -> None:
    """An infinite threshold went through."""
    file = tmp_path / "run.toml"
    file.write_text(f"theta = {value}\n", encoding="utf-8")

    with pytest.raises(CallError, match=r"theta=.*: give a number\."):
        make("ngram", read_config(file))


@pytest.mark.parametrize("value", [1.5, True, [1], {"a": 1}, None, 10**30, 10**5000, float("nan")], ids=range(8))
def test_a_parameter_of_another_kind_is_refused(value: object) -> None:
    """Also where it comes from the manifest of a release (--like)."""
    with pytest.raises(CallError, match=r"n_max=.*: give a whole number\."):
        make("ngram", {"n_max": value})


RUN = """
l_max = 3
n_max = 2

[source]
file = "trips.csv"
domain = "home,work,shop"
user = "card"
item = "station"
public_because = "a published map"

[run]
method = "ngram-uniform"
epsilon = "1.5"
unit = "user"
max_sequences = 2
seed = 7
out = "r"
json = true
"""


@pytest.fixture
def trips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "trips.csv").write_text("card,station\n" + "ann,home\nann,work\nbob,home\n" * 50)
    (tmp_path / "run.toml").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_holds_a_whole_run(trips: Path, seqveil: Any) -> None:
    """Required options, the file, and the parameters of the method; one object of JSON comes out."""
    ran = seqveil("publish", "--config", "run.toml")
    manifest = sv.load(trips / "r").manifest

    assert 0 == ran.code, ran.err
    assert "ngram-uniform" == json.loads(ran.out)["method"]
    assert ("1.5", {"name": "user", "max_sequences": 2}) == (manifest.epsilon, manifest.unit)
    assert "a published map" == manifest.domain.public_because
    assert (3, 2) == (manifest.mechanism.parameters["l_max"], manifest.mechanism.parameters["n_max"])


def test_the_command_line_wins(trips: Path, seqveil: Any) -> None:
    """Over options of both sections, and over parameters."""
    ran = seqveil("publish", "--config", "run.toml", "--epsilon", "2.5", "--domain", "home,work", "--l-max", "4", "--out", "s")
    manifest = sv.load(trips / "s").manifest

    assert 0 == ran.code, ran.err
    assert ("2.5", 2, 4) == (manifest.epsilon, manifest.domain.size, manifest.mechanism.parameters["l_max"])


@pytest.mark.parametrize(
    ("section", "line", "problem"),
    [
        ("source", 'itme = "x"', "[source] has no option 'itme': did you mean time?"),
        ("source", 'epsilon = "1"', "[source] has no option 'epsilon': move it to [run]"),
        ("run", 'user = "card"', "[run] has no option 'user': move it to [source]"),
        ("run", 'config = "again.toml"', "[run] has no option 'config': use one of epsilon,"),
    ],
)
def test_an_option_that_is_none_is_refused(trips: Path, seqveil: Any, section: str, line: str, problem: str) -> None:
    """With the one that was meant, or with all there are."""
    (trips / "wrong.toml").write_text(f"[{section}]\n{line}\n")
    ran = seqveil("publish", "--config", "wrong.toml")

    assert (2, "") == (ran.code, ran.out)
    assert f"--config wrong.toml: {problem}" in ran.err


@pytest.mark.parametrize(("line", "problem"), [("max_sequences = 0", "--max-sequences"), ('size = "many"', "--size")])
def test_a_value_of_a_file_is_checked_like_a_typed_one(trips: Path, seqveil: Any, line: str, problem: str) -> None:
    (trips / "wrong.toml").write_text(f"[run]\n{line}\n")
    ran = seqveil("publish", "trips.csv", "--domain", "a", "--epsilon", "1", "--out", "r", "--config", "wrong.toml")

    assert (2, "") == (ran.code, ran.out)
    assert problem in ran.err


def test_every_field_of_a_layout_may_stand_in_a_file() -> None:
    """By the name of the option."""
    assert {field.name for field in fields(Layout)} < set(SOURCE)


def test_an_option_outside_the_sections_is_refused(trips: Path, seqveil: Any) -> None:
    """It would be ignored, and a required one would be called missing."""
    (trips / "wrong.toml").write_text('l_max = 3\nepsilon = "1"\nuser = "card"\n')
    ran = seqveil("publish", "trips.csv", "--config", "wrong.toml")

    assert (2, "") == (ran.code, ran.out)
    assert "'epsilon' is no parameter of a method: move it to [run]" in ran.err
    assert "'user' is no parameter of a method: move it to [source]" in ran.err
    assert "l_max" not in ran.err


def test_names_may_be_written_as_on_the_command_line(tmp_path: Path) -> None:
    """`l-max` is `l_max`, in every section."""
    file = tmp_path / "run.toml"
    file.write_text('l-max = 12\n[source]\npublic-because = "x"\n[run]\ndataset-name = "Taps"\n', encoding="utf-8")

    assert read_config(file) == {"l_max": 12, "source": {"public_because": "x"}, "run": {"dataset_name": "Taps"}}


def test_a_name_in_both_spellings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("l-max = 12\nl_max = 13\n", encoding="utf-8")

    with pytest.raises(CallError, match="'l-max' stands there twice"):
        read_config(file)
