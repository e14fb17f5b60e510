"""The ledger's file: one table that can only be appended to."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from seqveil.errors import LedgerError
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken, Entry, linked

VERSION = 1
"""Of the file's layout. Another number is refused, never guessed at."""

_ONLY_APPEND = "BEGIN SELECT RAISE(ABORT, 'the history of a ledger is only ever appended to'); END"


def _version_table(version: object) -> str:
    return f"CREATE TABLE schema_version (version INTEGER NOT NULL CHECK (version = {version}))"


TABLES = {
    "schema_version": _version_table(VERSION),
    "history": (
        "CREATE TABLE history (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, account TEXT NOT NULL,"
        " spend TEXT NOT NULL, grains INTEGER NOT NULL CHECK (typeof(grains) = 'integer'), facts TEXT NOT NULL,"
        " chain BLOB NOT NULL)"
    ),
    "no_update": f"CREATE TRIGGER no_update BEFORE UPDATE ON history {_ONLY_APPEND}",
    "no_delete": f"CREATE TRIGGER no_delete BEFORE DELETE ON history {_ONLY_APPEND}",
    # INSERT OR REPLACE deletes without asking the trigger above, so a row must also be the next one.
    "no_replace": (
        "CREATE TRIGGER no_replace BEFORE INSERT ON history"
        f" WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM history) {_ONLY_APPEND}"
    ),
}
"""Everything in the file, as SQLite spells it back."""


def connect(path: Path, timeout: float) -> sqlite3.Connection:
    """A connection whose COMMIT returns when what was written is on disk; the file must exist."""
    connection = _link(f"file:{quote(str(path))}?mode=rw", timeout)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA fullfsync = ON")  # macOS: a flush that reaches the platter
        connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def glance(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody writes, and that leaves no trace beside it."""
    return _link(f"file:{quote(str(path))}?mode=ro&immutable=1", 0.0)


def _link(address: str, timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(address, timeout, uri=True, isolation_level=None)
    # Damaged text must reach the hash check instead of failing half way.
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Lay out an empty ledger, inside the caller's transaction."""
    for statement in TABLES.values():
        connection.execute(statement)
    connection.execute("INSERT INTO schema_version VALUES (?)", (VERSION,))


def empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever laid out here."""
    return connection.execute("SELECT name FROM sqlite_master").fetchone() is None


def append(connection: sqlite3.Connection, entry: Entry) -> None:
    connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry)


def rows(connection: sqlite3.Connection, order: str = "ASC") -> Iterator[Entry]:
    return map(Entry._make, connection.execute(f"SELECT * FROM history ORDER BY seq {order}"))


def read(connection: sqlite3.Connection) -> Book:
    """Check the file, its layout and every hash, and fold the history; raises Broken where it does not hold."""
    if (answer := connection.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
        raise Broken(f"SQLite's check says: {answer}")
    layout = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    _check_version(connection, layout)
    if layout != TABLES:
        raise Broken("its layout is not that of a ledger")
    book = Book()
    for entry in linked(rows(connection)):
        book.post(entry)
    if not book.key:
        raise Broken("it has no first entry")
    return book


def _check_version(connection: sqlite3.Connection, layout: dict[str, str]) -> None:
    found = connection.execute("SELECT version FROM schema_version").fetchall() if "schema_version" in layout else []
    if found == [(VERSION,)]:
        return
    # A newer layout says so in its table's own CHECK too; a lone number that differs is a damaged one.
    if len(found) == 1 and layout["schema_version"] == _version_table(found[0][0]):
        raise LedgerError(
            f"This ledger has layout {found[0][0]}, and this Seqveil knows only layout {VERSION}. "
            "Use the Seqveil that wrote it, or a newer one."
        )
    raise Broken("its layout has no version")


def build(path: Path, history: Iterable[Entry]) -> None:
    """Write a new ledger file that holds this history, durably."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(connect(path, 1.0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        create(connection)
        for entry in history:
            append(connection, entry)
        connection.execute("COMMIT")
