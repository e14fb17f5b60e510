"""Putting a damaged ledger together again: every entry from whichever copy still holds it intact."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from seqveil.durable import make_directory, sync
from seqveil.errors import LedgerError
from seqveil.wall.ledger import copies, legacy, schema
from seqveil.wall.ledger.checkpoint import Checkpoint
from seqveil.wall.ledger.entry import ROOT, Entry
from seqveil.wall.ledger.faults import UNREADABLE
from seqveil.wall.ledger.place import Place


def longest(rows: Iterable[Entry]) -> list[Entry]:
    """The longest history that holds together, link by link, out of rows from any number of copies.

    >>> one = Entry(1, "", "cap", "a", "", 1, "{}").after(ROOT)
    >>> two = Entry(2, "", "cap", "a", "", 2, "{}").after(one.chain)
    >>> [entry.grains for entry in longest([one._replace(grains=9), two, one])]
    [1, 2]
    """
    candidates: defaultdict[object, list[Entry]] = defaultdict(list)
    for row in rows:
        candidates[row.seq].append(row)
    trail: list[Entry] = []
    head = ROOT
    while fitting := {row.chain: row for row in candidates[len(trail) + 1] if row.follows(head)}:
        if len(fitting) > 1:
            raise LedgerError(
                "Files of two different ledgers are mixed here, and both may count. Move the ledger.sqlite or the copies "
                "that do not belong here to another directory, then run: seqveil ledger restore"
            )
        ((head, row),) = fitting.items()
        trail.append(row)
    return trail


def salvage(place: Place) -> Iterator[Entry]:
    """Every row that can still be read, from the copies of any kind and from the damaged file."""
    for copy in copies.copies(place.copies):
        yield from copy.entries()
    sources: list[tuple[Path, Callable[[Path], sqlite3.Connection]]]
    sources = [(copy.path, schema.glance) for copy in legacy.old_copies(place.copies)]
    if place.ledger.exists():
        sources.append((place.ledger, lambda path: schema.connect(path, 1.0)))
    for path, connect in sources:
        for order in ("ASC", "DESC"):  # from both ends towards the damage
            with suppress(*UNREADABLE), closing(connect(path)) as connection:
                yield from schema.rows(connection, order)


def rebuild(place: Place, history: list[Entry]) -> Path:
    """Put a new file with this history in the ledger's place, and new copies; the damaged files are kept. Returns where.

    A death at any point leaves either the damaged ledger or none, and copies: both are refused until `restore` is typed
    again. What is damaged is set aside before it is replaced, and the copies are whole before the ledger is touched.
    """
    fresh = place.ledger.with_suffix(".new")
    for leftover in place.directory.glob(f"{fresh.name}*"):  # of a restore that died
        leftover.unlink()
    last = schema.build(fresh, history)
    aside = renew_copies(place, history, last)
    # The ledger goes before its log: a log beside another ledger's file would be played into it.
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{place.ledger}{suffix}", aside / f"{place.ledger.name}{suffix}")
    sync(aside)
    os.replace(fresh, place.ledger)
    sync(place.directory)
    return aside


def renew_copies(place: Place, history: list[Entry], last: Checkpoint) -> Path:
    """Write every copy anew; damaged ones are kept in a directory of their own. Returns where."""
    taken = len(list(place.directory.glob("damaged-*")))
    aside = make_directory(place.directory / f"damaged-{taken + 1}", 0o700)
    for name in copies.NAMES:
        copy = copies.Copy(place.copies / name)
        tail = copy.tail() if copy.whole() else None
        if copy.path.exists() and (tail is None or history[: tail.last.seq][-1:] != [tail.last]):
            shutil.copyfile(copy.path, aside / name)
            os.chmod(aside / name, 0o600)
            sync(aside / name)
        copy.write(history, last)
    for old in legacy.old_copies(place.copies):
        if old.whole() and old.seq <= len(history) and history[old.seq - 1].chain.hex().startswith(old.head):
            old.path.unlink()
        else:
            os.replace(old.path, aside / old.path.name)
    sync(aside)
    return aside
