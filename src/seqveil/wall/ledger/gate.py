"""One at a time: an advisory lock that the system drops by itself when its holder dies."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqveil.wall.ledger.faults import locked


@contextmanager
def alone(lock: Path, ledger: Path, timeout: float) -> Iterator[None]:
    """Hold the lock for the body; a LedgerError when it is not free within `timeout` seconds.

    The lock is on a file of its own, because `restore` replaces the ledger's file.
    """
    descriptor = os.open(lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        _wait(descriptor, ledger, timeout)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, ledger: Path, timeout: float) -> None:
    end = time.monotonic() + timeout
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                holder = os.pread(descriptor, 64, 0).decode("ascii", "replace") or "another process"
                raise locked(ledger, timeout, holder) from None
            # Uneven naps, so that many who wait do not wake together. Nothing private hangs on this draw.
            time.sleep(random.uniform(0.0005, 0.005))
