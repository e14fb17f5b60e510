"""Writing one file whole: it is there with all its bytes under its name, or it is not there, whenever the writer dies.

The bytes go to a hidden file in the same folder, which is made anew (never opened through a link) and gets its name when the disk
has it. A symbolic link is never written through or replaced. A writer holds a lock on its hidden file that the system frees when
it dies, so what a dead writer left is taken away by the next one in that folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from seqveil.durable import make_directory, sync
from seqveil.errors import CallError, RunFailed

_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{8}\.unfinished")
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

PUBLIC = 0o666
"""As open as the umask allows."""

INTERNAL = 0o600
"""For the owner alone: made from raw data, or secret."""


def refuse_taken(target: Path, instead: str, overwrite: bool = False) -> None:
    """Raise where a file must not be written: something is there that may not be replaced. `instead` says what to do."""
    try:
        there = os.lstat(target)
    except (FileNotFoundError, NotADirectoryError):  # whoever makes the folder says what is wrong with it
        return
    except OSError as error:
        raise CallError(f"{target} cannot be written ({error.strerror}): {instead}.") from None
    if stat.S_ISLNK(there.st_mode):
        raise CallError(f"{target} is a symbolic link, and files are not written through links: {instead}.")
    if not overwrite:
        raise CallError(f"{target} exists already: {instead}.")
    if not stat.S_ISREG(there.st_mode):
        raise CallError(f"{target} is not a regular file: {instead}.")


def write_whole(target: Path, body: bytes | Callable[[Path], object], *, mode: int = PUBLIC, overwrite: bool = False) -> Path:
    """Write a file whole, from bytes or by a function that fills an empty file; returns where it is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_whole(Path(folder) / "note.txt", b"whole")
    ...     path.read_bytes(), [each.name for each in path.parent.iterdir()]
    (b'whole', ['note.txt'])
    """
    refuse_taken(target, "choose another name", overwrite)
    try:
        make_directory(target.parent)
        work, lock = _new(target, mode)
        try:
            if isinstance(body, bytes):
                work.write_bytes(body)
            else:
                body(work)
            os.fsync(lock)
            _name(work, target, overwrite)
            try:
                sync(target.parent)
            except OSError:
                if not overwrite:  # a reported failure must not leave the file there
                    target.unlink(missing_ok=True)
                raise
        finally:
            with suppress(FileNotFoundError):
                work.unlink()
            os.close(lock)
    except OSError as error:
        raise RunFailed(f"{target} could not be written: {error.strerror or 'the disk failed'}.") from None
    return target


def _new(target: Path, mode: int) -> tuple[Path, int]:
    """An empty hidden file that is ours alone, and a descriptor that holds its lock."""
    _clear_dead(target.parent)
    name = os.fsdecode(os.fsencode(target.name)[:200])
    while True:
        work = target.parent / f".{name}.{secrets.token_hex(4)}.unfinished"
        lock = os.open(work, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # somebody takes it for a dead writer's
            os.close(lock)
            continue
        except OSError:  # a file system without locks
            return work, lock
        if os.fstat(lock).st_nlink:
            return work, lock
        os.close(lock)


def _clear_dead(folder: Path) -> None:
    """Remove hidden files that no living writer holds."""
    for path in folder.iterdir():
        if not _UNFINISHED.fullmatch(path.name):
            continue
        with suppress(OSError):
            lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(lock)


def _name(work: Path, target: Path, overwrite: bool) -> None:
    """Give the file its name. Renaming replaces what is there; linking refuses to."""
    if not overwrite:
        try:
            os.link(work, target)
        except FileExistsError:
            raise CallError(f"{target} exists already: choose another name.") from None
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
        else:
            return
    refuse_taken(target, "choose another name", overwrite)
    os.rename(work, target)
