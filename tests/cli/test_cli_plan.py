"""`seqveil plan` and `--dry-run`: what is printed can be pasted back, and no data is opened."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from seqveil.cli.options import TO_FILL_IN

CALL = ("plan", "--domain", "1..6", "--size", 2000, "--epsilon", "0.5,2", "--length", 4, "--l-max", 5, "--method", "ngram")
OPENED: list[str] = []
"""Every path that this process opens, once `watched` has been used."""


@pytest.fixture
def watched(monkeypatch):
    """Paths that are opened while a test runs."""
    if not OPENED:
        OPENED.append("")
        sys.addaudithook(lambda event, args: OPENED.append(str(args[0])) if event == "open" and args else None)
    OPENED[1:] = []
    return OPENED


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    file = tmp_path / "clicks.seq"
    file.write_text("1 2 3\n2 3\n4 5 6\n" * 200)
    return file


def filled(typed: list[str]) -> list[str]:
    """The printed words, with a reason."""
    return [word if word != TO_FILL_IN else "simulated" for word in typed]


def test_a_plan_is_a_table_with_a_range_and_a_command(seqveil):
    """Measures in rows, ε in columns; remarks on stderr."""
    ran = seqveil(*CALL)
    header, *rows = [line.split("\t") for line in ran.out.splitlines()]

    assert (0, ["measure", "ε = 0.5", "ε = 2.0"]) == (ran.code, header)
    assert {3} == {len(row) for row in rows}
    assert any("top 20" in row[0] and "%" in row[1] for row in rows)
    assert "flat, typical, skewed, regular data" in ran.err
    assert "--method ngram --l-max 5 --public-because 'WHERE THE LABELS ARE PUBLISHED' --epsilon" in ran.err
    assert "To make the release, fill in FILE, its columns if it has any (--user, --item, --time), and where" in ran.err
    assert "Nothing was read, and nothing was spent." in ran.err


def test_programs_get_one_object(seqveil):
    """With every population, and the command."""
    plan = json.loads(seqveil(*CALL, "--target", "labels within 5%", "--json").out)

    assert ["0.5", "2.0"] == [one["epsilon"] for one in plan["predictions"]]
    assert {"flat", "typical", "skewed", "regular"} == set(plan["predictions"][0]["populations"])
    assert {"typical", "low", "high"} == set(plan["predictions"][0]["measures"]["labels"])
    assert plan["answer"]["target"] == "labels within 5%"
    assert f"--epsilon {plan['answer']['epsilon']}" in plan["command"]


def test_the_answer_to_a_target_is_a_result(seqveil):
    """On stdout, with its range over the populations."""
    last = seqveil(*CALL, "--target", "labels within 5%").out.splitlines()[-1]

    assert last.startswith("labels within 5%: ε = ")
    assert "skewed: " in last


def test_no_data_is_opened(seqveil, watched, clicks):
    """Neither by a plan nor by a dry run; the watch itself notices whoever opens the file."""
    del watched[1:]  # the file has just been written
    assert 0 == seqveil(*CALL[:1], clicks, *CALL[1:]).code
    assert 0 == seqveil("publish", clicks, "--domain", "1..6", "--epsilon", "1", "--dry-run", "--size", 500).code
    assert str(clicks) not in watched

    assert 0 == seqveil("plan", *CALL[1:], "--like", clicks).code
    assert str(clicks) in watched


def test_what_is_printed_can_be_pasted(seqveil, clicks, tmp_path, monkeypatch):
    """With the file, the layout and the parameters of the plan."""
    monkeypatch.chdir(tmp_path)
    plan = json.loads(seqveil(*CALL[:1], "clicks.seq", *CALL[1:], "--format", "lines", "--json").out)
    typed = shlex.split(plan["command"])[1:]
    unfilled = seqveil(*typed, "--seed", 1)
    ran = seqveil(*filled(typed), "--seed", 1)

    assert 2 == unfilled.code
    assert "is to be filled in: say where the list of labels is published" in unfilled.err
    assert 0 == ran.code, ran.err
    assert (tmp_path / "release").is_dir()


def test_lengths_of_patterns_are_kept_apart_from_that_of_records(seqveil, clicks, tmp_path, monkeypatch):
    """--longest is a parameter of the method and stands in the command that a plan prints; --length describes the data."""
    monkeypatch.chdir(tmp_path)
    call = ("--domain", "1..6", "--method", "ffs", "--top", 10, "--longest", 2, "--length", 3, "--size", 600, "--json")
    plan = json.loads(seqveil("plan", "clicks.seq", *call).out)
    dry = json.loads(seqveil("mine", "clicks.seq", *call, "--epsilon", 1, "--dry-run").out)

    assert 2 == plan["parameters"]["longest"] == dry["parameters"]["longest"]
    assert "mine clicks.seq --domain 1..6 --method ffs --top 10 --longest 2" in plan["command"]
    assert 0 == seqveil(*filled(shlex.split(plan["command"])[1:]), "--seed", 1).code


def test_a_sample_is_warned_about(seqveil, clicks):
    """It is read as it is."""
    ran = seqveil("plan", *CALL[1:], "--like", clicks)

    assert 0 == ran.code
    assert "it must be public or simulated. It influences this plan only." in ran.err
    assert "Records were drawn from the sample." in ran.err
    assert "Nothing but the sample was read" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", "--domain", "1..6"), "a plan needs a rough public number of records: add --size 200000"),
        (("plan", "--domain", "1..6", "--size", 10, "--sise", 3), "unknown option --sise (did you mean --size"),
        (("plan", "--domain", "1..6", "--size", 10, "--epsilon", "1,x"), "epsilon = 'x' is not a number"),
        (("plan", "--domain", "1..6", "--size", 10, "--target", "good"), "--target 'good': write what shall be how close"),
        (("plan", "--domain", "1..6", "--size", 10, "--method", "binary"), "binary answers a stream"),
        (("plan", "--domain", "1..6", "--size", 10, "--method", "nope"), "unknown method 'nope'"),
        (("plan", "--size", 10), "missing required option: --domain"),
        (("publish", "x.seq", "--domain", "1..6", "--epsilon", 1), "missing required option: --out"),
        (
            ("publish", "x.seq", "--domain", "1..6", "--epsilon", 1, "--out", "r", "--length", 4),
            "--length only applies to --dry-run",
        ),
    ],
)
def test_wrong_calls(seqveil, words, said):
    """What is wrong, what is allowed, what to type."""
    ran = seqveil(*words)

    assert 2 == ran.code
    assert said in ran.err


def test_a_graph_is_planned_by_formulas_and_says_so(seqveil):
    """Nothing is simulated."""
    ran = seqveil("plan", "--domain", "1..50", "--method", "graph-random", "--size", 100, "--epsilon", 1)

    assert 0 == ran.code
    assert "ε = 1.0: " in ran.out
    assert "data of this kind is not simulated; these statements follow from formulas alone" in ran.err


def test_a_dry_run_needs_no_folder(seqveil):
    """Nothing is written; with a config file that says so, too."""
    ran = seqveil("publish", "no-such.seq", "--domain", "1..6", "--epsilon", "1", "--dry-run", "--account", "a")

    assert (0, True) == (ran.code, "Nothing was read" in ran.err)


def test_a_dry_run_in_a_config_needs_no_folder(seqveil, tmp_path):
    """The option may stand in [run]."""
    config = tmp_path / "run.toml"
    config.write_text('[source]\nfile = "no-such.seq"\ndomain = "1..6"\n[run]\nepsilon = "1"\ndry_run = true\n')

    assert 0 == seqveil("publish", "--config", config).code


def test_a_dry_run_refuses_what_a_run_would_refuse(seqveil):
    """Noise of a scale that hides any data."""
    ran = seqveil("publish", "x.seq", "--domain", "1..6", "--epsilon", "0.0000000001", "--dry-run")

    assert 2 == ran.code
    assert "would hide any data" in ran.err


def test_a_dry_run_warns_of_an_empty_release(seqveil):
    """`diffpart` over a thousand labels publishes nothing of 500 sets; 200,000 sequences over six labels are fine."""
    empty = seqveil("publish", "x.dat", "--method", "diffpart", "--domain", "1..1000", "--epsilon", 1, "--dry-run", "--size", 500)
    fine = seqveil("publish", "x.seq", "--domain", "1..6", "--epsilon", 1, "--dry-run", "--size", 200_000)

    # By formula: whether the simulation says so too depends on whether it ends in time on this machine.
    assert "warning: little or nothing of 500 records will pass the first cut" in empty.err
    assert "warning" not in fine.err
    assert "expect: of the true top 20 patterns" in fine.err or "expect: not simulated here" in fine.err


def test_a_stream_warns_of_a_large_epsilon(seqveil):
    """In its dry run, as in every other."""
    call = ("stream", "count", "--where", ">= 5", "--length", 1000, "--dry-run", "--epsilon")

    assert "warning: epsilon = 50.0 is too large" in seqveil(*call, 50).err
    assert "warning" not in seqveil(*call, 1).err
    assert ["epsilon"] == [one.split()[0] for one in json.loads(seqveil(*call, 50, "--json").out)["warnings"]]
