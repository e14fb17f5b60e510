"""How far a stream is, read from its state file without taking it over; reveals nothing raw."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from seqveil.errors import CallError
from seqveil.wall.journal.promise import Promise
from seqveil.wall.journal.recovery import examine


@dataclass(frozen=True, slots=True)
class Standing:
    """A promise and how much of it was used: `closed` of `position` places were never answered."""

    promise: Promise
    position: int
    closed: int


def read_standing(path: Path) -> Standing:
    """What `inspect STATE` shows; clear errors for a file that is foreign, cut or changed."""
    try:
        with path.open("rb") as file:
            contents = examine(path, file)
    except OSError as error:
        raise CallError(f"{path}: cannot be opened ({error.strerror}).") from None
    return Standing(contents.promise, contents.position, contents.closed)
