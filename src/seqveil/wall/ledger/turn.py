"""One turn at the ledger: alone, on this machine, with everything checked before and durable after."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from seqveil.errors import LedgerError
from seqveil.wall.ledger import copies, host, schema
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken, Entry
from seqveil.wall.ledger.faults import explained
from seqveil.wall.ledger.gate import alone
from seqveil.wall.ledger.place import Place


def entry(book: Book, kind: str, account: str = "", spend: str = "", grains: int = 0, **facts: Any) -> Entry:
    """The next entry of a book."""
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Entry(book.seq + 1, at, kind, account, spend, grains, json.dumps(facts, sort_keys=True)).after(book.head)


@dataclass(slots=True)
class Turn:
    """What a caller holds during a turn: the book, and a way to append to it."""

    connection: sqlite3.Connection
    book: Book
    start: int

    def append(self, kind: str, account: str = "", spend: str = "", grains: int = 0, **facts: Any) -> None:
        """Write one more entry; it is durable when the turn has ended."""
        fresh = entry(self.book, kind, account, spend, grains, **facts)
        schema.append(self.connection, fresh)
        self.book.post(fresh)

    @property
    def wrote(self) -> bool:
        return self.book.seq > self.start


@contextmanager
def admitted(place: Place, timeout: float) -> Iterator[None]:
    """Alone with the ledger's directory, on the machine it belongs to; whatever fails is put in words."""
    with explained(place.ledger, timeout):
        place.make()
        with alone(place.lock, place.ledger, timeout):
            host.check(place.host, host.this_host())
            yield


def present(place: Place) -> bool:
    """Whether there is a ledger, or was one. A ledger that has gone missing is never taken for a new one."""
    if place.ledger.exists() and place.ledger.stat().st_size > 0:
        return True
    if copies.copies(place.copies):
        raise Broken("its file is missing or empty, though copies of it exist")
    return False


@contextmanager
def writing(place: Place, timeout: float) -> Iterator[Turn]:
    """A turn that may append. What was appended is on disk, and in a copy, when the body's `with` has ended.

    If only the copy fails, the entries stand: CopyFailed says so.
    """
    with admitted(place, timeout):
        if not present(place) and not place.ledger.exists():
            os.close(os.open(place.ledger, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(schema.connect(place.ledger, timeout)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            turn = _opened(connection, place)
            yield turn
            connection.execute("COMMIT")
            if turn.wrote:
                try:
                    copies.write(connection, turn.book, place.copies)
                except (sqlite3.Error, OSError) as error:
                    raise CopyFailed(place, error) from None


def _opened(connection: sqlite3.Connection, place: Place) -> Turn:
    if _blank(connection, place):
        schema.create(connection)
        turn = Turn(connection, Book(), 0)
        turn.append("opened", key=secrets.token_hex(32))
        return turn
    book = _checked(connection, place)
    return Turn(connection, book, book.seq)


def reading(place: Place, timeout: float) -> Book:
    """The book as it stands. Where no ledger was ever made it is empty, and nothing is made."""
    with explained(place.ledger, timeout):
        try:
            place.directory.stat()
        except FileNotFoundError:  # and no other error: a file in the way is a mistake in $SEQVEIL_HOME, not an empty ledger
            return Book()
    with admitted(place, timeout):
        if not present(place):
            return Book()
        with closing(schema.connect(place.ledger, timeout)) as connection:
            connection.execute("BEGIN")
            # A ledger without layout and without copies is one whose maker died over it: nothing was ever in it.
            return Book() if _blank(connection, place) else _checked(connection, place)


def _blank(connection: sqlite3.Connection, place: Place) -> bool:
    if not schema.empty(connection):
        return False
    if copies.copies(place.copies):
        raise Broken("its file is blank, though copies of it exist")
    return True


def _checked(connection: sqlite3.Connection, place: Place) -> Book:
    book = schema.read(connection)
    copies.witness(connection, book, place.copies)
    return book


class CopyFailed(LedgerError):
    """The entries are written and count, but their automatic copy could not be made."""

    def __init__(self, place: Place, error: Exception) -> None:
        super().__init__(
            f"The ledger {place.ledger} was written, but its automatic copy in {place.copies} was not ({error}). "
            "Make room or make that directory writable; what was spent stays spent."
        )
