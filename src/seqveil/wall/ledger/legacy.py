"""Copies as Seqveil 0.1 made them: whole SQLite files, named after their last entry. Read and believed, no longer written."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from seqveil.errors import LedgerError
from seqveil.wall.ledger import history, schema
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.entry import Broken
from seqveil.wall.ledger.faults import UNREADABLE

_NAME = re.compile(r"(\d{12})-([0-9a-f]{16})\.sqlite")


class OldCopy(NamedTuple):
    """One copy. Its name says how many entries it holds and how the hash of the last one starts."""

    seq: int
    head: str
    path: Path

    def whole(self) -> bool:
        """Whether every entry in this copy is what was written."""
        try:
            with closing(schema.glance(self.path)) as connection:
                book = history.folded(connection)
        except (*UNREADABLE, Broken, LedgerError, OSError):
            return False
        return book.seq == self.seq and book.head.hex().startswith(self.head)


def old_copies(directory: Path) -> list[OldCopy]:
    """The copies of this kind in a directory, newest first."""
    names = (path.name for path in directory.iterdir()) if directory.is_dir() else iter(())
    matches = (match for name in names if (match := _NAME.fullmatch(name)))
    return sorted((OldCopy(int(match[1]), match[2], directory / match[0]) for match in matches), reverse=True)


def witness(connection: sqlite3.Connection, book: Book, directory: Path) -> None:
    """Raise Broken if the newest copy knows more than the ledger, or something else."""
    for newest in old_copies(directory)[:1]:
        if newest.seq > book.seq:
            raise Broken(f"it ends at entry {book.seq}, but its newest copy has {newest.seq}")
        row = next(history.since(connection, newest.seq - 1), None)
        if row is None or not row.chain.hex().startswith(newest.head):
            raise Broken("it is not the ledger that its copies were made from")


def examined(book: Book, directory: Path) -> list[bool]:
    """Of each copy, whether it is whole; the newest one must know the last entry of the ledger."""
    copies = old_copies(directory)
    return [copy.whole() for copy in copies] + [False] * (not copies or copies[0].seq < book.seq)


def retire(directory: Path) -> None:
    """Remove them, once everything in them is also in copies of today."""
    for copy in old_copies(directory):
        copy.path.unlink()
