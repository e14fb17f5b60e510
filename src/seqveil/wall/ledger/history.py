"""Reading the history: all of it, a part of it, or the few rows that an index finds. Every row is checked as it is read."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from seqveil.wall.ledger import schema
from seqveil.wall.ledger.book import Book, Charge
from seqveil.wall.ledger.checkpoint import book_at
from seqveil.wall.ledger.entry import ROOT, Broken, Entry, linked
from seqveil.wall.ledger.header import FORBIDS, forbids_writing

SAMPLE = 128
"""How many old entries a turn checks, from a random one on. A history that is not longer is checked whole each time."""


def opened(connection: sqlite3.Connection) -> Book:
    """The book as its checkpoint tells it, after the checks of a turn; a ledger of the first layout is read whole."""
    if schema.layout(connection) == schema.FIRST:
        return folded(connection)
    checkpoint = schema.sealed(connection)
    if checkpoint.seq != (last := connection.execute("SELECT max(seq) FROM history").fetchone()[0]):
        raise Broken(f"its checkpoint is of entry {checkpoint.seq}, and its last entry is {last}")
    # The first entry holds the key of the seal, the last one the hash that is sealed.
    first = next(linked(_span(connection, 1, 1)), None)
    if first is None or first.kind != "opened":
        raise Broken("it has no first entry")
    ends = Book()
    ends.post(first)
    book = book_at(checkpoint, ends.key, _chain(connection, checkpoint.seq))
    _check_span(connection, book.seq, book.seq)
    start = 1 + secrets.randbelow(max(1, book.seq - SAMPLE + 1))  # chance decides what is looked at, and nothing else
    _check_span(connection, start, min(book.seq, start + SAMPLE - 1))
    return book


def folded(connection: sqlite3.Connection) -> Book:
    """The book as the whole history tells it: the file, its layout, every hash and the checkpoint are checked."""
    version = schema.layout(connection)
    if (answer := connection.execute("PRAGMA integrity_check(1)").fetchone()) != ("ok",):
        raise Broken(f"SQLite's check says: {answer}")
    if forbids_writing(Path(connection.execute("PRAGMA database_list").fetchone()[2])):
        raise Broken(FORBIDS)
    book = Book()
    for entry in linked(schema.rows(connection)):
        book.post(entry)
    if not book.key:
        raise Broken("it has no first entry")
    if version != schema.FIRST:
        sealed = book_at(schema.sealed(connection), book.key, book.head)
        still_open = {spend: charge for spend, charge in book.charges.items() if charge.open}
        if (sealed.seq, sealed.accounts, sealed.charges) != (book.seq, book.accounts, still_open):
            raise Broken("its checkpoint is not what its history adds up to")
    return book


def about(connection: sqlite3.Connection, account: str) -> Iterator[Entry]:
    """Every row about an account or the whole ledger, oldest first."""
    return _rows(connection, "account = ? OR kind IN ('restored', 'adopted')", account)


def charge(connection: sqlite3.Connection, spend: str) -> Charge | None:
    """One spend and what became of it."""
    book = Book()
    for row in _rows(connection, "spend = ? AND spend <> ''", spend):
        book.post(row)
    return book.charges.get(spend)


def spend_of(connection: sqlite3.Connection, release: str) -> str | None:
    """The spend that was committed with a release of this id."""
    end_of_facts = f'"release": {json.dumps(release)}}}'
    return next((row.spend for row in _rows(connection, f"kind = 'committed' AND {schema.RELEASE} = ?", end_of_facts)), None)


def spends_once(connection: sqlite3.Connection, account: str, once: str) -> list[str]:
    """The spends that were reserved on an account for a run that happens once, oldest first."""
    rows = _rows(connection, "kind = 'reserved' AND account = ? AND instr(facts, '\"once\": ')", account)
    return [row.spend for row in rows if row.details().get("once") == once]


def accounts_of(connection: sqlite3.Connection, fingerprint: str) -> list[str]:
    """The accounts under which an input was seen, first one first."""
    facts = json.dumps({"fingerprint": fingerprint})
    return [row.account for row in _rows(connection, "kind = 'seen' AND facts = ?", facts)]


def since(connection: sqlite3.Connection, seq: int) -> Iterator[Entry]:
    """The entries after one."""
    return map(Entry._make, connection.execute("SELECT * FROM history WHERE seq > ? ORDER BY seq", (seq,)))


def _check_span(connection: sqlite3.Connection, first: int, last: int) -> None:
    count = sum(1 for _ in linked(_span(connection, first, last), _chain(connection, first - 1), first))
    if count != last - first + 1:
        raise Broken(f"entry {first + count} of the history is missing")


def _span(connection: sqlite3.Connection, first: int, last: int) -> Iterator[Entry]:
    query = "SELECT * FROM history WHERE seq BETWEEN ? AND ? ORDER BY seq"
    return map(Entry._make, connection.execute(query, (first, last)))


def _chain(connection: sqlite3.Connection, seq: int) -> bytes:
    if seq == 0:
        return ROOT
    row = connection.execute("SELECT chain FROM history WHERE seq = ?", (seq,)).fetchone()
    if row is None or not isinstance(row[0], bytes):
        raise Broken(f"entry {seq} of the history is not what was written")
    return row[0]


def _rows(connection: sqlite3.Connection, where: str, value: str) -> Iterator[Entry]:
    before = "(SELECT chain FROM history AS previous WHERE previous.seq = history.seq - 1)"
    for *row, previous in connection.execute(f"SELECT *, {before} FROM history WHERE {where} ORDER BY seq", (value,)):
        yield from linked([Entry._make(row)], ROOT if row[0] == 1 else previous, row[0])
