"""The witness: how far a stream has been answered, kept beside the ledger and not beside the state.

A state file that was cut, or replaced by an older copy, looks whole. Going on from it would draw new noise for what was
already told. The witness, one small file per stream under `$SEQVEIL_HOME/streams`, knows better.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from seqveil.wall.continual.marks import sync

_FORM = struct.Struct("<8sQ")
_MAGIC = b"SVWITNES"
_CRC = struct.Struct("<I")


class Witness:
    """The position of the last event whose answer may have been seen, written after each event's journal entry."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    @classmethod
    def of(cls, home: Path, stream: str) -> Witness:
        """The witness of a stream; nothing is opened or made yet."""
        return cls(home / "streams" / stream)

    def create(self) -> None:
        """A fresh witness at position 0, durably; one that is there already stays as it is."""
        self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
        if not self.path.exists():
            self._descriptor = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600)
            self.write(0)
            self.sync()
            sync_directory(self.path.parent)

    def position(self) -> int | None:
        """What it says; None when it is missing or damaged."""
        try:
            text = self.path.read_bytes()
        except OSError:
            return None
        body, crc = text[: _FORM.size], text[_FORM.size :]
        if len(body) < _FORM.size or crc != _CRC.pack(zlib.crc32(body)):
            return None
        return int(_FORM.unpack(body)[1])

    def write(self, position: int) -> None:
        """Say how far the stream is, within one sector."""
        if self._descriptor < 0:
            self._descriptor = os.open(self.path, os.O_RDWR)
        body = _FORM.pack(_MAGIC, position)
        os.pwrite(self._descriptor, body + _CRC.pack(zlib.crc32(body)), 0)

    def sync(self) -> None:
        """Make it durable."""
        if self._descriptor >= 0:
            sync(self._descriptor)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
