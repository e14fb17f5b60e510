"""Who hears about the progress of a run: the stages that it goes through, and warnings before it begins.

A surface (a terminal, a web page) brings its own listener. Python's is `Warnings`. Nothing that a listener hears depends on raw
data: stages are named by mechanisms from public parameters, warnings come from plans and the ledger.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from seqveil.errors import ReleaseWarning


class Listener(Protocol):
    """What a caller of the lifecycle may listen with."""

    def stage(self, name: str) -> None:
        """The next stage begins."""
        ...

    def warn(self, text: str) -> None:
        """A sentence for the data holder. Before the run begins it may raise, and then nothing is spent."""
        ...


class Silent:
    """No listener, but for somebody who may be told the stages."""

    def __init__(self, stages: Callable[[str], None] = lambda name: None) -> None:
        self._stages = stages

    def stage(self, name: str) -> None:
        self._stages(name)

    def warn(self, text: str) -> None:
        pass


class Warnings(Silent):
    """Warnings of Python, in the name of whoever called this library."""

    def warn(self, text: str) -> None:
        warnings.warn(text, ReleaseWarning, stacklevel=_frames_of_ours() + 1)


class Guarded:
    """A listener of a run that has begun: whatever breaks in it (its terminal has gone) must not cost the release."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def stage(self, name: str) -> None:
        with suppress(Exception):
            self._listener.stage(name)

    def warn(self, text: str) -> None:
        with suppress(Exception):
            self._listener.warn(text)


def _frames_of_ours() -> int:
    """How many frames of this library lie between the warning and whoever called the library."""
    frame, count = sys._getframe(1), 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "seqveil" and frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count
