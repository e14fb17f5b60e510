"""Marks: what is known to be on the disk, whatever happens to the power.

    durable       the file's length that was synced before this mark was written
    horizon       no answer beyond this position was given before a later mark was durable
    closed_until  positions up to here that have no event yet will never be answered
    boot          the running kernel that wrote it: within one boot, what was written is still there

Two slots, in two sectors, are written in turn: a mark that was only half written leaves the one before.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass
from hashlib import sha256

_SLOT = struct.Struct("<4sQQQQ32s")
_MAGIC = b"SVMK"
_CRC = struct.Struct("<I")
SECTOR = 512
AREA = 4096
UNKNOWN = bytes(32)


def this_boot() -> bytes:
    """The running kernel; UNKNOWN where the system does not tell, and then no restart trusts what was not synced."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return sha256(file.read().strip()).digest()
    except OSError:
        return UNKNOWN


@dataclass(frozen=True, slots=True)
class Mark:
    """One of them; `turn` counts them."""

    turn: int
    durable: int
    horizon: int
    closed_until: int
    boot: bytes

    def write(self, descriptor: int, area: int, salt: int) -> None:
        """Write it to its slot; durable only after a sync."""
        body = _SLOT.pack(_MAGIC, self.turn, self.durable, self.horizon, self.closed_until, self.boot)
        os.pwrite(descriptor, body + _CRC.pack(zlib.crc32(body, salt)), area + self.turn % 2 * SECTOR)


def read_mark(area: bytes, salt: int) -> Mark | None:
    """The newest whole mark of an area."""
    marks = []
    for slot in (0, SECTOR):
        body = area[slot : slot + _SLOT.size]
        crc = area[slot + _SLOT.size : slot + _SLOT.size + _CRC.size]
        if len(body) == _SLOT.size and body.startswith(_MAGIC) and crc == _CRC.pack(zlib.crc32(body, salt)):
            marks.append(Mark(*_SLOT.unpack(body)[1:]))
    return max(marks, key=lambda mark: mark.turn, default=None)


def sync(descriptor: int) -> None:
    """Return when everything written is on the disk; on macOS that takes a word of its own."""
    import fcntl

    if hasattr(fcntl, "F_FULLFSYNC"):
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
