"""Automatic copies that lack the end of the ledger, or are gone: written again by the next use, reported by `verify`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from seqveil.tables.units import Record
from seqveil.wall.ledger import Entry, Ledger, copies
from seqveil.wall.ledger.faults import Damaged


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger of several turns."""
    ledger = Ledger(tmp_path / "home", timeout=5)
    ledger.set_cap("metro", 100)
    for release in ("r1", "r2"):
        with ledger.reserve("metro", 10, unit=Record(), mechanism="m") as spend:
            spend.begin()
            spend.commit(release, "digest")
    return ledger


def paths(ledger: Ledger) -> list[Path]:
    return [ledger.place.copies / name for name in copies.NAMES]


def entries(ledger: Ledger) -> list[list[Entry]]:
    return [list(copies.Copy(path).entries()) for path in paths(ledger)]


def cut(path: Path) -> None:
    """Back to the end of its first turn: a copy that is whole in itself."""
    lines = path.read_bytes().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith(b'["seal"'))
    path.write_bytes(b"".join(lines[: first + 1]))


@pytest.mark.parametrize("lose", [cut, Path.unlink])
@pytest.mark.parametrize("number", [1, 2])
def test_verify_reports_and_restore_writes(lose, number, ledger):
    """Also when both copies agree with each other."""
    whole = entries(ledger)
    for path in paths(ledger)[:number]:
        lose(path)

    verdict = Ledger(ledger.place.directory.parent).verify()
    assert (2 - number, number) == (verdict.copies_whole, verdict.copies_damaged)
    restored = Ledger.restore(ledger.place.directory.parent)
    assert (2, 0) == (restored.copies_whole, restored.copies_damaged)
    assert whole == entries(ledger)


@pytest.mark.parametrize("lose", [cut, Path.unlink])
@pytest.mark.parametrize("use", [lambda ledger: ledger.accounts(), lambda ledger: ledger.set_cap("metro", 100)])
def test_every_use_writes_what_is_missing(lose, use, ledger):
    """Uses that append nothing, too: a ledger that is lost right after them comes back with all its entries."""
    whole, number = entries(ledger), ledger.verify().entries
    for path in paths(ledger):
        lose(path)
    use(ledger)

    assert whole == entries(ledger)
    ledger.place.ledger.unlink()
    for suffix in ("-wal", "-shm"):
        Path(f"{ledger.place.ledger}{suffix}").unlink(missing_ok=True)
    home = ledger.place.directory.parent
    assert number + 1 == Ledger.restore(home).entries  # and the entry that tells of it
    assert 20 == Ledger(home).account("metro").spent


def test_a_look_does_not_fail_where_a_copy_cannot_be_written(ledger):
    """The ledger itself is whole; something in the way of the new copy is told by `verify`."""
    lost = paths(ledger)[0]
    lost.unlink()
    lost.with_suffix(".new").mkdir()

    assert 20 == ledger.account("metro").spent
    assert 1 == ledger.verify().copies_damaged


def test_damage_is_not_copied(tmp_path):
    """A lost copy is not written from a damaged history, so the other one can still repair it."""
    ledger = Ledger(tmp_path / "home", timeout=5)
    for cap in range(1, 400):
        ledger.set_cap("metro", cap)
    with closing(sqlite3.connect(ledger.place.ledger)) as connection, connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        statements = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
        for name in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE history SET grains = grains + 1 WHERE seq = 3")
        for statement in statements:
            connection.execute(statement)
    paths(ledger)[0].unlink()

    with pytest.raises(Damaged):
        ledger.accounts()
    assert not paths(ledger)[0].exists()
    Ledger.restore(tmp_path / "home")
    assert 399 == ledger.account("metro").cap
