"""The place of a folder: the hidden folder in which it is written before it gets its name, and what dead runs leave behind.

A run holds a lock on its folder that the system frees when the run dies, however it dies. So a folder that nobody holds is a
dead run's, and the next run that saves in the same place takes it away. Nobody ever waits for a lock here: only folders and
files of our own making are locked, so a lock that somebody else holds on the place is none of our business.

One run at a time may write to a name. It holds the lock on a small hidden file, the claim, from before anything is spent until
the release has its name: of two runs with the same target one would pay for a release that it cannot save.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from seqveil.durable import make_directory
from seqveil.errors import CallError, RunFailed
from seqveil.naming import rename_new

_PARTIAL = re.compile(r"\.(.+)\.[0-9a-f]{8}\.partial")
_OCCUPIED = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR)
_TRIES = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where a release will be: its final name, and the locked folder beside it in which it is written."""

    target: Path
    work: Path

    def name(self, or_beside: bool = False) -> Path:
        """Give the finished folder its name; nothing is ever replaced. Returns where it is.

        Where somebody has put something there meanwhile: CallError, or, with `or_beside`, a free name like the target's.
        """
        for target in _names_like(self.target):
            try:
                rename_new(self.work, target)
            except OSError as error:
                if error.errno not in _OCCUPIED or not os.path.lexists(target):
                    raise
                if not or_beside:
                    raise _taken(target) from None
            else:
                return target
        raise AssertionError("names do not end")


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
        raise _taken(target)


def _taken(target: Path) -> CallError:
    return CallError(f"{target} exists already: choose another folder, for example {_free_name(target)}.")


def _free_name(target: Path) -> str:
    """A name like the target's that is still free."""
    return str(next(path for path in _names_like(target) if not os.path.lexists(path)))


def _names_like(target: Path) -> Iterator[Path]:
    """The target, then NAME-2, NAME-3 and so on."""
    yield target
    for n in count(2):
        yield target.parent / f"{target.name}-{n}"


@contextmanager
def partial_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside the target, ours alone; what is left of it goes when the block ends, in the process that made it.

    CallError where another run is writing to the same target, or has just done so.
    """
    maker = os.getpid()
    with _claimed(target):
        refuse_taken(target)
        _clear_dead(target.parent)
        work, lock = _new_folder(target)
        try:
            yield work
        finally:
            if os.getpid() == maker:  # a child that was forked meanwhile leaves it to its parent
                shutil.rmtree(work, ignore_errors=True)
            os.close(lock)


@contextmanager
def _claimed(target: Path) -> Iterator[None]:
    """Alone with a target. The claim of a run that died is taken over: the system has freed its lock."""
    path, maker = _claim(target), os.getpid()
    lock = _claim_lock(path)
    if lock is None:
        raise CallError(f"another run is writing to {target}: wait for it, or choose another folder.")
    try:
        yield
    finally:
        if os.getpid() == maker:
            with suppress(OSError):
                path.unlink()  # while it is still locked, so that it is nobody else's
        os.close(lock)


def _claim(target: Path) -> Path:
    return target.parent / f".{target.name}.seqveil-claim"


def _claim_lock(path: Path) -> int | None:
    """The lock on a claim; None if a living run has it."""
    for _ in range(_TRIES):
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        if not _locked(lock):
            os.close(lock)
            return None
        with suppress(FileNotFoundError):  # its last owner removed it before we had the lock
            if path.stat().st_ino == os.fstat(lock).st_ino:
                return lock
        os.close(lock)
    return None


def _new_folder(target: Path) -> tuple[Path, int]:
    """A fresh folder and our lock on it; another one if somebody cleared it away before it was locked."""
    for _ in range(_TRIES):
        work = target.parent / f".{target.name}.{secrets.token_hex(4)}.partial"
        work.mkdir()
        with suppress(FileNotFoundError):  # cleared away
            lock = os.open(work, os.O_RDONLY)
            if _locked(lock) and work.stat().st_ino == os.fstat(lock).st_ino:
                return work, lock
            os.close(lock)
    raise OSError(0, "another program keeps removing its hidden folder")


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
    """Remove the partial folders that no living run holds, and their claims."""
    for path in parent.iterdir():
        if (match := _PARTIAL.fullmatch(path.name)) and path.is_dir() and not path.is_symlink():
            with suppress(OSError):
                handle = os.open(path, os.O_RDONLY)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(handle)
                _clear_claim(_claim(parent / match[1]))


def _clear_claim(path: Path) -> None:
    """Remove the claim of a run whose folder was cleared away, unless a living run has taken it over."""
    if path.exists() and (lock := _claim_lock(path)) is not None:
        path.unlink()
        os.close(lock)
