"""Automatic copies: two text files to which every change is appended, and witnesses that the ledger has lost nothing since.

A line is an entry, as a JSON list, or the seal of the checkpoint that ends a turn. A copy counts up to its last seal; what
comes after is left from a process that died, and is written again by the next.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from seqveil.durable import sync
from seqveil.wall.ledger import history, schema
from seqveil.wall.ledger.book import Book
from seqveil.wall.ledger.checkpoint import Checkpoint
from seqveil.wall.ledger.entry import Broken, Entry, linked

NAMES = ("first.jsonl", "second.jsonl")
"""Restoring takes every entry from whichever copy still holds it intact."""

_BLOCK = 1 << 16

_LONGEST_TURN = 8
"""How many lines before a seal are looked at: a turn appends up to four entries."""


class Seal(NamedTuple):
    """The line that ends a turn: the seal of the checkpoint at an entry."""

    seq: int
    seal: bytes


class Tail(NamedTuple):
    """The end of a copy: its last entry, the seal after it, and where the next turn is to be written."""

    last: Entry
    seal: bytes
    end: int
    beyond: int | None
    """The highest entry that can be read after the end, 0 if none can; None if nothing comes after it."""


class Copy(NamedTuple):
    """One copy, which may not be there."""

    path: Path

    def tail(self) -> Tail | None:
        """The end of the last turn in this copy; None if it is not there. Reads no more than that end."""
        try:
            with open(self.path, "rb") as file:
                size = file.seek(0, os.SEEK_END)
                length = min(size, _BLOCK)
                while True:
                    file.seek(size - length)
                    block = file.read(length)
                    if turn := _last_turn(block, size - length):
                        return turn
                    if length == size:
                        raise Broken(f"its copy {self.path.name} holds no whole turn")
                    length = min(size, 2 * length)
        except FileNotFoundError:
            return None

    def entries(self) -> Iterator[Entry]:
        """Every entry that can still be read from this copy, whole or not."""
        for line in self._lines():
            with suppress(Broken):
                if isinstance(said := _said(line), Entry):
                    yield said

    def whole(self) -> bool:
        """Whether every line in this copy is what was written; a torn last line is left from a death, and no damage.

        Its last seal is compared with the ledger's in every turn (`witness`).
        """
        try:
            if self.tail() is None:
                return False
            book = Book()
            for line in self._lines():
                if line.endswith(b"\n") and isinstance(said := _said(line), Entry):
                    book.post(next(linked([said], book.head, book.seq + 1)))
        except (Broken, OSError):
            return False
        return True

    def write(self, entries: Iterable[Entry], last: Checkpoint) -> None:
        """Write all of it: under another name first, renamed when it is safely on disk."""
        fresh = self.path.with_suffix(".new")
        with open(os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            file.writelines(map(_line, entries))
            file.write(_line(Seal(last.seq, last.seal)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self.path)
        sync(self.path.parent)

    def extend(self, tail: Tail, entries: Iterable[Entry], last: Checkpoint) -> None:
        """Append one more turn, durably."""
        turn = b"".join([*map(_line, entries), _line(Seal(last.seq, last.seal))])
        with open(self.path, "r+b") as file:
            if tail.beyond is not None:
                file.truncate(tail.end)
            file.seek(tail.end)
            file.write(turn)
            file.flush()
            os.fsync(file.fileno())

    def _lines(self) -> Iterator[bytes]:
        try:
            with open(self.path, "rb") as file:
                yield from file
        except FileNotFoundError:
            return


def copies(directory: Path) -> list[Copy]:
    """The copies that are there."""
    return [copy for copy in _all(directory) if copy.path.exists()]


def _all(directory: Path) -> list[Copy]:
    """The copies that a ledger has, there or not."""
    return [Copy(directory / name) for name in NAMES]


def _line(said: Entry | Seal) -> bytes:
    line = [*said[:7], said.chain.hex()] if isinstance(said, Entry) else ["seal", said.seq, said.seal.hex()]
    return json.dumps(line).encode() + b"\n"


def _said(line: bytes) -> Entry | Seal:
    """What a line says. It must be spelt as we spell it, so that no byte of it can change unnoticed."""
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        *fields, digest = json.loads(line)
        said = Seal(fields[1], bytes.fromhex(digest)) if fields[:1] == ["seal"] else Entry._make([*fields, bytes.fromhex(digest)])
        if isinstance(said.seq, int) and _line(said) == line:
            return said
    raise Broken("a line of a copy is not what was written")


def _last_turn(block: bytes, offset: int) -> Tail | None:
    """The last seal in a block after entries that are whole; None if the block does not reach back that far."""
    lines = block.splitlines(keepends=True)
    end, beyond = offset + len(block), None
    for number in range(len(lines) - 1, 0, -1):
        with suppress(Broken):
            said = _said(lines[number])
            if isinstance(said, Seal):
                last = _sealed_entry(lines[max(0, number - _LONGEST_TURN) : number])
                if last.seq == said.seq:
                    return Tail(last, said.seal, end, beyond)
            beyond = max(beyond or 0, said.seq)
        beyond, end = beyond or 0, end - len(lines[number])
    return None


def _sealed_entry(before: list[bytes]) -> Entry:
    """The entry right before a seal. A disk may keep the end of a turn and not its beginning: the rest must be there, too."""
    last = said = _said(before[-1])
    for line in reversed(before[:-1]):
        if isinstance(earlier := _said(line), Seal):
            break
        if isinstance(said, Entry) and not said.follows(earlier.chain):
            raise Broken("a turn in a copy is not whole")
        said = earlier
    if isinstance(last, Entry):
        return last
    raise Broken("a copy has a seal after a seal")


def witness(connection: sqlite3.Connection, book: Book, directory: Path) -> bool:
    """Raise Broken if a copy knows more than the ledger, or something else. Whether every copy is there and knows all of it.

    A damaged write-ahead log makes SQLite drop the newest entries without a word, and an older file put in the ledger's
    place is whole in itself; only a second witness notices.
    """
    complete = True
    for copy in _all(directory):
        if (tail := copy.tail()) is None:
            complete = False
            continue
        newest = max(tail.last.seq, tail.beyond or 0)
        if newest > book.seq or (tail.last.seq == book.seq and tail.beyond is not None):
            raise Broken(f"it ends at entry {book.seq}, but its copy {copy.path.name} goes on")
        if next(history.since(connection, tail.last.seq - 1), None) != tail.last:
            raise Broken("it is not the ledger that its copies were made from")
        if tail.last.seq == book.seq and schema.seal_of(connection) not in (tail.seal, None):
            raise Broken("its checkpoint is not the one that its copies know")
        complete = complete and tail.last.seq == book.seq
    return complete


def examined(book: Book, directory: Path) -> list[bool]:
    """Of each copy, whether it is there, every line in it is what was written, and it knows the last entry of the ledger."""
    return [copy.whole() and (tail := copy.tail()) is not None and tail.last.seq == book.seq for copy in _all(directory)]


def write(connection: sqlite3.Connection, last: Checkpoint, directory: Path) -> None:
    """Bring every copy up to the ledger as it stands: append what is missing, or write one that is not there.

    What is written is checked link by link: a copy must not repeat damage that another one could repair.
    """
    for leftover in directory.glob("*.new*"):  # of a process that died; the caller holds the lock
        leftover.unlink()
    for copy in _all(directory):
        tail = copy.tail()
        if tail is None:
            copy.write(linked(history.since(connection, 0)), last)
        elif tail.last.seq < last.seq:
            copy.extend(tail, linked(history.since(connection, tail.last.seq), tail.last.chain, tail.last.seq + 1), last)
