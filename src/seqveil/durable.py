"""Directories and files that survive a loss of power.

A new name is on disk only when the directory that holds it was synced. So whoever makes a directory syncs the one above
it, up to the first that was there before: a file that is safely on disk in a directory that is not is lost with it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def make_directory(path: str | os.PathLike[str], mode: int = 0o777) -> Path:
    """Make a directory and every missing one above it, durably; one that exists is left as it is.

    `mode` is for the directory itself, less the umask; those above it are made as the system would make them.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as above:
    ...     make_directory(Path(above) / "a" / "b", 0o700).is_dir()
    True
    """
    path = Path(path)
    missing = []
    above = path
    while not above.is_dir() and above != above.parent:
        missing.append(above)
        above = above.parent
    for each in reversed(missing):
        each.mkdir(mode if each == path else 0o777, exist_ok=True)
        # Also where another process was quicker: its own sync may still be on the way.
        sync(each.parent)
    return path


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until the disk has the bytes of a file, or the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_upwards(path: str | os.PathLike[str]) -> None:
    """Wait until the disk has the names in a directory, and the name of that directory in each one above it.

    For what is made once and must not be lost: a directory above may have been made a moment ago by a process that died,
    or has not synced it yet. One above that may not be opened was not made by us.
    """
    path = Path(path).absolute()
    sync(path)
    for above in path.parents:
        with suppress(OSError):
            sync(above)
