"""Frames: batches of events with the noise of their answers, each tied to everything before it.

A frame is a head, the events (float64, NaN for null), the noise (int64) and a CRC-32 that continues the one before. A frame
that was only half written, or that belongs elsewhere, does not continue the chain; that is where reading stops.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

ANSWERED, CLOSED = 0, 1

_HEAD = struct.Struct("<4sIQII")
_MAGIC = b"SVEV"
_CRC = struct.Struct("<I")
MOST_IN_FRAME = 1 << 16
"""Events per frame, so that one frame always fits in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Events first..first + len(values) − 1; `end` and `chain` are where the file stands behind it."""

    kind: int
    first: int
    values: NDArray[np.float64]
    draws: NDArray[np.int64]
    end: int
    chain: int


def encode(kind: int, first: int, values: NDArray[np.float64], draws: NDArray[np.int64], chain: int) -> tuple[bytes, int]:
    """The bytes of a frame, and the chain behind it."""
    body = _HEAD.pack(_MAGIC, kind, first, len(values), len(draws)) + values.tobytes() + draws.tobytes()
    chain = zlib.crc32(body, chain)
    return body + _CRC.pack(chain), chain


def read_frames(file: BinaryIO, start: int, chain: int) -> Iterator[Frame]:
    """Frame after frame from `start`, as long as the chain holds and positions follow each other."""
    file.seek(start)
    end, position = start, 0
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        magic, kind, first, events, draws = _HEAD.unpack(head)
        if magic != _MAGIC or first != position + 1 or not 0 < events <= MOST_IN_FRAME or draws > 64 * MOST_IN_FRAME:
            return
        size = 8 * (events + draws)
        rest = file.read(size + _CRC.size)
        if len(rest) != size + _CRC.size:
            return
        chain = zlib.crc32(rest[:size], zlib.crc32(head, chain))
        if _CRC.unpack(rest[size:]) != (chain,):
            return
        end += len(head) + len(rest)
        position += events
        values = np.frombuffer(rest, np.float64, events)
        yield Frame(kind, first, values, np.frombuffer(rest, np.int64, draws, 8 * events), end, chain)
