"""The witness: how far a stream has been answered, kept beside the ledger and not beside the state.

A state file that was cut, or replaced by an older copy, looks whole. Going on from it would draw new noise for what was
already told. The witness, one small file per stream under `$SEQVEIL_HOME/streams`, knows better. It has two slots that are
written in turn, so that a half-written one leaves the one before.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from seqveil.durable import make_directory
from seqveil.errors import RunFailed
from seqveil.wall.continual.marks import SECTOR, sync

_FORM = struct.Struct("<8sQ")
_MAGIC = b"SVWITNES"
_CRC = struct.Struct("<I")


class Witness:
    """The position of the last event whose answer may have been seen, written after each event's journal entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor, self._next = -1, 0

    @classmethod
    def of(cls, home: Path, stream: str) -> Witness:
        """The witness of a stream; nothing is opened or made yet."""
        return cls(home / "streams" / stream)

    def create(self) -> None:
        """A fresh witness at position 0, durably; one that is there already stays as it is."""
        try:
            make_directory(self.path.parent, 0o700)
            if not self.path.exists():
                self._descriptor = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600)
                self.write(0)
                self.sync()
                self.close()
                sync_directory(self.path.parent)
        except OSError as error:
            raise RunFailed(
                f"{self.path.parent}, where streams are watched, cannot be written ({error.strerror}). Make room there, or "
                "choose another place with SEQVEIL_HOME=DIRECTORY."
            ) from None

    def position(self) -> int | None:
        """What it says; None when it is missing or damaged."""
        return max((said for said in self._slots() if said is not None), default=None)

    def write(self, position: int) -> None:
        """Say how far the stream is."""
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR)
            slots = self._slots()
            self._next = slots.index(min(slots, key=lambda said: -1 if said is None else said))
        body = _FORM.pack(_MAGIC, position)
        os.pwrite(self._descriptor, body + _CRC.pack(zlib.crc32(body)), self._next * SECTOR)
        self._next = 1 - self._next

    def _slots(self) -> list[int | None]:
        try:
            text = self.path.read_bytes()
        except OSError:
            text = b""
        return [_said(text[at : at + _FORM.size + _CRC.size]) for at in (0, SECTOR)]

    def sync(self) -> None:
        """Make it durable."""
        if self._descriptor >= 0:
            sync(self._descriptor)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _said(slot: bytes) -> int | None:
    body, crc = slot[: _FORM.size], slot[_FORM.size :]
    return int(_FORM.unpack(body)[1]) if len(body) == _FORM.size and crc == _CRC.pack(zlib.crc32(body)) else None


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
