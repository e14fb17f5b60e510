"""First come, first served: a queue of tickets, each a named pipe that its owner holds open.

Whoever comes last waits for the one right before it to hang up, and the system hangs up for a process that dies. So every
process that is served wakes exactly one other, and nobody polls. The queue decides the order and nothing else: being alone is
the business of the lock (`gate.py`), and would be without a queue.
"""

from __future__ import annotations

import os
import re
import secrets
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seqveil.wall.ledger import forks

_NAME = re.compile(r"\d{20}-[0-9a-f]{8}")


@contextmanager
def ticket(queue: Path) -> Iterator[str]:
    """A ticket for as long as the body lasts: while one waits, and while one is served."""
    owner = os.getpid()
    name, descriptor = _taken(queue)
    try:
        yield name
    finally:
        if os.getpid() == owner:
            remove(queue, name)
            forks.close(descriptor)


def _taken(queue: Path) -> tuple[str, int]:
    while True:
        # The monotonic clock is one for the whole machine. Tickets from before a reboot are pipes that nobody holds.
        name = f"{time.monotonic_ns():020d}-{secrets.token_hex(4)}"
        os.mkfifo(queue / name, 0o600)
        try:
            # For both ends, because opening only one waits for the other.
            return name, forks.opened(queue / name, os.O_RDWR | os.O_NONBLOCK)
        except FileNotFoundError:
            continue  # whoever came right behind us saw a pipe that nobody held yet, and removed it
        except BaseException:
            remove(queue, name)
            raise


def ahead(queue: Path, name: str) -> list[str]:
    """The tickets before this one, first served first."""
    return sorted(other for other in os.listdir(queue) if other < name and _NAME.fullmatch(other))


def gone(queue: Path, name: str, seconds: float) -> bool:
    """Wait until the owner of a ticket has hung up; False if that took longer."""
    try:
        descriptor = os.open(queue / name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        with suppress(BlockingIOError):  # held, and silent as tickets are
            os.read(descriptor, 1)
            return True
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(max(0.0, seconds) * 1000))
    finally:
        os.close(descriptor)


def remove(queue: Path, name: str) -> None:
    """Take a ticket away, one's own or one that nobody holds."""
    with suppress(FileNotFoundError):
        os.unlink(queue / name)
