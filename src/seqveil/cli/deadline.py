"""How a run ends before its end by `--timeout`, as if by Ctrl-C."""

from __future__ import annotations

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
