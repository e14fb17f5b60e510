"""One at a time: an advisory lock that the system drops by itself when its holder dies, taken in the order of a queue."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from seqveil.errors import LedgerError
from seqveil.wall.ledger import forks
from seqveil.wall.ledger import queue as queues
from seqveil.wall.ledger.faults import locked
from seqveil.wall.ledger.place import Place

STALLED = 1.0
"""Seconds after which one who waits looks whether the lock is free and the first in the queue just does not take it."""

_NOTE = 32
"""Bytes in the lock file that say who holds it: always as many, because cutting a file short waits for the disk."""

_NO_PIPES = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS}


@contextmanager
def alone(place: Place, timeout: float) -> Iterator[None]:
    """Hold the lock for the body; a LedgerError after `timeout` seconds in which nobody in the queue was served.

    The lock is on a file of its own, because `restore` replaces the ledger's file.
    """
    owner = os.getpid()
    with _place_in_queue(place.queue) as mine:
        descriptor = forks.opened(place.lock, os.O_CREAT | os.O_RDWR)
        try:
            if not (mine and _wait_in_queue(descriptor, place, mine, timeout)):
                _wait_for_lock(descriptor, place.ledger, timeout)
            os.pwrite(descriptor, f"process {owner}".ljust(_NOTE).encode(), 0)
            yield
        finally:
            # A forked child has no descriptor any more, and unlocking there would unlock its parent.
            if os.getpid() == owner:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
                forks.close(descriptor)


@contextmanager
def _place_in_queue(queue: Path) -> Iterator[str]:
    """A ticket; none on a file system without named pipes, where order is left to chance."""
    with ExitStack() as held:
        mine = ""
        try:
            mine = held.enter_context(queues.ticket(queue))
        except OSError as error:
            if error.errno not in _NO_PIPES:
                raise
        yield mine


def _wait_in_queue(descriptor: int, place: Place, mine: str, timeout: float) -> bool:
    """Wait until nobody is ahead. True if the lock was taken on the way, past somebody who has a ticket and does not move."""
    first, since = "", time.monotonic()
    while before := queues.ahead(place.queue, mine):
        if before[0] != first:
            first, since = before[0], time.monotonic()
        rest = since + timeout - time.monotonic()
        if queues.gone(place.queue, before[-1], min(STALLED, rest)):
            queues.remove(place.queue, before[-1])
            continue
        if queues.ahead(place.queue, mine)[:1] == [first]:
            if _took(descriptor):
                return True
            if time.monotonic() >= since + timeout:
                raise _patience_ended(descriptor, place.ledger, timeout)
    return False


def _wait_for_lock(descriptor: int, ledger: Path, timeout: float) -> None:
    """Take the lock. With a queue only its first waits here, for a holder that came past it."""
    end = time.monotonic() + timeout
    while not _took(descriptor):
        if time.monotonic() >= end:
            raise _patience_ended(descriptor, ledger, timeout)
        # Uneven naps, so that those who wait without a queue do not wake together. Nothing private hangs on this draw.
        time.sleep(random.uniform(0.0005, 0.005))


def _took(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _patience_ended(descriptor: int, ledger: Path, timeout: float) -> LedgerError:
    holder = os.pread(descriptor, _NOTE, 0).decode("ascii", "replace").strip() or "another process"
    return locked(ledger, timeout, holder)
