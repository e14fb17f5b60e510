"""What the ledger keeps, in one process: spends and their states, fingerprints, history, files."""

import json
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from ledgers import publish, reserve
from seqveil.errors import CallError, LedgerError
from seqveil.home import home
from seqveil.tables.units import User
from seqveil.wall.budget import GRAINS
from seqveil.wall.ledger import Entry, Ledger
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def test_status_machine(ledger):
    """reserved → begun → committed → withdrawn, each step once; epsilon counts all the way."""
    spend = reserve(ledger)
    with pytest.raises(LedgerError, match="it is reserved, not begun"):
        spend.commit("r1", "d")
    spend.begin()
    with pytest.raises(LedgerError, match="it is begun, not reserved"):
        spend.begin()
    with pytest.raises(LedgerError, match=r"1\.0 on account 'metro' remains charged"):
        spend.give_back()
    spend.commit("r1", "d")
    spend.commit("r1", "d")
    with pytest.raises(LedgerError, match="committed once"):
        spend.commit("r1", "other bytes")
    with pytest.raises(LedgerError, match="it is committed, not begun"):
        spend.commit("r2", "d")
    ledger.withdraw("r1")
    ledger.withdraw("r1")

    assert ["protects", "reserved", "begun", "committed", "withdrawn"] == [e.kind for e in ledger.history("metro")]
    assert (GRAINS, 0) == (ledger.account("metro").spent, ledger.account("metro").reserved)


def test_give_back_frees_the_budget_once(ledger):
    """A run that fails before its first row leaves the cap as it was, however often it says so."""
    ledger.set_cap("metro", GRAINS)
    spend = reserve(ledger)
    spend.give_back()
    spend.give_back()
    with pytest.raises(LedgerError, match="it is returned, not reserved"):
        spend.begin()

    assert GRAINS == ledger.account("metro").left


def test_with_block_gives_back_only_before_begin(ledger):
    """As a context manager a spend returns itself if the run never began, and stays counted if it did."""

    def fail(spend):
        raise ZeroDivisionError

    def fail_late(spend):
        spend.begin()
        raise ZeroDivisionError

    for account, run in (("early", fail), ("late", fail_late)):
        with pytest.raises(ZeroDivisionError), reserve(ledger, account) as spend:
            run(spend)

    assert (0, GRAINS) == (ledger.account("early").reserved, ledger.account("late").reserved)


def test_ctrl_c_inside_reserve_leaves_nothing_reserved(ledger, monkeypatch):
    """An interrupt after the entry is durable but before the caller holds the spend gives it back."""

    def interrupt(*_):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr("seqveil.wall.ledger.copies.write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        reserve(ledger)

    assert ["returned"] == [charge.status for charge in ledger.charges("metro")]


def test_withdrawing_an_unknown_release_is_a_wrong_call(ledger):
    """The text says where release ids are found."""
    with pytest.raises(CallError, match=r"No release 'nope' .* seqveil ledger show NAME"):
        ledger.withdraw("nope")


def test_same_bytes_under_another_account_raise_an_alarm(ledger, tmp_path):
    """Same file, same account: silence. Same bytes, other account: a sentence that names it, from reserve and begin."""
    raw = tmp_path / "trips.csv"
    raw.write_bytes(b"card,ts,item\n" * 300_000)
    print_ = ledger.fingerprint(raw)
    first = reserve(ledger, "a", fingerprint=print_)
    again = reserve(ledger, "a", fingerprint=print_)
    copied = reserve(ledger, "b", fingerprint=ledger.fingerprint([raw.read_bytes()]))
    late = reserve(ledger, "c")
    changed = reserve(ledger, "d", fingerprint=ledger.fingerprint(raw.read_bytes() + b"\n"))

    assert (None, None, None, None) == (first.alarm, again.alarm, late.alarm, changed.alarm)
    assert "already used under account 'a'" in copied.alarm
    assert "already used under accounts 'a', 'b'" in late.begin(print_)


def test_fingerprints_stay_in_the_ledger_and_differ_between_ledgers(ledger, tmp_path):
    """Without the key nobody can tell which file it was; the history that is shown does not hold it."""
    print_ = ledger.fingerprint(b"trips")
    reserve(ledger, "a", fingerprint=print_)

    assert print_ != Ledger(tmp_path / "other").fingerprint(b"trips")
    assert print_ not in repr(ledger.history("a"))
    assert "seen" in [entry.kind for entry in ledger.history("a")]


def test_fingerprint_of_a_missing_file_is_a_wrong_call(ledger, tmp_path):
    """The text names the path."""
    with pytest.raises(CallError, match=r"trips\.csv cannot be read"):
        ledger.fingerprint(tmp_path / "trips.csv")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_files_are_closed_to_others_under_any_umask(tmp_path, umask):
    """0600 for every file and 0700 for every directory of the ledger."""
    before = os.umask(umask)
    try:
        publish(ledger := Ledger(tmp_path))
    finally:
        os.umask(before)
    paths = [ledger.place.directory, *ledger.place.directory.rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths}

    assert {name: 0o700 if name in ("ledger", "copies", "queue") else 0o600 for name in modes} == modes
    assert {"ledger.sqlite", "ledger.lock", "host.json", "copies"} < set(modes)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE history SET grains = 0",
        "DELETE FROM history",
        "INSERT OR REPLACE INTO history SELECT * FROM history WHERE seq = 2",
        "INSERT INTO history SELECT 99, at, kind, account, spend, grains, facts, chain FROM history WHERE seq = 2",
    ],
)
def test_history_is_append_only(ledger, statement):
    """SQLite itself refuses to change, remove, replace or skip rows."""
    publish(ledger)
    connection = sqlite3.connect(ledger.place.ledger)
    with pytest.raises(sqlite3.IntegrityError, match="only ever appended"):
        connection.execute(statement)
    connection.close()


def test_order_is_by_number_even_when_the_clock_runs_backwards(ledger, monkeypatch):
    """Times are for people: with a clock that goes back an hour per entry everything still holds."""
    from datetime import datetime, timedelta

    moments = iter(datetime.fromisoformat("2026-10-25T12:00:00+00:00") - timedelta(hours=h) for h in range(99))

    class Backwards:
        @staticmethod
        def now(zone):
            return next(moments)

    monkeypatch.setattr("seqveil.wall.ledger.turn.datetime", Backwards)
    publish(ledger, "r1")
    publish(ledger, "r2")
    entries = ledger.history("metro")

    assert sorted((e.at for e in entries), reverse=True) == [e.at for e in entries]
    assert 2 * GRAINS == ledger.account("metro").spent
    assert ledger.verify().entries == entries[-1].seq


def test_reading_makes_no_files(tmp_path):
    """Looking at a ledger that does not exist does not create one."""
    assert [] == Ledger(tmp_path).accounts()
    assert [] == list(tmp_path.iterdir())


def test_unknown_account_lists_the_known_ones(ledger):
    """A mistyped name is answered with the names there are."""
    ledger.set_cap("metro", GRAINS)
    with pytest.raises(CallError, match=r"No account 'mtero' .* Accounts: 'metro'\."):
        ledger.account("mtero")


def test_facts_of_the_account_survive_reopening(ledger, tmp_path):
    """Unit and neighbours come back as they were described."""
    reserve(ledger, unit=User(max_sequences=5))
    account = Ledger(tmp_path).account("metro")

    assert {"name": "user"} == account.unit
    assert User().neighbours == account.neighbours
    assert {"mechanism": "ngram"} == json.loads(ledger.history("metro")[-1].facts)


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"SEQVEIL_HOME": "/srv/s", "XDG_DATA_HOME": "/x"}, "linux", "/srv/s"),
        ({"SEQVEIL_HOME": "", "XDG_DATA_HOME": "/x"}, "linux", "/x/seqveil"),
        ({"XDG_DATA_HOME": "relative"}, "linux", "~/.local/share/seqveil"),
        ({}, "linux", "~/.local/share/seqveil"),
        ({}, "darwin", "~/Library/Application Support/seqveil"),
        ({"SEQVEIL_HOME": "~/s"}, "linux", "~/s"),
    ],
)
def test_home(environment, platform, expected):
    """$SEQVEIL_HOME wins; else the user's data directory of the platform."""
    assert Path(expected).expanduser() == home(environment, platform)


@pytest.mark.parametrize(
    "kinds",
    [
        ["begun"],
        ["reserved", "reserved"],
        ["reserved", "committed"],
        ["reserved", "begun", "returned"],
        ["reserved", "returned", "begun"],
        ["reserved", "begun", "committed", "begun"],
        ["reserved", "withdrawn"],
        ["reserved", "account"],
        ["reserved", "post"],
        ["unheard of"],
    ],
)
def test_a_history_that_makes_no_sense_is_not_added_up(kinds):
    """Even with right hashes, a spend that comes back after it began, or begins twice, is no history of ours."""
    facts = json.dumps({"mechanism": "m", "release": "r", "digest": "d"})
    book = Book()
    entries = [Entry(n, "", kind, "metro", "s", 5, facts) for n, kind in enumerate(kinds, 1)]
    for entry in entries[:-1]:
        book.post(entry)
    with pytest.raises(Broken):
        book.post(entries[-1])
