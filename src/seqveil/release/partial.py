"""The hidden folder in which a release is written before it gets its name, and what becomes of those that died in it.

A run holds a lock on its folder that the system frees when the run dies, however it dies. So a folder that nobody holds is a
dead run's, and the next run that saves in the same place takes it away.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PARTIAL = re.compile(r"\..+\.[0-9a-f]{8}\.partial")


@contextmanager
def partial_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, ours alone; what is left of it goes when the block ends."""
    work = target.parent / f".{target.name}.{secrets.token_hex(4)}.partial"
    with _held(target.parent, fcntl.LOCK_EX):  # nobody clears away while a folder is made but not yet locked
        _clear_dead(target.parent)
        work.mkdir()
        lock = os.open(work, os.O_RDONLY)
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(lock)


def _clear_dead(parent: Path) -> None:
    """Remove the partial folders that no living run holds."""
    for path in parent.iterdir():
        if _PARTIAL.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            with suppress(OSError), _held(path, fcntl.LOCK_EX | fcntl.LOCK_NB):
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _held(folder: Path, how: int) -> Iterator[None]:
    """A lock on a folder; where a file system has no locks, OSError for those who will not wait, else none is taken."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, how)
        except OSError:
            if how & fcntl.LOCK_NB:
                raise
        yield
    finally:
        os.close(handle)


def make_durable(path: Path) -> None:
    """Wait until the disk has it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
