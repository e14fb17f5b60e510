"""The witness: how far a stream has been answered, kept beside the ledger and not beside the state.

A state file that was cut, or replaced by an older copy, looks whole. Going on from it would draw new noise for what was
already released. The witness, one small file per stream under `$SEQVEIL_HOME/streams`, records up to which event
answers may have been seen, and the check number of the journal up to there. Copies of a state have one witness, and
whoever has the stream open holds its lock: only one of them goes on, wherever it lies. It has two slots that are written
in turn, so that a half-written one leaves the one before.
"""

from __future__ import annotations

import fcntl
import os
import struct
import tempfile
import zlib
from pathlib import Path
from typing import NamedTuple

from seqveil.durable import make_directory, sync_upwards
from seqveil.errors import RunFailed
from seqveil.wall.journal.marks import SECTOR, sync
from seqveil.wall.process import Owned

_FORM = struct.Struct("<8sQI")
_MAGIC = b"SVWITCHN"
_FORM_0_1, _MAGIC_0_1 = struct.Struct("<8sQ"), b"SVWITNES"
_CRC = struct.Struct("<I")


class Seen(NamedTuple):
    """What a witness says: the last event that may have been answered, and the journal's check numbers up to there.

    There are two numbers when both slots name the same event, and none in a witness that Seqveil 0.1 wrote.
    """

    position: int
    chains: frozenset[int]


class Witness(Owned):
    """The position of the last event whose answer may have been seen, written after each event's journal entry."""

    _what = "witness"

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor, self._next = -1, 0
        self._locked_file: tuple[int, int] | None = None

    @classmethod
    def of(cls, home: Path, stream: str) -> Witness:
        """The witness of a stream; nothing is opened or made yet."""
        return cls(home / "streams" / stream)

    @staticmethod
    def try_place(home: Path) -> None:
        """Whether a witness can be written is tried before anything is charged; leaves no file behind."""
        folder = home / "streams"
        try:
            make_directory(folder, 0o700)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(bytes(SECTOR))
                file.flush()
                sync(file.fileno())
        except OSError as error:
            raise _unwritable(folder, error) from None

    def create(self, chain: int) -> None:
        """A witness at position 0, durably, for a stream of which nothing was answered; one that says something stays."""
        try:
            make_directory(self.path.parent, 0o700)
            self.close()
            if self.seen() is None:  # missing, or left empty by a run that was killed right here
                self._descriptor = os.open(self.path, os.O_CREAT | os.O_NOFOLLOW | os.O_RDWR, 0o600)
                try:
                    self.write(0, chain)
                    self.sync()
                finally:
                    self.close()
                sync_upwards(self.path.parent)
        except OSError as error:
            raise _unwritable(self.path.parent, error) from None

    def hold(self) -> bool:
        """Open it and lock it for as long as the stream is open; False when someone else has it. One that is missing stays so."""
        try:
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW)
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError as error:
            raise RunFailed(
                f"{self.path}, where the progress of this stream is recorded, cannot be opened ({error.strerror})."
            ) from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            return False
        self._locked_file = _file(os.fstat(self._descriptor))
        slots = self._slots()
        self._next = slots.index(min(slots, key=lambda slot: -1 if slot is None else slot[0]))
        return True

    def in_place(self) -> bool:
        """Whether its path still names the file that is locked: else whoever opens the stream there finds no lock."""
        try:
            return self._locked_file == _file(os.lstat(self.path))
        except OSError:
            return False

    def seen(self) -> Seen | None:
        """What it says; None when it is missing or damaged."""
        slots = [slot for slot in self._slots() if slot is not None]
        if not slots:
            return None
        position = max(said for said, _ in slots)
        return Seen(position, frozenset(chain for said, chain in slots if said == position and chain is not None))

    def write(self, position: int, chain: int) -> None:
        """Say how far the stream is."""
        body = _FORM.pack(_MAGIC, position, chain)
        os.pwrite(self._descriptor, body + _CRC.pack(zlib.crc32(body)), self._next * SECTOR)
        self._next = 1 - self._next

    def _slots(self) -> list[tuple[int, int | None] | None]:
        try:
            text = self.path.read_bytes() if self._descriptor < 0 else os.pread(self._descriptor, 2 * SECTOR, 0)
        except OSError:
            text = b""
        return [_said(text[at : at + SECTOR]) for at in (0, SECTOR)]

    def sync(self) -> None:
        """Make it durable."""
        if self._descriptor >= 0:
            sync(self._descriptor)

    def close(self) -> None:
        """Let go of it, and of its lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _let_go(self) -> None:
        self.close()  # of this process's copy only; the lock stays with the parent's


def _unwritable(folder: Path, error: OSError) -> RunFailed:
    return RunFailed(
        f"{folder}, where the progress of streams is recorded, cannot be written ({error.strerror}). Make room there, or choose "
        "another place with SEQVEIL_HOME=DIRECTORY."
    )


def _file(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _said(slot: bytes) -> tuple[int, int | None] | None:
    for form, magic in ((_FORM, _MAGIC), (_FORM_0_1, _MAGIC_0_1)):
        body, crc = slot[: form.size], slot[form.size : form.size + _CRC.size]
        if body.startswith(magic) and crc == _CRC.pack(zlib.crc32(body)):
            said = form.unpack(body)
            return int(said[1]), int(said[2]) if form is _FORM else None
    return None
