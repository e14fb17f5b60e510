"""Failures of SQLite and the system, as errors that say what to do. No traceback of theirs reaches a user."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.ledger.entry import Broken
from seqveil.wall.ledger.header import FORBIDS, forbids_writing

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM}
_IN_THE_WAY = {errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
_TOO_MANY_FILES = {errno.EMFILE, errno.ENFILE}

_PROBES = 8
"""How many descriptors a turn may hold at once: a ticket, the lock, SQLite's three files, a copy, a directory."""


class Damaged(LedgerError):
    """The ledger's files are not what was written: `ledger restore` can help."""


def damaged(path: Path, why: str) -> Damaged:
    return Damaged(
        f"The ledger {path} is damaged: {why}. Nothing is spent or published while it cannot be trusted. "
        "Run: seqveil ledger restore   (rebuilds it from its automatic copies; the damaged file is kept)"
    )


def locked(path: Path, seconds: float, holder: str = "another program") -> LedgerError:
    return LedgerError(
        f"The ledger {path} was locked by {holder} for more than {seconds:g} s. Nothing was changed. "
        "Wait for it to end and run the command again; a process that has ended holds no lock."
    )


def full(path: Path) -> LedgerError:
    return LedgerError(f"No space is left on the disk of the ledger {path}. Make room and run the command again.")


def shut(path: Path, why: str = "its directory or a file in it is read-only or belongs to someone else") -> LedgerError:
    return LedgerError(
        f"The ledger {path} cannot be written: {why}. Make it writable, or choose another place with "
        "SEQVEIL_HOME=DIRECTORY (a new place starts a new ledger, without what was spent here)."
    )


def too_many_files(path: Path) -> LedgerError:
    return LedgerError(
        f"The ledger {path} cannot be opened: too many open files. Close files in this program, or allow more of them "
        "(run: ulimit -n 4096), and run the command again."
    )


def no_memory(path: Path) -> LedgerError:
    return LedgerError(
        f"The ledger {path} cannot be used: not enough memory. Close other programs or raise the limit (ulimit -v), "
        "and run the command again."
    )


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file can end in: Python fails to decode some messages that quote the damage."""


def in_words(path: Path, error: BaseException, timeout: float) -> LedgerError:
    """The LedgerError that explains `error` to a user."""
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, "its layout cannot be read")
    if isinstance(error, Broken):
        return damaged(path, str(error))
    if isinstance(error, MemoryError):
        return no_memory(path)
    return _system(path, error) if isinstance(error, OSError) else _sqlite(path, error, timeout)


def _system(path: Path, error: OSError) -> LedgerError:
    if error.errno in _FULL:
        return full(path)
    if error.errno in _TOO_MANY_FILES:
        return too_many_files(path)
    if error.errno == errno.ENOMEM:
        return no_memory(path)
    if error.errno == errno.EROFS:
        return shut(path, "its file system is mounted read-only")
    if error.errno in _FORBIDDEN:
        return shut(path)
    if error.errno in _IN_THE_WAY:
        return shut(path, f"{error.filename or 'something'} is in the way (a file where a directory belongs, or the reverse)")
    return LedgerError(f"The ledger {path} cannot be used: {error.strerror}. Check its directory and its disk.")


def _sqlite(path: Path, error: BaseException, timeout: float) -> LedgerError:
    # An extended SQLite code keeps the plain one in its low byte.
    extended = getattr(error, "sqlite_errorcode", 0)
    code = extended & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL):
        return locked(path, timeout)
    if code == sqlite3.SQLITE_FULL:
        return full(path)
    if code == sqlite3.SQLITE_NOMEM or extended == sqlite3.SQLITE_IOERR_NOMEM:
        return no_memory(path)
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR) and _out_of_descriptors():
        return too_many_files(path)
    if code == sqlite3.SQLITE_READONLY and forbids_writing(path):
        return damaged(path, FORBIDS)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return shut(path)
    if code == sqlite3.SQLITE_IOERR:
        return Damaged(
            f"The disk of the ledger {path} failed or is full ({error}). Check the disk, then run: seqveil ledger verify"
        )
    return damaged(path, f"SQLite says: {error}")


def _out_of_descriptors() -> bool:
    """Whether this process cannot open the few files of a turn: SQLite does not say why it could not open one."""
    probes: list[int] = []
    try:
        while len(probes) < _PROBES:
            probes.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno in _TOO_MANY_FILES
    finally:
        for probe in probes:
            os.close(probe)
    return False


@contextmanager
def explained(path: Path, timeout: float) -> Iterator[None]:
    """Turn every failure underneath into a LedgerError."""
    try:
        yield
    except (*UNREADABLE, OSError, MemoryError, Broken) as error:
        raise in_words(path, error, timeout) from None
