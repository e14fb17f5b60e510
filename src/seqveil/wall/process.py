"""One process: whatever holds noise, or may draw some, belongs to the process that made it, and exists once.

`fork` copies memory. Two processes that go on from one copy would add the same noise to different data, and the difference
of their answers would be the difference of the data; or they would spend one budget twice. So would a copy of an object, or
one that was pickled. What must not be used twice is `Owned`: a forked child lets go of it at once and is refused when it
tries to use it, and it cannot be copied.

A process is known by its number and by how often its line was forked since this module was loaded: numbers are given out
again.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from typing import Any, ClassVar, NoReturn, Self

from seqveil.errors import CallError, RunFailed

Process = tuple[int, int]
"""A process: its number, and how often its line was forked."""

_number, _forks = os.getpid(), 0


def this_process() -> Process:
    """What tells this process from every other that came from it, or that it came from."""
    if os.getpid() != _number:
        _forked()  # by a library, past Python's own fork
    return _number, _forks


class Owned:
    """Usable in the process that made it only; neither copied nor pickled.

    >>> import copy
    >>> copy.copy(Owned())
    Traceback (most recent call last):
    seqveil.errors.CallError: this object cannot be copied or pickled: two copies could use the same noise or budget twice. ...
    """

    _what: ClassVar[str] = "object"
    _instead: ClassVar[str] = "Make a new one in the process that needs it."
    _process: Process

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        owned = super().__new__(cls)
        owned._process = this_process()
        _alive.add(owned)
        return owned

    @property
    def _owned_here(self) -> bool:
        """Whether this is the process that made it."""
        return self._process == this_process()

    def _check_owner(self) -> None:
        """Refuse any process but the one that made it."""
        if self._process != this_process():
            raise RunFailed(
                f"this {self._what} belongs to process {self._process[0]}, and this is a fork of it: both could use the same "
                f"noise or budget. {self._instead}"
            )

    def _let_go(self) -> None:
        """Called in a forked child: forget noise and close descriptors. Locks may be held by threads that are not here."""

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise CallError(
            f"this {self._what} cannot be copied or pickled: two copies could use the same noise or budget twice. {self._instead}"
        )


_alive: weakref.WeakSet[Owned] = weakref.WeakSet()


def _forked() -> None:
    global _number, _forks
    _number, _forks = os.getpid(), _forks + 1
    for owned in list(_alive):
        with suppress(Exception):  # one that another thread was just making; it is refused all the same
            owned._let_go()


os.register_at_fork(after_in_child=_forked)
