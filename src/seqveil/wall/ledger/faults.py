"""What went wrong underneath, in words that say what to do. No SQLite or system traceback reaches a user."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.ledger.entry import Broken

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR}


class Damaged(LedgerError):
    """The ledger's files are not what was written: `ledger restore` can help."""


def damaged(path: Path, why: str) -> Damaged:
    return Damaged(
        f"The ledger {path} is damaged: {why}. Nothing was spent and nothing is published while it cannot be trusted. "
        "Type: seqveil ledger restore   (puts it together again from its automatic copies; the damaged file is kept)"
    )


def locked(path: Path, seconds: float, holder: str = "another program") -> LedgerError:
    return LedgerError(
        f"The ledger {path} was locked by {holder} for more than {seconds:g} s. Nothing was changed. "
        "Wait for it to end and type the same again; a process that has died holds no lock."
    )


def full(path: Path) -> LedgerError:
    return LedgerError(f"There is no room left on the disk of the ledger {path}. Make room and type the same again.")


def shut(path: Path) -> LedgerError:
    return LedgerError(
        f"The ledger {path} cannot be written: its directory or a file in it is read-only or belongs to someone else. "
        "Make it writable for you, or choose another place with SEQVEIL_HOME=DIRECTORY "
        "(a new place starts a new ledger, which does not know what was spent here)."
    )


UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file can end in: Python fails to decode some messages that quote the damage."""


def in_words(path: Path, error: Exception, timeout: float) -> LedgerError:
    """The LedgerError that tells a user about `error`."""
    if isinstance(error, UnicodeDecodeError):
        return damaged(path, "its layout cannot be read")
    if isinstance(error, Broken):
        return damaged(path, str(error))
    if isinstance(error, OSError):
        if error.errno in _FULL:
            return full(path)
        if error.errno in _CLOSED:
            return shut(path)
        return LedgerError(f"The ledger {path} cannot be used: {error.strerror}. Check its directory and its disk.")
    # An extended SQLite code keeps the plain one in its low byte.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return locked(path, timeout)
    if code == sqlite3.SQLITE_FULL:
        return full(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return shut(path)
    if code == sqlite3.SQLITE_IOERR:
        return Damaged(
            f"The disk of the ledger {path} failed or is full ({error}). Check the disk, then type: seqveil ledger verify"
        )
    return damaged(path, f"SQLite says: {error}")


@contextmanager
def explained(path: Path, timeout: float) -> Iterator[None]:
    """Turn every failure underneath into a LedgerError."""
    try:
        yield
    except (*UNREADABLE, OSError, Broken) as error:
        raise in_words(path, error, timeout) from None
