"""What a forked child inherits and must not use: locks, SQLite connections, spends.

A lock that is inherited would be held until the child ends, and SQLite forbids a connection in another process than the one
that opened it. So descriptors of locks are closed in the child, and connections are left alone there: even closing one would
write to the ledger in its parent's name.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.process import Process, this_process

_guard = threading.RLock()  # held during fork: no descriptor is between opening and being noted then
_descriptors: set[int] = set()
_connections: set[sqlite3.Connection] = set()
_abandoned: list[sqlite3.Connection] = []


def _in_child() -> None:
    for descriptor in _descriptors:
        os.close(descriptor)
    _descriptors.clear()
    _abandoned.extend(_connections)  # a reference for ever: a connection that is collected closes itself
    _connections.clear()
    _guard.release()


os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_in_child)


def opened(path: Path, flags: int) -> int:
    """A descriptor, made with mode 0600 if it is made, that no child inherits: neither by fork nor by exec."""
    with _guard:
        descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
        _descriptors.add(descriptor)
    return descriptor


def close(descriptor: int) -> None:
    """Close what `opened` gave; only in the process that opened it."""
    with _guard:
        _descriptors.discard(descriptor)
        os.close(descriptor)


@contextmanager
def connected(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """The connection, closed at the end; in a child that was forked meanwhile it is left as it is."""
    owner = this_process()
    with _guard:
        _connections.add(connection)
    try:
        yield connection
    finally:
        if this_process() == owner:
            with _guard:
                _connections.discard(connection)
            connection.close()


def check_process(owner: Process, what: str) -> None:
    """Refuse what another process started: both would go on with it, and each would count once."""
    if this_process() != owner:
        raise LedgerError(
            f"{what} belongs to process {owner[0]} and cannot be used in process {os.getpid()}. "
            "Nothing was changed. Use it in the process that reserved it, or reserve again in this one."
        )
