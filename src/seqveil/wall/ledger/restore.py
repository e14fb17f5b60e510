"""Putting a damaged ledger together again: every entry from whichever copy still holds it intact."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.ledger import copies, schema
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
    found: defaultdict[object, list[Entry]] = defaultdict(list)
    for row in rows:
        found[row.seq].append(row)
    if len({row.chain for row in found[1] if row.follows(ROOT)}) > 1:
        raise LedgerError(
            "Files of two different ledgers are mixed here, and both may count. Move the ledger.sqlite or the copies "
            "that do not belong here to a home of their own, then type: seqveil ledger restore"
        )
    trail: list[Entry] = []
    head = ROOT
    while fitting := [row for row in found[len(trail) + 1] if row.follows(head)]:
        trail.append(fitting[0])
        head = fitting[0].chain
    return trail


def salvage(place: Place) -> Iterator[Entry]:
    """Every row that can still be read, from the copies and from the damaged file."""
    sources: list[tuple[Path, Callable[[Path], sqlite3.Connection]]]
    sources = [(copy.path, schema.glance) for copy in copies.copies(place.copies)]
    if place.ledger.exists():
        sources.append((place.ledger, lambda path: schema.connect(path, 1.0)))
    for path, connect in sources:
        for order in ("ASC", "DESC"):  # from both ends towards the damage
            with suppress(*UNREADABLE), closing(connect(path)) as connection:
                yield from schema.rows(connection, order)


def rebuild(place: Place, history: list[Entry]) -> Path:
    """Put a new file with this history in the ledger's place; the damaged files are kept. Returns where.

    A death at any point leaves either the damaged ledger or none, and the copies: both are refused until `restore` is
    typed again. The new file is a copy before anything is taken away.
    """
    for leftover in place.copies.glob("*.new*"):
        leftover.unlink()
    last = history[-1]
    newest = place.copies / f"{last.seq:012d}-{last.chain.hex()[:16]}.sqlite"
    fresh = newest.with_suffix(".new")
    schema.build(fresh, history)
    os.replace(fresh, newest)
    copies.sync(place.copies)
    aside = _set_aside(place, history)
    shutil.copyfile(newest, fresh)
    os.chmod(fresh, 0o600)
    copies.sync(fresh)
    os.replace(fresh, place.ledger)
    copies.sync(place.directory)
    return aside


def _set_aside(place: Place, history: list[Entry]) -> Path:
    taken = len(list(place.directory.glob("damaged-*")))
    aside = place.directory / f"damaged-{taken + 1}"
    aside.mkdir(0o700)
    # The ledger goes before its log: a log beside another ledger's file would be played into it.
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{place.ledger}{suffix}", aside / f"{place.ledger.name}{suffix}")
    for copy in copies.copies(place.copies):
        if not (copy.seq <= len(history) and history[copy.seq - 1].chain.hex().startswith(copy.head) and copy.whole()):
            os.replace(copy.path, aside / copy.path.name)
    copies.sync(place.directory)
    return aside
