"""Calls that would have promised, spent or said something wrong: each is refused, with what to type instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TRIPS = ("trips.csv", "--item", "station", "--domain", "home,work,shop", "--epsilon", "1", "--out", "r")


@pytest.fixture
def trips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an event log, where calls are made; its ledger is its own."""
    (tmp_path / "trips.csv").write_text("card,ts,station\nann,1,home\nann,2,work\nbob,1,home\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "ledger-home"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--unit", "user"), "--unit user: add --user COLUMN, which says whose each row is, or write --unit record."),
        (("--kind", "sets"), "--kind 'sets': this method works on sequences: write --kind sequences, or leave it out."),
        (("--method", "diffpart", "--kind", "sequences"), "this method works on sets: write --kind sets or relational"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_a_call_that_would_promise_or_count_something_else_is_refused(
    trips: Path, seqveil: Any, words: tuple[str, ...], advice: str, more: tuple[str, ...]
) -> None:
    """Before anything is spent: rows are no users, and what a method counts rests on the make-up of its tables."""
    ran = seqveil("publish", *TRIPS, *words, *more)

    assert 2 == ran.code
    assert advice in ran.err
    assert not (trips / "r").exists()
    assert not (trips / "ledger-home").exists()
