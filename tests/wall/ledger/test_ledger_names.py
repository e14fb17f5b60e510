"""Names of accounts: one account for what looks the same, and a warning where two names are easily confused."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqveil.errors import CallError
from seqveil.tables.units import Record
from seqveil.wall.ledger import Entry, Ledger, names
from seqveil.wall.ledger.book import Book


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def reserve(ledger: Ledger, account: str):
    return ledger.reserve(account, 10, unit=Record(), mechanism="m")


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "Zürich-Ågård") for form in ("NFC", "NFD"))


def test_one_account_however_its_name_is_composed(ledger):
    """Typed on a Mac or on Linux: the cap of one is the cap of the other, everywhere an account is named."""
    ledger.set_cap(DECOMPOSED, 25)
    ledger.agree_cap(COMPOSED, 25)
    first, second = reserve(ledger, COMPOSED), reserve(ledger, DECOMPOSED)

    assert COMPOSED != DECOMPOSED
    assert {COMPOSED} == {first.account, second.account, *(account.name for account in ledger.accounts())}
    assert 20 == ledger.account(DECOMPOSED).reserved
    assert 2 == len(ledger.charges(DECOMPOSED))
    assert ledger.history(COMPOSED) == ledger.history(DECOMPOSED)


@pytest.mark.parametrize(
    "mark", ["\u200b", "\u202e", "\u2066", "\u00ad", "\u3164", "\u034f", "\ufe0f", "\u2800", "\U000e0101", "\x85"]
)
@pytest.mark.parametrize("use", [lambda ledger, name: ledger.set_cap(name, 5), reserve])
def test_what_a_reader_cannot_see_is_refused(ledger, mark, use):
    """Invisible characters, fillers and turns of direction; the text spells them out."""
    with pytest.raises(CallError, match=r"account = 'met\\[uUx].*: give a name of 1 to 200 printable, visible characters"):
        use(ledger, f"met{mark}ro")
    assert [] == ledger.accounts()


def test_an_old_account_with_a_name_that_is_refused_today_stays_reachable():
    """0.1 allowed fillers; an account that exists is never out of reach."""
    book = Book()
    book.post(Entry(1, "", "cap", "met\u3164ro", "", 5, "{}"))

    assert "met\u3164ro" == names.settle("met\u3164ro", book.accounts)
    with pytest.raises(CallError):
        names.settle("met\u3164ros", book.accounts)


@pytest.mark.parametrize(
    ("new", "close"),
    [
        ("Metro-City", True),
        ("metro_city", True),
        ("metro city", True),
        ("ｍetro-city", True),
        ("metro-citу", True),  # the last letter is Cyrillic
        ("metr-city", True),
        ("metrro-city", True),
        ("metor-city", True),
        ("netro-city", True),
        ("metro–city", True),
        ("tram-city", False),
        ("metro-county", False),
        ("city-metro", False),
    ],
)
def test_a_new_account_with_a_near_name_is_warned_about(ledger, new, close):
    """By set_cap and by the first reserve; later uses, and names that are far enough, are silent."""
    ledger.set_cap("metro-city", 100)
    warned = ledger.set_cap(new, 100)
    first, second = reserve(ledger, new).warning, reserve(ledger, new).warning

    assert close == (warned is not None and "close to that of 'metro-city'" in warned)
    assert close == (first is not None and "close to that of 'metro-city'" in first)
    assert second is None
    assert ledger.set_cap(new, 99) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [("metro-2025", "metro-2026"), ("run 9", "run 10"), ("abc", "abd"), ("a", "b"), ("Zürich", "München")],
)
def test_names_that_are_meant_to_differ_are_not(ledger, one, other):
    """Another number, or a short name."""
    ledger.set_cap(one, 100)

    assert ledger.set_cap(other, 100) is None


def test_without_a_cap_both_warnings_are_given(ledger):
    """One sentence does not hide the other."""
    reserve(ledger, "metro")
    warning = reserve(ledger, "Metro").warning

    assert "has no cap" in warning
    assert "close to that of 'metro'" in warning


letters = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)


@given(letters, letters)
def test_nearness_is_symmetric(one, other):
    """Whichever of the two was there first."""
    assert bool(names.near(one, [other])) == bool(names.near(other, [one]))


@given(letters)
def test_a_name_settles_once(name):
    """What a name settles to settles to itself, and to the same account in every normal form."""
    try:
        settled = names.settle(name, [])
    except CallError:
        return
    assert settled == names.settle(settled, []) == names.settle(unicodedata.normalize("NFD", name), [settled])


def test_the_command_line_warns_and_names_the_account_that_is_meant(tmp_path, monkeypatch):
    """On stderr, so that --json stays one object; in whatever normal form the name was typed."""
    from typer.testing import CliRunner

    from seqveil.cli.ledger import ledger_app

    monkeypatch.setenv("SEQVEIL_HOME", str(tmp_path))
    run = lambda *words: CliRunner().invoke(ledger_app, list(words))  # noqa: E731
    run("cap", COMPOSED, "2.0")
    again, near = run("cap", DECOMPOSED, "3.0"), run("cap", COMPOSED.upper(), "1.0", "--json")

    assert f"Account {COMPOSED!r}: cap 3.0" in again.stdout
    assert "" == again.stderr
    assert f"warning: Account {COMPOSED.upper()!r} is new" in near.stderr
    assert COMPOSED.upper() == json.loads(near.stdout)["account"]
    assert 0 == run("history", DECOMPOSED).exit_code
    assert [COMPOSED] == [each["account"] for each in json.loads(run("show", DECOMPOSED, "--json").stdout)["accounts"]]
