"""One turn at the ledger: alone, on this machine, checked before and durable after."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from seqveil.durable import sync_upwards
from seqveil.errors import LedgerError
from seqveil.wall.ledger import copies, forks, history, host, legacy, schema
from seqveil.wall.ledger.book import Book, Charge
from seqveil.wall.ledger.entry import Broken, Entry
from seqveil.wall.ledger.faults import explained
from seqveil.wall.ledger.gate import alone
from seqveil.wall.ledger.place import Place
from seqveil.wall.process import Process, this_process


def entry(book: Book, kind: str, account: str = "", spend: str = "", grains: int = 0, **facts: Any) -> Entry:
    """The next entry of a book."""
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Entry(book.seq + 1, at, kind, account, spend, grains, json.dumps(facts, sort_keys=True)).after(book.head)


@dataclass(slots=True)
class View:
    """What a caller sees during a turn: the book, and what is looked up in the history. No connection: no ledger yet."""

    connection: sqlite3.Connection | None
    book: Book

    def charge(self, spend: str) -> Charge | None:
        """One spend and what became of it, open or not."""
        if spend not in self.book.charges and self.connection and (earlier := history.charge(self.connection, spend)):
            self.book.charges[spend] = earlier
        return self.book.charges.get(spend)

    def release(self, release: str) -> Charge | None:
        """The spend that a release was committed with."""
        spend = history.spend_of(self.connection, release) if self.connection else None
        return self.charge(spend) if spend is not None else None

    def once(self, account: str, once: str) -> Charge | None:
        """The spend of a run that happens once, unless it was returned."""
        spends = history.spends_once(self.connection, account, once) if self.connection else []
        charges = (self.charge(spend) for spend in spends)
        return next((charge for charge in charges if charge is not None and charge.status != "returned"), None)

    def seen(self, fingerprint: str) -> list[str]:
        """The accounts under which an input was seen."""
        return history.accounts_of(self.connection, fingerprint) if self.connection else []

    def about(self, account: str) -> list[Entry]:
        """Every entry about an account or the whole ledger."""
        return list(history.about(self.connection, account)) if self.connection else []


@dataclass(slots=True)
class Turn(View):
    """A view that can also append."""

    connection: sqlite3.Connection
    start: int
    process: Process = field(default_factory=this_process)

    def append(self, kind: str, account: str = "", spend: str = "", grains: int = 0, **facts: Any) -> None:
        """Write one more entry; it is durable when the turn has ended."""
        self.check_process()
        fresh = entry(self.book, kind, account, spend, grains, **facts)
        schema.append(self.connection, fresh)
        self.book.post(fresh)

    def check_process(self) -> None:
        forks.check_process(self.process, "This turn at the ledger")

    @property
    def wrote(self) -> bool:
        return self.book.seq > self.start


@contextmanager
def admitted(place: Place, timeout: float) -> Iterator[None]:
    """Alone with the ledger's directory, on the machine it belongs to; whatever fails is put in words."""
    with explained(place.ledger, timeout):
        place.make()
        with alone(place, timeout):
            host.check(place.host, host.this_host())
            yield


def present(place: Place) -> bool:
    """Whether there is a ledger, or was one. A ledger that has gone missing is never taken for a new one."""
    if place.ledger.exists() and place.ledger.stat().st_size > 0:
        return True
    if _copied(place):
        raise Broken("its file is missing or empty, though copies of it exist")
    return False


@contextmanager
def writing(place: Place, timeout: float) -> Iterator[Turn]:
    """A turn that may append. What was appended is on disk, and in every copy, when the body's `with` has ended.

    If only a copy fails, the entries stand: CopyFailed says so.
    """
    with admitted(place, timeout):
        if not present(place) and not place.ledger.exists():
            os.close(os.open(place.ledger, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            sync_upwards(place.directory)
        with forks.connected(schema.connect(place.ledger, timeout)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            turn = _opened(connection, place)
            yield turn
            turn.check_process()
            if turn.wrote:
                _end(turn, place)


def _opened(connection: sqlite3.Connection, place: Place) -> Turn:
    if _blank(connection, place):
        schema.create(connection)
        turn = Turn(connection, Book(), 0)
        turn.append("opened", key=secrets.token_hex(32))
        return turn
    book = _checked(connection, place, mend=True)
    if schema.layout(connection) != schema.VERSION:
        schema.upgrade(connection)
        schema.seal(connection, book)
    return Turn(connection, book, book.seq)


def _end(turn: Turn, place: Place) -> None:
    last = schema.seal(turn.connection, turn.book)
    turn.connection.execute("COMMIT")
    try:
        copies.write(turn.connection, last, place.copies)
        legacy.retire(place.copies)
    except (sqlite3.Error, OSError, Broken) as error:
        raise CopyFailed(place, error) from None


@contextmanager
def reading(place: Place, timeout: float, mend: bool = True) -> Iterator[View]:
    """A turn that only looks. Where no ledger was ever made the book is empty, and nothing is made.

    Copies that are missing or end too early are written again, unless the caller wants to see them as they are.
    """
    with explained(place.ledger, timeout):
        try:
            place.directory.stat()
        except FileNotFoundError:  # and no other error: a file in the way is a mistake in $SEQVEIL_HOME, not an empty ledger
            yield View(None, Book())
            return
    with admitted(place, timeout):
        if not present(place):
            yield View(None, Book())
            return
        with forks.connected(schema.connect(place.ledger, timeout)) as connection:
            connection.execute("BEGIN")
            # A ledger without layout and without copies is one whose maker died over it: nothing was ever in it.
            blank = _blank(connection, place)
            yield View(None, Book()) if blank else View(connection, _checked(connection, place, mend))


def _blank(connection: sqlite3.Connection, place: Place) -> bool:
    if not schema.empty(connection):
        return False
    if _copied(place):
        raise Broken("its file is blank, though copies of it exist")
    return True


def _copied(place: Place) -> bool:
    return bool(copies.copies(place.copies) or legacy.old_copies(place.copies))


def _checked(connection: sqlite3.Connection, place: Place, mend: bool) -> Book:
    book = history.opened(connection)
    complete = copies.witness(connection, book, place.copies)
    legacy.witness(connection, book, place.copies)
    if mend and not complete and schema.layout(connection) != schema.FIRST:
        # Left so by a process that died between COMMIT and copy, by a full disk, or by who cut or removed a copy. Where it
        # still cannot be written the ledger itself stands: `verify` tells, and so does whoever appends.
        with suppress(OSError):
            copies.write(connection, schema.sealed(connection), place.copies)
    return book


class CopyFailed(LedgerError):
    """The entries are written and count, but an automatic copy of them could not be made."""

    def __init__(self, place: Place, error: Exception) -> None:
        super().__init__(
            f"The ledger {place.ledger} was written, but its automatic copy in {place.copies} was not ({error}). "
            "Make room or make that directory writable; what was spent remains spent."
        )
