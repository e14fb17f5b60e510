"""The hidden folder in which a release is written before it gets its name, and what becomes of those that died in it.

A run holds a lock on its folder that the system frees when the run dies, however it dies. So a folder that nobody holds is a
dead run's, and the next run that saves in the same place takes it away. Nobody ever waits for a lock here: only folders of our
own making are locked, each by the run that made it, so a lock that somebody else holds on the place is none of our business.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from seqveil.durable import make_directory
from seqveil.errors import CallError, RunFailed

_PARTIAL = re.compile(r"\..+\.[0-9a-f]{8}\.partial")
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where a release will be: its final name, and the locked folder beside it in which it is written."""

    target: Path
    work: Path


@contextmanager
def place_for(target: str | Path) -> Iterator[Place]:
    """Take a place before anything is spent: whatever keeps a folder from being made there is found out now."""
    target = Path(target)
    refuse_taken(target)
    with ExitStack() as taken:
        try:
            make_directory(target.parent)
            work = taken.enter_context(partial_folder(target))
        except OSError as error:
            why = error.strerror or "the disk failed"
            raise RunFailed(f"The release could not be written to {target}: {why}. Choose another folder.") from None
        yield Place(target, work)


def refuse_taken(target: Path) -> None:
    """A release never replaces anything."""
    if target.exists() or target.is_symlink():
        raise CallError(f"{target} exists already: choose another folder, for example {_free_name(target)}.")


def _free_name(target: Path) -> str:
    """A name like the target's that is still free."""
    n = 2
    while (target.parent / f"{target.name}-{n}").exists():
        n += 1
    return str(target.parent / f"{target.name}-{n}")


@contextmanager
def partial_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, ours alone; what is left of it goes when the block ends."""
    _clear_dead(target.parent)
    work, lock = _made(target)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(lock)


def _made(target: Path) -> tuple[Path, int]:
    """A fresh folder and our lock on it; another one if somebody cleared it away before it was locked."""
    for _ in range(_TRIES):
        work = target.parent / f".{target.name}.{secrets.token_hex(4)}.partial"
        work.mkdir()
        with suppress(FileNotFoundError):  # cleared away
            lock = os.open(work, os.O_RDONLY)
            if _locked(lock) and work.stat().st_ino == os.fstat(lock).st_ino:
                return work, lock
            os.close(lock)
    raise OSError(0, "its hidden folder is removed again and again by somebody else")


def _locked(handle: int) -> bool:
    """Take the lock unless another holds it. Where a file system has no locks nobody clears away, so none is needed."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _clear_dead(parent: Path) -> None:
    """Remove the partial folders that no living run holds."""
    for path in parent.iterdir():
        if _PARTIAL.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            with suppress(OSError):
                handle = os.open(path, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(handle)
