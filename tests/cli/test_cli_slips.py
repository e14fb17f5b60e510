"""Slips of the hand that used to cost ε or promise too much: each is refused, or told, before anything is charged."""

from __future__ import annotations

from pathlib import Path

import pytest

import seqveil as sv
from seqveil.errors import CallError, InputProblems
from seqveil.release.readme import factor
from seqveil.tables.names import _SCRIPTS, Alphabet
from seqveil.wall.budget import GRAINS
from seqveil.wall.continual.where import Where
from seqveil.wall.ledger import Ledger
from seqveil.wall.ledger.book import Account
from seqveil.wall.ledger.rules import uncapped


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    path = tmp_path / "log.csv"
    path.write_text("who,what\n" + "ann,a\nbob,b\n" * 50)
    return path


def call(log: Path, *more: str) -> list[str]:
    return ["publish", str(log), "--item", "what", "--domain", "a,b", "--epsilon", "1", "--out", str(log.parent / "r"), *more]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--size", "100"], "--size only applies to --dry-run"),
        (["--k", "3"], "--k only applies to graphs"),
        (["--order-is-public"], "--order-is-public only applies to graphs"),
        (["--max-sequences", "4"], "--max-sequences only applies to --unit user"),
        (["--user", "who", "--unit", "record", "--max-sequences", "4"], "--max-sequences only applies to --unit user"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(seqveil, log, more, message):
    """Whoever typed it means another run than the one that would be charged."""
    ran = seqveil(*call(log, *more))

    assert 2 == ran.code
    assert message in ran.err
    assert [] == Ledger().accounts()


def test_rows_that_nobody_owns_are_told(seqveil, log):
    """Without users every row is a record; with them, nothing is said."""
    alone = seqveil(*call(log, "--seed", "1"))
    owned = seqveil(*call(log, "--seed", "1", "--user", "who", "--out", str(log.parent / "s")))

    assert "every row is a separate record" in alone.err
    assert "every row is a separate record" not in owned.err


def test_the_data_are_no_public_list_of_labels(seqveil, log):
    """Given twice, by two names of the same file: refused, in a dry run as well."""
    words = call(log, "--dry-run")
    words[words.index("--domain") + 1] = str(log.parent / "." / ".." / log.parent.name / log.name)
    ran = seqveil(*words)

    assert 2 == ran.code
    assert "is the data to be protected" in ran.err


def test_a_dry_run_says_how_rows_would_be_read(seqveil, log):
    """From the name and the options alone: that the run would be refused, and that nobody owns the rows."""
    named = [*call(log), "--dry-run"]
    at = named.index("--item")
    ran, unnamed = seqveil(*named), seqveil(*named[:at], *named[at + 2 :])
    nowhere = seqveil(*[word if word != str(log) else "nowhere.csv" for word in named])

    assert 0 == ran.code == nowhere.code == unnamed.code
    assert f"would read {log} as event log, comma-separated (csv)" in ran.err
    assert "every row is a separate record" in ran.err
    assert "would read nowhere.csv as event log" in nowhere.err
    assert "this run would be refused: no item column given: add --item COLUMN" in unnamed.err
    assert "would be refused" not in ran.err


@pytest.mark.parametrize(("typed", "meant"), [("=> 5", ">= 5"), ("=< 5", "<= 5"), ("==> 5", ">= 5"), ("=!home", "!= home")])
def test_a_comparison_turned_round_is_refused(typed, meant):
    """It was taken for a label that no event equals, and counted nothing."""
    with pytest.raises(CallError, match=f"write '{meant}'"):
        Where(typed)


@pytest.mark.parametrize("word", ["latn", "lattin", "greek", "Cyrillic", "ascii"])
def test_a_word_for_an_alphabet_is_not_a_list_of_letters(word):
    """The letters of a misspelt word made a base of four letters."""
    with pytest.raises(InputProblems, match="is not the name of an alphabet"):
        Alphabet.parse(word)
    assert "abcdef" == Alphabet.parse("abcdef").text


@pytest.mark.parametrize("meant", sorted(set(_SCRIPTS.values())))
def test_the_alphabet_that_is_advised_is_one(meant):
    """What an error says to type must be accepted."""
    assert len(Alphabet.parse(meant).text) >= 20


def test_a_base_refuses_pointless_options_too(seqveil, tmp_path, monkeypatch):
    """`link base` spends ε as `publish` does."""
    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path / "home"))
    (tmp_path / "names.csv").write_text("name\nanna\nbob\n")
    call = ["link", "base", tmp_path / "names.csv", "--column", "name", "--epsilon", "1", "--out", tmp_path / "b"]
    ran = seqveil(*call, "--size", "100", "--max-sequences", "3")

    assert 2 == ran.code
    assert "--size only applies to --dry-run" in ran.err
    assert "--max-sequences only applies to --unit user" in ran.err
    assert [] == Ledger().accounts()


def test_a_text_is_one_label_and_no_list_of_them():
    """A list of words is a list of records of one label each, not of letters; a domain is never one text."""
    pages = sv.Domain.of(["home", "buy"])

    assert [[0], [1]] == [s.tolist() for s in sv.table_of(["home", "buy"], pages).flat]
    with pytest.raises(CallError, match="give a list of labels"):
        sv.Domain.of("home,buy")


@pytest.mark.parametrize("unit", ["user", 5, sv.User])
def test_a_unit_that_is_none_is_refused_in_words(unit, tmp_path):
    """Before the vault is made."""
    table = sv.table_of([["a"]], sv.Domain.of(["a", "b"]), users=[1])

    with pytest.raises(CallError, match=r"give sv\.User"):
        sv.Vault(table, unit=unit, account="x", home=tmp_path)


def test_a_mechanism_is_not_a_name(tmp_path):
    """What `--method` takes is no mechanism."""
    vault = sv.Vault(sv.table_of([["a"]], sv.Domain.of(["a", "b"])), account="x", home=tmp_path)

    with pytest.raises(CallError, match="give a mechanism"):
        vault.release("ngram", epsilon="1")  # type: ignore[arg-type]
    assert [] == Ledger(tmp_path).accounts()


@pytest.mark.parametrize("epsilon", ["0.001", "0.1", "0.25", "0.7", "1.0", "1.5", "2.5", "7.3"])
def test_a_bound_is_rounded_up(epsilon):
    """A factor that is rounded down promises more than holds."""
    from decimal import Decimal

    shown = Decimal(factor(epsilon).rpartition("= ")[2].replace(",", ""))

    assert 0 <= shown - Decimal(epsilon).exp() <= Decimal(epsilon).exp() * Decimal("0.01")


@pytest.mark.parametrize(("spent", "cap"), [(0, "3.0"), (2.5, "3.0"), (4.001, "5.0"), (1000, "1001.0")])
def test_the_cap_that_is_advised_leaves_something(spent, cap):
    """Pasting the advice must not close the account."""
    assert str(uncapped(Account("metro", spent=int(spent * GRAINS)))).endswith(f"seqveil ledger cap metro {cap}")
