"""Automatic copies: made after every change, and a witness that the ledger has lost nothing since."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from seqveil.errors import LedgerError
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken
from seqveil.wall.ledger.faults import UNREADABLE
from seqveil.wall.ledger.schema import glance, read

KEPT = 3
"""How many copies are kept; restoring takes every entry from whichever of them still holds it intact."""

_NAME = re.compile(r"(\d{12})-([0-9a-f]{16})\.sqlite")


class Copy(NamedTuple):
    """One copy. Its name says how many entries it holds and how the hash of the last one starts."""

    seq: int
    head: str
    path: Path

    def whole(self) -> bool:
        """Whether every entry in this copy is what was written."""
        try:
            with closing(glance(self.path)) as connection:
                book = read(connection)
        except (*UNREADABLE, Broken, LedgerError, OSError):
            return False
        return book.seq == self.seq and book.head.hex().startswith(self.head)


def copies(directory: Path) -> list[Copy]:
    """The copies in a directory, newest first."""
    names = (path.name for path in directory.iterdir()) if directory.is_dir() else iter(())
    found = (match for name in names if (match := _NAME.fullmatch(name)))
    return sorted((Copy(int(match[1]), match[2], directory / match[0]) for match in found), reverse=True)


def sync(path: Path) -> None:
    """Make a file, or the renames in a directory, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write(connection: sqlite3.Connection, book: Book, directory: Path) -> None:
    """Copy the ledger as it stands: under another name first, renamed when it is safely on disk."""
    for leftover in directory.glob("*.new*"):  # of a process that died; the caller holds the lock
        leftover.unlink()
    final = directory / f"{book.seq:012d}-{book.head.hex()[:16]}.sqlite"
    fresh = final.with_suffix(".new")
    # The image as SQLite sees it, log included. Its backup call would wait for ever for a lock that is never freed.
    image = connection.serialize()
    with open(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(image)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, final)
    sync(directory)
    for old in copies(directory)[KEPT:]:
        old.path.unlink()


def witness(connection: sqlite3.Connection, book: Book, directory: Path) -> None:
    """Raise Broken if the newest copy knows more than the ledger, or something else.

    A damaged write-ahead log makes SQLite drop the newest entries without a word, and an older file put in the ledger's
    place is whole in itself; only a second witness notices. Where both hold the same entries they must also be the same
    bytes, so that a disk that starts to fail is noticed even where no entry lies.
    """
    for newest in copies(directory)[:1]:
        if newest.seq > book.seq:
            raise Broken(f"it ends at entry {book.seq}, but its newest copy has {newest.seq}")
        row = connection.execute("SELECT chain FROM history WHERE seq = ?", (newest.seq,)).fetchone()
        if not row[0].hex().startswith(newest.head):
            raise Broken("it is not the ledger that its copies were made from")
        if newest.seq == book.seq and connection.serialize() != newest.path.read_bytes():
            raise Broken("it and its newest copy should be the same bytes, and are not")
