"""The ledger's file: one table that can only be appended to, ways to find a row in it, and its checkpoint."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from seqveil.errors import LedgerError
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.checkpoint import Checkpoint, checkpoint
from seqveil.wall.ledger.entry import Broken, Entry

VERSION = 3
"""Of the file's layout. Another number is refused, never guessed at."""

FIRST = 1
"""The layout of Seqveil 0.1: the history alone. It is read as it is, and gets the rest with the next entry."""

SECOND = 2
"""The layout before accounts had a measure: the same tables. Its number keeps those who would take ρ for ε from reading it."""

_ONLY_APPEND = "BEGIN SELECT RAISE(ABORT, 'the history of a ledger is only ever appended to'); END"


def _version_table(version: object) -> str:
    return f"CREATE TABLE schema_version (version INTEGER NOT NULL CHECK (version = {version}))"


_HISTORY = {
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
# From the key "release" to the end of the facts: a quote within a value would have a backslash before it.
RELEASE = "substr(facts, instr(facts, '\"release\": '))"
_INDEXES = {
    "spends": "CREATE UNIQUE INDEX spends ON history (spend, kind) WHERE spend <> ''",
    "releases": f"CREATE INDEX releases ON history ({RELEASE}) WHERE kind = 'committed'",
    "inputs": "CREATE INDEX inputs ON history (facts) WHERE kind = 'seen'",
}
_CHECKPOINT = {
    "checkpoint": (
        "CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, state TEXT NOT NULL,"
        " seal BLOB NOT NULL)"
    )
}
TABLES = {"schema_version": _version_table(VERSION), **_HISTORY, **_INDEXES, **_CHECKPOINT}
"""Everything in the file, as SQLite spells it back."""

_LAYOUTS = {
    FIRST: {"schema_version": _version_table(FIRST), **_HISTORY},
    SECOND: {**TABLES, "schema_version": _version_table(SECOND)},
    VERSION: TABLES,
}


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
    connection = sqlite3.connect(address, timeout=timeout, uri=True, isolation_level=None)
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


def upgrade(connection: sqlite3.Connection) -> None:
    """Give a ledger of an earlier layout what it lacks, inside the caller's transaction; its history stays as it is."""
    there = _LAYOUTS[layout(connection)].keys() - {"schema_version"}
    connection.execute("DROP TABLE schema_version")
    for name in TABLES.keys() - there:
        connection.execute(TABLES[name])
    connection.execute("INSERT INTO schema_version VALUES (?)", (VERSION,))


def empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever laid out here."""
    return connection.execute("SELECT name FROM sqlite_master").fetchone() is None


def append(connection: sqlite3.Connection, entry: Entry) -> None:
    connection.execute("INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry)


def rows(connection: sqlite3.Connection, order: str = "ASC") -> Iterator[Entry]:
    return map(Entry._make, connection.execute(f"SELECT * FROM history ORDER BY seq {order}"))


def seal(connection: sqlite3.Connection, book: Book) -> Checkpoint:
    """Write the checkpoint of the book, inside the transaction that appended its last entry."""
    fresh = checkpoint(book)
    connection.execute("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?, ?)", fresh)
    return fresh


def seal_of(connection: sqlite3.Connection) -> bytes | None:
    """The seal of the checkpoint as it is in the file; None in the first layout, which has none."""
    return None if layout(connection) == FIRST else sealed(connection).seal


def sealed(connection: sqlite3.Connection) -> Checkpoint:
    """The checkpoint as it is in the file, not yet checked."""
    rows = connection.execute("SELECT seq, state, seal FROM checkpoint").fetchall()
    if len(rows) != 1 or list(map(type, rows[0])) != [int, str, bytes]:
        raise Broken("it has no checkpoint")
    return Checkpoint._make(rows[0])


def layout(connection: sqlite3.Connection) -> int:
    """The version of the file's layout; raises Broken where it is not that of a ledger."""
    tables = dict(connection.execute("SELECT name, sql FROM sqlite_master").fetchall())
    version = _version(connection, tables)
    if tables != _LAYOUTS[version]:
        raise Broken("its layout is not that of a ledger")
    return version


def _version(connection: sqlite3.Connection, tables: dict[str, str]) -> int:
    versions = connection.execute("SELECT version FROM schema_version").fetchall() if "schema_version" in tables else []
    if versions in [[(version,)] for version in _LAYOUTS]:
        return int(versions[0][0])
    # A newer layout says so in its table's own CHECK too; a lone number that differs is a damaged one.
    if len(versions) == 1 and tables["schema_version"] == _version_table(versions[0][0]):
        raise LedgerError(
            f"This ledger has layout {versions[0][0]}, and this version of Seqveil only reads layouts {FIRST} to {VERSION}. "
            "Use the Seqveil that wrote it, or a newer one."
        )
    raise Broken("its layout has no version")


def build(path: Path, history: Iterable[Entry]) -> Checkpoint:
    """Write a new ledger file that holds this history, durably."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    book = Book()
    with closing(connect(path, 1.0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        create(connection)
        for entry in history:
            append(connection, entry)
            book.post(entry)
        last = seal(connection, book)
        connection.execute("COMMIT")
    return last
