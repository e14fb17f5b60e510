"""What the process of a command sets up before anything else: no core files, streams that can show everything, Ctrl-C.

Standard library only: it stands before the first import that takes time.
"""

from __future__ import annotations

import codecs
import errno
import fcntl
import io
import os
import resource
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from seqveil.cli.interrupts import Interrupts
from seqveil.errors import OutputLost, ReaderLeft

_ESCAPED = "seqveil.escaped"
"""The error handler of our streams: a character that an encoding lacks is written as JSON writes it."""


@contextmanager
def process() -> Iterator[None]:
    """A block that may print to anything, be interrupted, and crash."""
    leave_no_core()
    open_streams()
    sys.unraisablehook = _unseen
    with Interrupts():
        yield


def leave_no_core() -> None:
    """From here on a crash of this process writes no core file: it would hold the raw data."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    # One byte, not none: Linux ignores a limit of 0 where cores are piped to a collector, and writes to neither at 1.
    resource.setrlimit(resource.RLIMIT_CORE, (1 if most == resource.RLIM_INFINITY else min(1, most), most))


def open_streams() -> None:
    """Standard streams that exist, show every character, and tell results that cannot be printed from other failures."""
    # A data file or a ledger that got the number of a closed stream would be written to by whoever prints.
    # Results for a closed stdout cannot be written, and are told so; remarks for a closed stderr go nowhere.
    for number, how in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, how)
    codecs.register_error(_ESCAPED, _escaped)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout = _stream(Results(1, "w", closefd=False), sys.stdout)
    sys.stderr = _stream(Remarks(2, "w", closefd=False), sys.stderr)


def output_closed() -> bool:
    """Whether nothing can be printed on stdout. One that was closed has been opened for reading only."""
    try:
        return fcntl.fcntl(1, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY
    except OSError:
        return True


class Results(io.FileIO):
    """stdout: what cannot be written raises OutputLost, once; after that nobody reads it any more."""

    _lost = False

    def write(self, data: Any, /) -> int:
        """All or some of the bytes; waits where the other end is slow."""
        size = memoryview(data).nbytes
        if self._lost:
            return size
        try:
            while (written := super().write(data)) is None:  # a pipe that somebody else set to non-blocking
                select.select([], [self], [])
        except OSError as error:
            self._lost = True
            lost = ReaderLeft if error.errno == errno.EPIPE else OutputLost
            raise lost(error.strerror or "the disk failed") from None
        return written


class Remarks(io.FileIO):
    """stderr: a remark that cannot be written is lost, for it must not cost a run."""

    def write(self, data: Any, /) -> int:
        """All bytes, or as many as there was room for."""
        with suppress(OSError):
            super().write(data)
        return memoryview(data).nbytes


def _stream(file: io.FileIO, before: TextIO | None) -> TextIO:
    encoding = "utf-8" if before is None else before.encoding
    return io.TextIOWrapper(io.BufferedWriter(file), encoding=encoding, errors=_ESCAPED, line_buffering=file.isatty())


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Escapes that stay right inside JSON text.

    >>> codecs.register_error(_ESCAPED, _escaped)
    >>> "ε = 1, é, 🚲".encode("ascii", _ESCAPED).decode()
    '\\\\u03b5 = 1, \\\\u00e9, \\\\ud83d\\\\udeb2'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)), error.end


def _unseen(unraisable: Any) -> None:
    """Python prints the traceback of an exception that nobody can catch; it may hold raw data."""
