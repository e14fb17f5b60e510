"""Calls that would have promised, spent or said something wrong: each is refused, with what to type instead."""

from __future__ import annotations

import re
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
        (("--unit", "user"), "--unit user needs a user column: add --user COLUMN, or use --unit record."),
        (
            ("--kind", "sets"),
            "this method, which works on sequences: use --kind sequences, or choose another --method (`seqveil methods` lists",
        ),
        (("--method", "diffpart", "--kind", "sequences"), "this method, which works on sets: use --kind sets or relational"),
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


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (("--itme", "station"), "unknown option --itme (did you mean --time or --item?)"),
        (("--method", "pfs2"), "pfs2 is a method for `seqveil mine`: use that, or choose one of record-model,"),
        (("--epsilon", "1e-13"), "for example 0.000000000001."),
        (("--config", "nowhere.toml"), "--config nowhere.toml: cannot be read (No such file or directory): check the path."),
        (("--config", "trips.csv"), "write lines such as l_max = 20."),
        (("--size", "-5"), "--size"),
        (("--max-sequences", "0"), "--max-sequences"),
    ],
)
def test_what_was_misspelt_is_told_with_what_to_type(trips: Path, seqveil: Any, words: tuple[str, ...], advice: str) -> None:
    ran = seqveil("publish", *TRIPS, "--dry-run", *words)

    assert 2 == ran.code
    assert advice in ran.err
    assert "Errno" not in ran.err


def test_check_refuses_a_kind_it_does_not_know(trips: Path, seqveil: Any) -> None:
    """It was read as sequences in silence."""
    ran = seqveil("check", "trips.csv", "--item", "station", "--domain", "home,work", "--kind", "grpah")

    assert (2, "") == (ran.code, ran.out)
    assert "--kind 'grpah' cannot be checked: use one of graph, sequences, sets." in ran.err


def test_without_any_column_only_the_missing_one_is_told(trips: Path, seqveil: Any) -> None:
    """A header that has none of no columns is no second problem."""
    ran = seqveil("check", "trips.csv", "--domain", "home,work")

    assert 2 == ran.code
    assert "add --item COLUMN" in ran.err
    assert "line 1 has no" not in ran.err


def test_more_patterns_than_there_are_is_told_with_how_many(trips: Path, seqveil: Any) -> None:
    ran = seqveil("mine", *TRIPS, "--method", "ffs", "--top", "200")

    assert 2 == ran.code
    assert "200: only 117 patterns of length 2 to 4 exist over 3 labels: give at most 117." in ran.err


@pytest.mark.parametrize("words", [("ledger",), ("fenced", "route"), ("stream", "count"), ("publish",), ("link", "base")])
def test_help_is_whole_at_80_columns(seqveil: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    """No option's text is cut off, and no verb has options that the others do not have."""
    monkeypatch.setenv("COLUMNS", "80")
    ran = seqveil(*words, "--help")

    assert not [line for line in ran.out.splitlines() if re.search(r"\.[a-z]*… *│$", line)]
    assert "--install-completion" not in ran.out


def test_an_itemset_is_shown_as_query_reads_it(trips: Path, seqveil: Any) -> None:
    """One notation for all patterns; the heading says that order does not matter."""
    (trips / "baskets.seq").write_text("home work\n" * 300)
    call = (
        "mine",
        "baskets.seq",
        "--domain",
        "home,work,shop",
        "--method",
        "itemsets",
        "--support",
        0.5,
        "--epsilon",
        50,
        "--seed",
        1,
    )
    assert 0 == seqveil(*call, "--out", "r").code

    shown = seqveil("inspect", "r").out

    assert "contain all labels in any order" in " ".join(shown.split())
    assert "  home work\n" in shown


def test_the_separator_to_type_is_one_that_no_label_holds(trips: Path, seqveil: Any, small_release: Any) -> None:
    folder = small_release(labels=("Mill, East", "Ely"))

    assert "or add --separator ';'" in seqveil("query", folder, "Mill, East Ely").err
    assert "a query is empty: give labels" in seqveil("query", folder, "").err


def test_an_empty_domain_is_told_as_what_was_typed(trips: Path, seqveil: Any) -> None:
    """It was looked for as the folder it is called from."""
    ran = seqveil("check", "trips.csv", "--item", "station", "--domain", "")

    assert (2, "") == (ran.code, ran.out)
    assert "the domain: is empty: give a file with one label per line" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("publish", "missing required arguments: FILE, --domain, --epsilon, --out. For example: seqveil publish trips.csv"),
        ("publish --l-max 4 --domain a --epsilon 1 --out r", "missing required argument: FILE. See seqveil publish --help."),
        ("publish x.csv --epsilon 1", "missing required options: --domain, --out."),
        ("link embed", "missing required arguments: NAMES, --base, --out, --key."),
        ("ledger cap", "missing required arguments: NAME, EPSILON. For example: seqveil ledger cap metro-2026 3.0."),
        ("stream count --length 1e3", "--length '1e3' is not allowed: it must be a whole number."),
        ("demo --passengers=-1", "--passengers '-1' is not allowed: it must be at least 1."),
        ("check x.csv --domain a --l-mox 3", "unknown option --l-mox (did you mean --l-max?)."),
        ("audit ngram --budget", "--budget needs a value."),
        ("check x.csv --domain a --log-format json", "--log-format stands before the verb: seqveil --log-format … check …."),
        ("publsh", "unknown command 'publsh' (did you mean publish?)."),
        ("stream cuont", "unknown command 'cuont' (did you mean count?)."),
        ("stream count x y z", "unexpected arguments 'y z'. See seqveil stream count --help."),
    ],
)
def test_words_that_cannot_be_read_are_told_like_everything_else(seqveil: Any, words: str, message: str) -> None:
    """All that is missing at once, what was typed, what to type: in one line, not in a box."""
    ran = seqveil(*words.split())

    assert (2, "") == (ran.code, ran.out)
    assert ran.err.startswith(f"error: {message}")
    assert 1 == ran.err.count("\n")


def test_an_option_of_the_program_among_those_of_a_method_is_told_apart(seqveil: Any) -> None:
    ran = seqveil("publish", "x.csv", "--log-format", "json", "--domain", "a", "--epsilon", "1", "--out", "r")

    assert 2 == ran.code
    assert "--log-format stands before the verb: seqveil --log-format … publish …." in ran.err
