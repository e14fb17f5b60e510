"""First come, first served: a queue of tickets, each an empty file that its owner holds locked.

The system unlocks the ticket of a process that dies, and whoever comes behind takes it away. The queue decides the order and
nothing else: being alone is the business of the lock (`gate.py`), and would be without a queue. Plain files, because a pipe or a
socket in this directory would stop programs that copy or search it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seqveil.wall.ledger import forks
from seqveil.wall.process import this_process

_NAME = re.compile(r"\d{20}-[0-9a-f]{8}")


@contextmanager
def ticket(queue: Path) -> Iterator[str]:
    """A ticket for as long as the body lasts: while one waits, and while one is served."""
    owner = this_process()
    name, descriptor = _taken(queue)
    try:
        yield name
    finally:
        if this_process() == owner:
            remove(queue, name)
            forks.close(descriptor)


def _taken(queue: Path) -> tuple[str, int]:
    while True:
        # Held before it can be seen: a ticket that nobody holds is taken away by whoever comes behind.
        fresh = queue / f"new-{secrets.token_hex(8)}"
        descriptor = forks.opened(fresh, os.O_CREAT | os.O_EXCL | os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # The monotonic clock is one for the whole machine. Tickets from before a reboot are files that nobody holds.
            name = f"{time.monotonic_ns():020d}-{secrets.token_hex(4)}"
            os.rename(fresh, queue / name)
            return name, descriptor
        except FileNotFoundError:
            forks.close(descriptor)  # it took us so long that it was taken for what a dead process left
        except BaseException:
            remove(queue, fresh.name)
            forks.close(descriptor)
            raise


def ahead(queue: Path, name: str) -> list[str]:
    """The tickets before this one, first served first; the one right before it is held."""
    before = []
    for other in os.listdir(queue):
        if _NAME.fullmatch(other):
            if other < name:
                before.append(other)
        elif other.startswith("new-"):
            _clear(queue / other)
    before.sort()
    while before and not _is_locked(queue / before[-1]):
        remove(queue, before.pop())
    return before


def _clear(fresh: Path) -> None:
    """Remove what became no ticket within a minute: its maker died over it."""
    with suppress(FileNotFoundError):
        if time.time() - fresh.stat().st_mtime > 60 and not _is_locked(fresh):
            fresh.unlink()


def departure(queue: Path, name: str) -> threading.Event:
    """Set when the owner of a ticket has let it go, or has died.

    A thread waits for it inside the system, because waiting for a lock knows no time limit. It ends with the ticket.
    """
    gone = threading.Event()

    def wait() -> None:
        with suppress(OSError):
            descriptor = forks.opened(queue / name, os.O_RDWR)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH)
            finally:
                forks.close(descriptor)
        gone.set()

    with suppress(RuntimeError):  # no room for a thread: whoever waits looks now and then
        threading.Thread(target=wait, daemon=True, name="seqveil-ledger-queue").start()
    return gone


def remove(queue: Path, name: str) -> None:
    """Take a ticket away, one's own or one that nobody holds."""
    with suppress(FileNotFoundError):
        os.unlink(queue / name)


def _is_locked(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
