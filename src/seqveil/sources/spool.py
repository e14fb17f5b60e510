"""What people point at, opened once: from then on whoever opens it reads the same bytes.

A regular file is itself, held by a descriptor: if another file takes its name meanwhile, that is not read. A pipe, a FIFO or
standard input can be read only once, so it is copied to an anonymous file first, before anything is reserved: a private one (mode
0600, without a name), in the folder that TMPDIR names. What has no end or no bytes (devices, folders, sockets) is refused.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path, PosixPath
from typing import IO, Any

from seqveil.errors import InputProblems

STDIN = "-"
"""Standard input, as it is typed."""

_STEP = 1 << 20
REFUSED = {
    stat.S_IFDIR: "is a folder: give a file",
    stat.S_IFCHR: "is a device or a terminal, which has no end: give a file or a pipe",
    stat.S_IFBLK: "is a device: give a file or a pipe",
    stat.S_IFSOCK: "is a socket: give a file or a pipe",
}
"""What cannot be read, by its kind, and why: a sentence without its subject."""

_NO_ROOM = "cannot be copied to {folder} ({why}): set TMPDIR to a folder with more space, or give a file. Nothing was spent."
_NOTHING = "is a pipe that ended without a byte: the program that writes to it has probably failed. Nothing was spent."


class Spool(PosixPath):
    """A path whose name is what was typed, and whose bytes are those of one open file. Made by `spooled`.

    Everything that opens it by its path (`open`, gzip, Arrow) opens the descriptor instead of the name.
    """

    problem: str | None = None
    """Why it cannot be read, if so; a sentence without its subject."""
    _descriptor: int | None = None

    def __fspath__(self) -> str:
        if self._descriptor is None:
            return str(self)
        os.lseek(self._descriptor, 0, os.SEEK_SET)  # where opening /dev/fd/N shares the place in the file, as on macOS
        return f"/dev/fd/{self._descriptor}"

    @property
    def nameless(self) -> bool:
        """Whether the name says nothing lasting about the data: standard input, or a pipe of the shell."""
        return str(self) == STDIN or str(self).startswith(("/dev/", "/proc/"))

    def chunks(self) -> Iterator[bytes]:
        """All bytes, in order, as they lie in the file; nothing is unpacked."""
        if self.problem is not None or self._descriptor is None:
            raise InputProblems(str(self), [self.problem or "is not open"])
        at = 0
        try:
            while chunk := os.pread(self._descriptor, _STEP, at):
                at += len(chunk)
                yield chunk
        except OSError as error:
            raise InputProblems(str(self), [f"cannot be read ({error.strerror or 'damaged'})"]) from None


def spooled(path: str | Path) -> Spool:
    """The file of a path, opened now; what is wrong with it as a file is its `problem`, to be shown with all others.

    >>> spooled("/dev/zero").problem
    'is a device or a terminal, which has no end: give a file or a pipe'
    """
    if isinstance(path, Spool):
        return path
    spool = Spool(path)
    try:
        if str(path) != STDIN and (problem := REFUSED.get(stat.S_IFMT(os.stat(path).st_mode))):
            spool.problem = problem  # opening a device may already do something
        else:
            _hold(spool, os.dup(0) if str(path) == STDIN else os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except FileNotFoundError:
        spool.problem = "does not exist: check the path"
    except (OSError, ValueError) as error:
        spool.problem = f"cannot be read ({getattr(error, 'strerror', None) or 'not a path'})"
    return spool


def spool_of(name: str, body: bytes) -> Spool:
    """Bytes as a file of a name that exists nowhere.

    >>> spool = spool_of("a.txt", b"hello")
    >>> spool.name, spool.read_bytes(), b"".join(spool.chunks())
    ('a.txt', b'hello', b'hello')
    """
    with tempfile.TemporaryFile(prefix="seqveil-") as file:
        file.write(body)
        file.flush()
        return _keeping(Spool(name), os.dup(file.fileno()))


def spool_written(name: str | Path, write: Callable[[IO[bytes]], None]) -> Spool:
    """What a function writes, as a file of a name that exists nowhere; a disk without room is its `problem`."""
    spool, folder = Spool(name), "the folder for temporary files"
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile(prefix="seqveil-") as copy:
            write(copy)
            copy.flush()
            return _keeping(spool, os.dup(copy.fileno()))
    except OSError as error:
        spool.problem = _NO_ROOM.format(folder=folder, why=error.strerror or "it failed")
    return spool


def _hold(spool: Spool, descriptor: int) -> None:
    """Keep a regular file; copy what can be read once."""
    try:
        kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
        again = kind == stat.S_IFREG and os.lseek(descriptor, 0, os.SEEK_CUR) == 0  # else someone has read a part of it
        if not again:
            spool.problem = None if kind == stat.S_IFSOCK else REFUSED.get(kind)  # stdin may be a socket; it does end
            if spool.problem is None:
                _copy(spool, descriptor)
            os.close(descriptor)
            return
    except BaseException:
        os.close(descriptor)
        raise
    _keeping(spool, descriptor)


def _copy(spool: Spool, descriptor: int) -> None:
    folder = "the folder for temporary files"
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile(prefix="seqveil-") as copy:
            _pour(descriptor, copy)
            if os.fstat(copy.fileno()).st_size == 0:
                spool.problem = _NOTHING
                return
            _keeping(spool, os.dup(copy.fileno()))
    except OSError as error:
        spool.problem = _NO_ROOM.format(folder=folder, why=error.strerror or "it failed")


def _pour(descriptor: int, copy: IO[Any]) -> None:
    with os.fdopen(os.dup(descriptor), "rb", buffering=0) as source:
        shutil.copyfileobj(source, copy, _STEP)
    copy.flush()


def _keeping(spool: Spool, descriptor: int) -> Spool:
    spool._descriptor = descriptor
    weakref.finalize(spool, os.close, descriptor)
    return spool
