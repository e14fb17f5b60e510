"""What the ledger allows and refuses, in one process."""

import json
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from seqveil.errors import BudgetRefused, CallError, LedgerError
from seqveil.tables.units import Edge, Record, User
from seqveil.wall.budget import GRAINS, grains
from seqveil.wall.home import home
from seqveil.wall.ledger import Entry, Ledger, rules
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path)


def reserve(ledger, account="metro", epsilon="1.0", unit=None, **more):
    return ledger.reserve(account, grains(epsilon), unit=unit or Record(), mechanism="ngram", **more)


def publish(ledger, release="r1", account="metro", epsilon="1.0"):
    spend = reserve(ledger, account, epsilon)
    spend.begin()
    spend.commit(release, "d")


def test_amounts_are_exact_grains(ledger):
    """0.1 and 0.2 fill a cap of 0.3 to the last grain."""
    ledger.set_cap("metro", grains("0.3"))
    publish(ledger, "r1", epsilon="0.1")
    publish(ledger, "r2", epsilon="0.2")

    assert 0 == ledger.account("metro").left
    with pytest.raises(BudgetRefused):
        reserve(ledger, epsilon="0.000000000001")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            "1.0",
            "Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 1.0, remaining 0.5. "
            "Use at most 0.5, or raise the cap, which weakens the guarantee: seqveil ledger cap metro 3.5",
        ),
        (
            "0.500000000001",
            "Account 'metro' has a cap of 3.0: spent 2.0, reserved 0.5, requested 0.500000000001, remaining 0.5. "
            "Use at most 0.5, or raise the cap, which weakens the guarantee: seqveil ledger cap metro 3.000000000001",
        ),
    ],
)
def test_over_cap_is_refused_with_what_is_left(ledger, asked, text):
    """A refusal names cap, spent, reserved, requested and remaining, and what to type instead."""
    ledger.set_cap("metro", grains("3.0"))
    publish(ledger, epsilon="2.0")
    reserve(ledger, epsilon="0.5")
    with pytest.raises(BudgetRefused) as refused:
        reserve(ledger, epsilon=asked)

    assert text == str(refused.value)
    assert 3 == refused.value.exit_code


def test_nothing_left_offers_no_smaller_epsilon(ledger):
    """With nothing left the advice does not offer 0.0."""
    ledger.set_cap("my trips", GRAINS)
    publish(ledger, account="my trips")
    with pytest.raises(BudgetRefused) as refused:
        reserve(ledger, "my trips")

    assert str(refused.value).endswith(
        "remaining 0.0. Raise the cap, which weakens the guarantee: seqveil ledger cap 'my trips' 2.0"
    )


def test_refusals_write_nothing(ledger):
    """A refused request leaves no trace."""
    ledger.set_cap("metro", GRAINS)
    before = ledger.verify()
    for wrong in (lambda: reserve(ledger, epsilon="2"), lambda: reserve(ledger, private=False)):
        with pytest.raises((BudgetRefused, CallError)):
            wrong()

    assert before == ledger.verify()


def test_lowering_a_cap_below_what_is_spent_leaves_nothing(ledger):
    """A cap may be lowered at any time; nothing becomes negative."""
    publish(ledger, epsilon="2.0")
    ledger.set_cap("metro", GRAINS)

    assert (2 * GRAINS, 0) == (ledger.account("metro").spent, ledger.account("metro").left)


def test_agreed_cap_never_changes_one_that_stands(ledger):
    """A cap given in code sets a missing cap and refuses to move another one."""
    ledger.agree_cap("metro", 2 * GRAINS)
    ledger.agree_cap("metro", 2 * GRAINS)
    with pytest.raises(CallError, match=r"cap = 5\.0, but account 'metro' has a cap of 2\.0"):
        ledger.agree_cap("metro", 5 * GRAINS)

    assert 2 * GRAINS == ledger.account("metro").cap


def test_every_spend_without_a_cap_warns(ledger):
    """Without a cap the caller gets a sentence; with one it gets none."""
    first, second = reserve(ledger), reserve(ledger)
    ledger.set_cap("metro", 9 * GRAINS)
    third = reserve(ledger)

    assert "has no cap" in first.warning
    assert "(2.0 with this run)" in second.warning
    assert third.warning is None


@pytest.mark.parametrize("other", [Record(), Edge(2)])
def test_another_unit_is_refused(ledger, other):
    """An account keeps the unit of its first spend and says what it protects."""
    reserve(ledger, unit=User(max_sequences=5))
    with pytest.raises(CallError) as refused:
        reserve(ledger, unit=other)

    assert str(refused.value).startswith(
        f"Account 'metro' protects user (add or remove one user with all their sequences); this run would protect {other.name}"
    )
    assert GRAINS == ledger.account("metro").reserved


def test_epsilons_of_users_add_up_however_many_sequences_are_used(ledger):
    """The neighbours are the same: refusing would only drive people to a second account, which no cap holds together."""
    reserve(ledger, unit=User(max_sequences=1))
    reserve(ledger, unit=User(max_sequences=5))

    assert 2 * GRAINS == ledger.account("metro").reserved


def test_accounts_that_were_opened_with_a_number_of_sequences_are_accounts_of_users():
    """Earlier ledgers wrote it down; their history stays as it is."""
    book = Book()
    facts = json.dumps({"unit": {"name": "user", "max_sequences": 5}, "neighbours": User().neighbours})
    book.post(Entry(1, "", "protects", "metro", "", 0, facts))

    rules.check_unit(book.account("metro"), User(max_sequences=2))
    with pytest.raises(CallError, match="protects user"):
        rules.check_unit(book.account("metro"), Record())


def test_groups_of_edges_of_another_size_are_another_unit(ledger):
    """ε for any 2 edges says less about any 3."""
    reserve(ledger, unit=Edge(2))
    with pytest.raises(CallError, match=r"protects edge \(k=2\)"):
        reserve(ledger, unit=Edge(3))


@pytest.mark.parametrize("private", [False, None, 0, "yes"])
def test_experiments_cannot_enter(ledger, private):
    """A seeded run is refused before anything is written, not even an account."""
    with pytest.raises(CallError, match="An experiment"):
        reserve(ledger, private=private)

    assert [] == ledger.accounts()
    assert not ledger.place.directory.exists()


@pytest.mark.parametrize("amount", [0, -1, True, 1.0, "1", 10**18 + 1, None])
def test_odd_amounts_are_refused(ledger, amount):
    """Only a whole number of grains from 1 to a million epsilon can be reserved."""
    with pytest.raises(CallError, match="whole number"):
        ledger.reserve("metro", amount, unit=Record(), mechanism="m")


@pytest.mark.parametrize("name", ["", " metro", "a\nb", "a\x1b[31m", "x" * 201, None, "\ud800"])
def test_odd_account_names_are_refused(ledger, name):
    """A name must be printable: it stands in messages and commands."""
    with pytest.raises(CallError, match="printable"):
        ledger.set_cap(name, GRAINS)


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
