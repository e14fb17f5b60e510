"""The state file as a file: made whole or not at all, held by one process, and never through a name that someone planted.

A new one is written beside its place, as `STATE.new`, and renamed. While it is being made its maker holds a lock on it, so what
lies there without a lock was left by a run that was killed, and is removed.
"""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from seqveil.durable import sync_upwards
from seqveil.errors import CallError
from seqveil.surface import parameter
from seqveil.wall.journal.marks import AREA, Mark, sync, this_boot
from seqveil.wall.journal.promise import KIND, Promise
from seqveil.wall.journal.recovery import salt

ATTEMPTS = 8
"""How often to try again when others make and remove the same name at the same time."""


def create(path: Path, promise: Promise) -> int:
    """A new state file without events, durable and locked. Returns its descriptor."""
    fresh = path.with_name(path.name + ".new")
    try:
        descriptor, name = _reserved(path, fresh), fresh
        try:
            # Nobody else makes this state as long as the lock is held, so the answer stays true until the rename.
            if os.path.lexists(path):
                raise CallError(f"{_named(path)} exists already: choose another name for a new stream.")
            head = promise.head()
            os.fchmod(descriptor, 0o600)
            os.pwrite(descriptor, head + bytes(AREA), 0)
            Mark(0, len(head) + AREA, 0, 0, this_boot()).write(descriptor, len(head), salt(promise))
            sync(descriptor)
            os.rename(fresh, path)
            name = path
            sync_upwards(path.parent)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            os.close(descriptor)
            raise
    except OSError as error:
        raise _unwritable(path, error) from None
    return descriptor


def try_place(path: Path) -> None:
    """Whether a new state file can be written there is tried before anything is charged; leaves nothing behind."""
    fresh = path.with_name(path.name + ".new")
    try:
        if os.path.lexists(path):
            raise CallError(f"{_named(path)} exists already: choose another name for a new stream.")
        descriptor = _reserved(path, fresh)
        try:
            os.pwrite(descriptor, KIND.ljust(AREA), 0)  # if this run is killed here, the next one removes it as a leftover
            sync(descriptor)
        finally:
            os.unlink(fresh)
            os.close(descriptor)
    except OSError as error:
        raise _unwritable(path, error) from None


def take_over(path: Path) -> int:
    """The descriptor of an existing state file, locked; refused while anybody else has it open."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError as error:
        raise CallError(f"{_named(path)}: cannot be opened ({error.strerror}).") from None
    if not locked(descriptor):
        os.close(descriptor)
        raise in_use(path)
    return descriptor


def locked(descriptor: int) -> bool:
    """Take the lock of an open file, if it is free. The system frees it when the file is closed, or its process dies."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def in_use(path: Path) -> CallError:
    """Two processes must never answer one stream."""
    return CallError(
        f"{_named(path)} is in use: this stream, or a copy of it, is open already. Close it or let its process end first, or "
        f"choose another {parameter('state')} for a new stream."
    )


def _unwritable(path: Path, error: OSError) -> CallError:
    return CallError(f"{_named(path)}: cannot be written ({error.strerror}); choose another place.")


def _named(path: Path) -> str:
    return parameter("state", str(path))


def _reserved(path: Path, fresh: Path) -> int:
    """The file that becomes the state: newly made, empty, locked by us and still under its name."""
    for _ in range(ATTEMPTS):
        try:
            descriptor = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_RDWR, 0o600)
        except FileExistsError:
            _remove_leftover(path, fresh)
            continue
        if locked(descriptor) and _names(fresh, descriptor):
            return descriptor
        os.close(descriptor)
    raise in_use(path)


def _remove_leftover(path: Path, fresh: Path) -> None:
    """Remove what a killed run left. Anything else under that name stays, and is refused."""
    in_the_way = CallError(
        f"{fresh} exists already, and a new state file is written there first. Remove it, or choose another {parameter('state')}."
    )
    try:
        descriptor = os.open(fresh, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    except OSError:
        raise in_the_way from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not KIND.startswith(os.pread(descriptor, len(KIND), 0)):
            raise in_the_way
        if not locked(descriptor):
            raise in_use(path)
        if _names(fresh, descriptor):
            os.unlink(fresh)
    finally:
        os.close(descriptor)


def _names(path: Path, descriptor: int) -> bool:
    """Whether a name still stands for an open file."""
    try:
        named = os.stat(path, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(named, os.fstat(descriptor))
