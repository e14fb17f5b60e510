"""One at a time: an advisory lock that the system drops by itself when its holder dies, taken in the order of a queue."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from seqveil.wall.ledger import forks
from seqveil.wall.ledger.faults import locked
from seqveil.wall.ledger.place import Place
from seqveil.wall.ledger.queue import ahead, departure, ticket
from seqveil.wall.process import this_process

STALLED = 1.0
"""Seconds after which one who waits looks whether the lock is free and the first in the queue just does not take it."""

LOOK = 0.25
"""Seconds after which one who waits looks at the queue even if the one before it has not left."""

_NOTE = 32
"""Bytes in the lock file that say who holds it: always as many, because cutting a file short waits for the disk."""


@contextmanager
def alone(place: Place, timeout: float) -> Iterator[None]:
    """Hold the lock for the body; a LedgerError after `timeout` seconds in which nobody in the queue was served.

    The lock is on a file of its own, because `restore` replaces the ledger's file.
    """
    owner = this_process()
    with ticket(place.queue) as mine:
        descriptor = forks.opened(place.lock, os.O_CREAT | os.O_RDWR)
        try:
            _wait(descriptor, place, mine, timeout)
            os.pwrite(descriptor, f"process {owner[0]}".ljust(_NOTE).encode(), 0)
            yield
        finally:
            # A forked child has no descriptor any more, and unlocking there would unlock its parent.
            if this_process() == owner:
                fcntl.flock(descriptor, fcntl.LOCK_UN)
                forks.close(descriptor)


def _wait(descriptor: int, place: Place, mine: str, timeout: float) -> None:
    """Take the lock when nobody is ahead, or when whoever is first does not take it though it is free."""
    before, since = ahead(place.queue, mine), time.monotonic()
    gone = departure(place.queue, before[-1]) if before else None
    while True:
        now = time.monotonic()
        # Also past somebody who has a ticket but was stopped, in order: those further back hold back a little longer.
        stalled = now > since + min(timeout, STALLED + 0.02 * len(before))
        if (not before or stalled) and _took(descriptor):
            return
        if now > since + timeout:
            holder = os.pread(descriptor, _NOTE, 0).decode("ascii", "replace").strip() or "another process"
            raise locked(place.ledger, timeout, holder)
        if gone is None or gone.is_set():
            time.sleep(0.001)  # for one who came past the queue, or whose ticket could not be watched
        else:
            gone.wait(min(LOOK, since + timeout - now))
        if (tickets := ahead(place.queue, mine)) != before:  # somebody was served: patience starts again
            if tickets[-1:] != before[-1:]:
                gone = departure(place.queue, tickets[-1]) if tickets else None
            before, since = tickets, time.monotonic()


def _took(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
