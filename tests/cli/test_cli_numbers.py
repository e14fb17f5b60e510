"""Numbers as they are typed: each is read, or refused with what to type, in no time and before anything is spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqveil.wall.ledger import Ledger

HOSTILE = ["1e999999999", "1e-999999999", "9" * 5000, "nan", "inf", "١", "1_0", "", "0x10"]
CALL = ("publish", "trips.csv", "--item", "station", "--user", "card", "--domain", "home,work", "--out", "r", "--account", "a")


@pytest.fixture
def trips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "trips.csv").write_text("card,ts,station\nann,1,home\nann,2,work\nbob,1,home\n")
    (tmp_path / "events.txt").write_text("1\n2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "ledger-home"))
    return tmp_path


@pytest.mark.parametrize("number", HOSTILE)
def test_hostile_numbers_are_refused_everywhere(trips: Path, seqveil: Any, number: str) -> None:
    """The budget, caps, parameters of methods, bounds of streams, thresholds."""
    calls = [
        (*CALL, f"--epsilon={number}"),
        (*CALL, "--epsilon", "1", f"--l-max={number}"),
        (*CALL, "--epsilon", "1", f"--theta={number}"),
        ("ledger", "cap", "trips", number),
        ("stream", "sum", "events.txt", "--lower", "0", f"--upper={number}", "--length", "9", "--epsilon", "1", "--account", "m"),
        ("stream", "sum", "events.txt", "--lower", "0", "--upper", "1", f"--resolution={number}", "--length", "9",
         "--epsilon", "1", "--account", "m"),
        ("fenced", "suppress", "trips.csv", "--user", "card", "--time", "ts", "--item", "station", "--sensitive", "x", "--values",
         "y", "--k", "2", f"--c={number}", "--out", "r"),
        ("fenced", "suppress", "trips.csv", "--user", "card", "--time", "ts", "--item", "station", "--sensitive", "x", "--values",
         "y", "--k", "2", "--c", "0.5", f"--l={number}", "--out", "r"),
    ]  # fmt: skip
    for call in calls:
        ran = seqveil(*call)
        assert 2 == ran.code, (call, ran)
        assert "internal error" not in ran.err
        assert len(ran.err) < 1000
    assert not (trips / "r").exists()
    assert not (trips / "ledger-home").exists() or [] == list(Ledger().accounts())


@pytest.mark.parametrize(
    ("option", "number"),
    [("--max-sequences", "9" * 30), ("--max-sequences", "999999999999999999"), ("--seed", "9" * 400), ("--size", "9" * 400)],
)
def test_whole_numbers_that_no_run_can_work_with_spend_nothing(trips: Path, seqveil: Any, option: str, number: str) -> None:
    """A bound that leads to infinite noise was found out after the data had been read."""
    ran = seqveil(*CALL, "--epsilon", "1", "--public-because", "x", option, number)

    assert 2 == ran.code
    assert "internal error" not in ran.err
    assert not (trips / "ledger-home").exists() or [] == list(Ledger().accounts())


@pytest.mark.parametrize("option", ["--theta", "--epsilon"])
def test_options_that_typer_reads_are_finite_too(trips: Path, seqveil: Any, option: str) -> None:
    ran = seqveil("fenced", "route", "roads.gr", "--users", "friends.yaml", option, "nan")

    assert (2, f"error: {option} is out of range: give a number of at most 2^64\n") == (ran.code, ran.err)
