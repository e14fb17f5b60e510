"""Reading a state file back: what it holds, whether it can be trusted, and which positions must stay closed."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from seqveil.wall.journal.frames import CLOSED, Frame, read_frames
from seqveil.wall.journal.marks import AREA, UNKNOWN, Mark, read_mark
from seqveil.wall.journal.promise import Promise, damaged, head_bytes, read_promise
from seqveil.wall.journal.witness import Seen


@dataclass(frozen=True, slots=True)
class Contents:
    """A state file as it lies there. `end` is behind its last whole frame, `position` that frame's last event."""

    promise: Promise
    marks_at: int
    mark: Mark
    position: int
    closed: int
    end: int
    chain: int
    seen: int | None = None
    """The chain behind the event that the witness named; None where no frame ends there."""

    @property
    def frames_at(self) -> int:
        return self.marks_at + AREA


def salt(promise: Promise) -> int:
    """Where the chain of a stream begins: frames and marks of another stream do not fit."""
    return zlib.crc32(promise.stream.encode())


def examine(path: Path, file: BinaryIO, witnessed: int = 0) -> Contents:
    """Read and check everything that the file alone can tell; raises when it is foreign, cut or changed.

    `witnessed` is the event that the witness names: what was journalled up to it is looked up on the way.
    """
    file.seek(0)
    promise, marks_at = read_promise(path, head_bytes(file.read))
    file.seek(marks_at)
    mark = read_mark(file.read(AREA), salt(promise))
    if mark is None:
        raise damaged(path, "its marks are cut or changed")
    position, closed, end, chain = 0, 0, marks_at + AREA, salt(promise)
    seen = chain if witnessed == 0 else None
    for frame in frames_of(file, promise, marks_at):
        position, end, chain = frame.first + len(frame.values) - 1, frame.end, frame.chain
        closed += len(frame.values) if frame.kind == CLOSED else 0
        seen = chain if position == witnessed else seen
    if end < mark.durable:
        raise damaged(path, f"only its first {position:,} events are there, though more were stored")
    return Contents(promise, marks_at, mark, position, closed, end, chain, seen)


def frames_of(file: BinaryIO, promise: Promise, marks_at: int) -> Iterator[Frame]:
    """The whole frames of a state file."""
    return read_frames(file, marks_at + AREA, salt(promise))


def check_copy(path: Path, contents: Contents, witness: Seen | None) -> None:
    """Refuse a file that is as long as the witness says, but whose events or noise are not those that were answered.

    Two copies of a state can come to the same event with different noise: one was killed before its answer went out, and the
    other went on. The witness has the check number of the one that answered.
    """
    if witness is not None and witness.position <= contents.position and witness.chains and contents.seen not in witness.chains:
        raise damaged(path, f"another copy of it answered up to event {witness.position:,}, with other noise")


def closed_until(path: Path, contents: Contents, witness: int | None, boot: bytes) -> int:
    """Up to which position the stream must stay closed, or an error when it must not go on at all.

    Within one boot everything that was written is still there, so a witness that saw more proves that the file was cut or
    is an older copy. After another boot, whatever lies between the last stored event and the horizon may have been answered
    with noise that is gone: it is closed. A witness beyond even the horizon cannot come from a power loss.
    """
    if witness is None:
        raise damaged(path, "the record of its progress, which is kept beside the ledger, is missing")
    same_boot = contents.mark.boot == boot != UNKNOWN
    limit = contents.position if same_boot else max(contents.position, contents.mark.horizon)
    if witness > max(limit, contents.mark.closed_until):
        seen = f"it ends at event {contents.position:,}, but {witness:,} were answered"
        raise damaged(path, f"{seen}: it was cut, or is an older copy")
    return max(contents.mark.closed_until, 0 if same_boot else limit)


def truncate(descriptor: int, contents: Contents) -> None:
    """Drop a frame that was only half written: its answers were never shown."""
    if os.fstat(descriptor).st_size > contents.end:
        os.ftruncate(descriptor, contents.end)
