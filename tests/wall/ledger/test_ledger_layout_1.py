"""Ledgers that Seqveil 0.1 wrote: read as they are, given a checkpoint with the next entry, and nothing of them is lost."""

import shutil
import sqlite3
import unicodedata
from pathlib import Path

import pytest

from seqveil.errors import BudgetRefused, LedgerError
from seqveil.tables.units import Record, User
from seqveil.wall.budget import grains
from seqveil.wall.ledger import Ledger, copies, legacy, schema

WRITTEN = Path(__file__).with_name("ledger_layout_1.sql")
LAST = (20, "395594cd335cd6a7")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home as 0.1 left it: the ledger, and its newest copy beside older ones."""
    directory = tmp_path / "home" / "ledger"
    (directory / "copies").mkdir(parents=True)
    connection = sqlite3.connect(directory / "ledger.sqlite")
    connection.executescript(WRITTEN.read_text(encoding="utf-8"))
    connection.close()
    shutil.copy(directory / "ledger.sqlite", directory / "copies" / f"{LAST[0]:012d}-{LAST[1]}.sqlite")
    return tmp_path / "home"


def versions(ledger: Ledger) -> list[tuple]:
    return [(unicodedata.normalize("NFC", a.name), a.cap, a.spent, a.reserved, a.unit) for a in ledger.accounts()]


EXPECTED = [
    ("Zürich", None, grains("1.0"), 0, {"name": "user"}),
    ("metro", grains("3.0"), grains("1.0"), grains("0.1875"), {"name": "record"}),
]
STATUSES = ["committed", "withdrawn", "returned", "reserved", "begun"]


def test_it_is_read_as_it_is(home):
    """Looking changes nothing: not the file, not its copies."""
    ledger = Ledger(home)
    before = ledger.place.ledger.read_bytes()

    assert EXPECTED == versions(ledger)
    assert STATUSES == [charge.status for charge in ledger.charges("metro")]
    assert (20, 2, 1, 0) == (lambda v: (v.entries, v.accounts, v.copies_whole, v.copies_damaged))(ledger.verify())
    assert before == ledger.place.ledger.read_bytes()
    assert [] == copies.copies(ledger.place.copies)


def test_the_next_entry_gives_it_a_checkpoint_and_copies(home):
    """The history stays what it was, entry by entry; its old copies go when the new ones hold all of it."""
    ledger = Ledger(home)
    before = ledger.history("metro")
    with ledger.reserve("metro", grains("0.5"), unit=Record(), mechanism="m", fingerprint=ledger.fingerprint(b"trips")) as spend:
        spend.begin()
        spend.commit("r4", "digest of r4")
    connection = sqlite3.connect(ledger.place.ledger)
    version = schema.layout(connection)
    connection.close()

    assert schema.VERSION == version
    assert before == ledger.history("metro")[: len(before)]
    assert (grains("1.5"), grains("0.1875")) == (ledger.account("metro").spent, ledger.account("metro").reserved)
    assert (23, 2, 2, 0) == (lambda v: (v.entries, v.accounts, v.copies_whole, v.copies_damaged))(ledger.verify())
    assert [] == legacy.old_copies(ledger.place.copies)


def test_what_it_knew_still_counts(home):
    """Its cap refuses, its fingerprints alarm, its releases are known, its open spends go on."""
    ledger = Ledger(home)
    with pytest.raises(BudgetRefused, match=r"remaining 1\.8125"):
        ledger.reserve("metro", grains("1.9"), unit=Record(), mechanism="m")
    assert (
        "already used under account 'metro'"
        in ledger.reserve("bus", 1, unit=Record(), mechanism="m", fingerprint=ledger.fingerprint(b"trips")).alarm
    )
    assert "withdrawn" == (ledger.withdraw("r1"), ledger.charges("metro")[0])[1].status
    assert "r2" == ledger.withdraw("r2").release


def test_an_account_in_another_normal_form_stays_the_same_account(home):
    """0.1 took names as they came; however the name is typed today, the ε adds up in one place."""
    ledger = Ledger(home)
    for form in ("NFC", "NFD"):
        ledger.reserve(unicodedata.normalize(form, "Zürich"), grains("0.5"), unit=User(max_sequences=1), mechanism="m")

    assert 2 == len(ledger.accounts())
    assert grains("2.0") == sum(charge.grains for charge in ledger.charges("Zürich"))


@pytest.mark.parametrize("how", ["deleted", "older file", "damaged", "damaged while it was changed over"])
def test_it_is_restored_from_its_old_copies(home, how):
    """Damage in the old layout is found as it was, and what is restored has the layout of today."""
    ledger = Ledger(home)
    path = ledger.place.ledger
    if how == "deleted":
        path.unlink()
    elif how == "older file":
        connection = sqlite3.connect(path)
        connection.execute("DROP TRIGGER no_delete")
        connection.execute("DELETE FROM history WHERE seq > 15")
        connection.execute(schema.TABLES["no_delete"])
        connection.commit()
        connection.close()
    else:
        if how == "damaged while it was changed over":
            old = next(iter(legacy.old_copies(ledger.place.copies))).path.read_bytes()
            ledger.set_cap("metro", grains("3.5"))
            ledger.set_cap("metro", grains("3.0"))
            (ledger.place.copies / f"{LAST[0]:012d}-{LAST[1]}.sqlite").write_bytes(old)  # it died before this was removed
            for copy in copies.copies(ledger.place.copies):
                copy.path.write_bytes(b"")
        raw = path.read_bytes()
        path.write_bytes(raw.replace(b"digest of r1", b"digest of r7"))
    with pytest.raises(LedgerError, match="seqveil ledger restore"):
        Ledger(home)
    Ledger.restore(home)

    assert EXPECTED == versions(Ledger(home))
    assert (2, 0) == (lambda v: (v.copies_whole, v.copies_damaged))(Ledger(home).verify())


def test_0_1_refuses_what_it_cannot_read(home):
    """Its check of the layout sees another number: it never appends to a ledger without renewing the checkpoint."""
    ledger = Ledger(home)
    ledger.set_cap("metro", grains("4.0"))
    connection = sqlite3.connect(ledger.place.ledger)
    tables = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    versions = connection.execute("SELECT version FROM schema_version").fetchall()
    connection.close()

    assert [(schema.VERSION,)] == versions
    assert "CREATE TABLE schema_version (version INTEGER NOT NULL CHECK (version = 3))" == tables["schema_version"]
