"""How a run ends before its end: by `--timeout`, as if by Ctrl-C; or by a crash, which leaves no memory behind."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from seqveil.errors import RunFailed


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """RunFailed after so many seconds; a step of compiled code is finished first.

    >>> with deadline(0.001):
    ...     while True: pass
    Traceback (most recent call last):
    seqveil.errors.RunFailed: stopped: it took longer than --timeout 0.001 seconds.
    """
    if seconds is None:
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise RunFailed(f"stopped: it took longer than --timeout {seconds:g} seconds.")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def leave_no_core() -> None:
    """From here on a crash of this process writes no core file: it would hold the raw data."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    # One byte, not none: Linux ignores a limit of 0 where cores are piped to a collector, and writes to neither at 1.
    resource.setrlimit(resource.RLIMIT_CORE, (1 if most == resource.RLIM_INFINITY else min(1, most), most))
