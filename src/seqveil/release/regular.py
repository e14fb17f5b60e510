"""Opening files of other parties: regular files only, so that nothing waits for a pipe, reads a device or leaves the folder."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path


class NotRegular(OSError):
    """There is something else under this name: a link, a pipe, a device, a folder."""


@contextmanager
def opened(path: Path, follow: bool = False) -> Iterator[BufferedReader]:
    """A regular file, open for reading. A link is followed only where a person named it (`follow`).

    What is checked is what was opened: nobody can put something else in its place between the two.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    if not follow and path.is_symlink():
        raise NotRegular(0, "is a link, not a file", str(path))
    handle = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegular(0, "is not a regular file", str(path))
        file = os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
    with file:
        yield file


def sha256(path: Path) -> str:
    """The fingerprint of a regular file."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
