"""Ctrl-C, and the signals that ask a process to end: delivered where they do no harm, and never lost.

Python raises KeyboardInterrupt between any two steps of whatever runs. Two kinds of code cannot bear that. A compiler that is
left halfway (Numba, LLVM) disposes of a module twice, and the process dies of SIGSEGV. A finalizer or an import swallows the
exception, or makes another one of it, and the run goes on as if nobody had pressed a key.

So a command looks at the stack before it raises. As long as such code is on it the interrupt is held, and is raised in the frame
that called this code, as soon as that frame goes on. A clock looks again whether an interrupt was swallowed after all; while an
`except` or `finally` block is at work on one, none is added. A second Ctrl-C, some time after the first, ends the process at
once, as `kill` does: what a killed run leaves behind, the next one clears away.

SIGTERM (`kill`, `timeout`, a machine that shuts down) and SIGHUP (a terminal that closes) are the same as Ctrl-C: a run that is
asked to end before it has read a row returns its ε. A signal that is ignored when the command starts (`nohup`) stays ignored.

Commands only: a library does not touch the signal handlers of its host. Verbs need not know about any of this.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a command in order."""

_WHOLE = {"numba", "llvmlite", "weakref", "_weakrefset"}
"""Packages that cannot be left halfway, and what the collector calls back: it swallows exceptions, as those of `__del__`."""

_IMPORTING = {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>"}
"""A module that is left halfway is broken for all that comes after it."""

_LOOK_AGAIN = 0.25
"""Seconds between two looks at an interrupt that has not arrived."""

_PATIENCE = 1.0
"""Seconds after which another Ctrl-C is no bounce of the first one."""

_LONGEST = 10.0
"""Seconds that an interrupt is held at most."""


class Interrupts:
    """A block in which Ctrl-C is delivered as described above; a signal that the process ignores is left alone.

    >>> before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    >>> with Interrupts():
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except KeyboardInterrupt:
    ...         print("interrupted")
    interrupted
    >>> _ = signal.signal(signal.SIGINT, before)
    """

    def __init__(self) -> None:
        self._pressed: float | None = None
        self._raised: KeyboardInterrupt | None = None
        self._caller: FrameType | None = None
        self._tracing: Any = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        usual = (signal.default_int_handler, signal.SIG_DFL)  # else it is ignored, or somebody's who knows better
        heard = [number for number in SIGNALS if signal.getsignal(number) in usual]
        self._before = {number: signal.getsignal(number) for number in (*heard, signal.SIGALRM)}
        for number in heard:
            signal.signal(number, self._press)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """The interrupt, if there was one, has arrived."""
        if self._pressed is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            if signal.getsignal(number) in (self._press, self._look_again):
                signal.signal(number, handler)
        self._forget_caller()

    def _press(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._pressed is None:
            self._pressed = now
            signal.signal(signal.SIGALRM, self._look_again)
            signal.setitimer(signal.ITIMER_REAL, _LOOK_AGAIN, _LOOK_AGAIN)
        elif now - self._pressed > _PATIENCE:
            _end_at_once()
        self._deliver(frame)

    def _look_again(self, number: int, frame: FrameType | None) -> None:
        self._deliver(frame)

    def _deliver(self, frame: FrameType | None) -> None:
        """Raise the interrupt here, or wait for the frame in which it can be raised."""
        if self._raised is not None and self._raised in _chain(sys.exc_info()[1]):
            return  # it has arrived, and somebody is clearing up
        holding = _outermost_whole(frame)
        if holding is None:
            self._forget_caller()
            self._raised = KeyboardInterrupt()
            raise self._raised
        if self._pressed is not None and time.monotonic() - self._pressed > _LONGEST:
            _end_at_once()
        self._wait_for(holding.f_back)

    def _wait_for(self, caller: FrameType | None) -> None:
        """Trace one frame: Python tells of its next line, or of its end, whichever comes first."""
        if caller is None or caller is self._caller:
            return  # nobody to wait for: the clock looks again
        self._forget_caller()
        self._caller, self._tracing = caller, sys.gettrace()
        caller.f_trace = self._goes_on
        sys.settrace(_nothing)

    def _goes_on(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        self._forget_caller()
        self._deliver(frame)
        return None

    def _forget_caller(self) -> None:
        if self._caller is not None:
            self._caller.f_trace = None
            self._caller = None
            sys.settrace(self._tracing)


def _nothing(frame: FrameType, event: str, argument: Any) -> None:
    """What is called meanwhile is not traced."""


def _outermost_whole(frame: FrameType | None) -> FrameType | None:
    """The frame whose caller may be interrupted; None when the frame itself may be."""
    outermost = None
    while frame is not None:
        if _is_whole(frame):
            outermost = frame
        frame = frame.f_back
    return outermost


def _is_whole(frame: FrameType) -> bool:
    code = frame.f_code
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return code.co_name == "__del__" or code.co_filename in _IMPORTING or package in _WHOLE


def _chain(error: BaseException | None) -> list[BaseException]:
    """An exception and all that it came from."""
    chain: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and one not in chain:
            chain.append(one)
            waiting += [one.__cause__, one.__context__]
    return chain


def _end_at_once() -> None:
    """As `kill` does, with a word: the ledger and the files of a killed run are in order."""
    os.write(2, b"error: interrupted at once; the next run removes what was left unfinished.\n")
    os._exit(1)
