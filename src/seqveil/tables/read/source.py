"""Opening a file: plain or gzip, as its name says, in blocks that end with a line."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.tables.read.spool import Spool

STEP = 1 << 24
MOST_LINE = 1 << 26
"""A line is read so far and no further, in silence: a small archive may unpack into one line of any length."""

_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd archive: unpack it first",
    b"BZh": "a bzip2 archive: unpack it first",
    b"\xfd7zXZ": "an xz archive: unpack it first",
    b"PAR1": "a Parquet file: rename it to end in .parquet, or add --format parquet",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked when its name ends in .gz."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def archive_problems(path: Path, *, text: bool) -> list[str]:
    """What is wrong with a file as a container: missing, truncated, or not what its name says."""
    if isinstance(path, Spool) and path.problem is not None:
        return [path.problem]
    try:
        if path.is_dir():
            return ["is a folder: give a file"]
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        if path.suffix == ".gz" and not packed:
            return ["is named .gz but is not a gzip archive: drop the .gz from its name, or compress it"]
        if path.suffix != ".gz" and packed:
            piped = isinstance(path, Spool) and path.nameless
            return [f"is a gzip archive: {'unpack it first, for example with zcat' if piped else 'add .gz to its name'}"]
        return _content_problems(path, text=text)
    except FileNotFoundError:
        return ["there is no such file: check the path"]
    except OSError as error:
        return [f"cannot be read ({error.strerror or 'damaged'})"]


def _content_problems(path: Path, *, text: bool) -> list[str]:
    try:
        with opened(path) as file:
            head = file.read(8)
            while path.suffix == ".gz" and file.read(STEP):
                pass
    except _DAMAGED:
        return ["is a truncated or damaged gzip archive: copy it again"]
    return [f"is {what}" for magic, what in _FOREIGN.items() if text and head.startswith(magic)]


def line_blocks(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The file in writable blocks of whole lines; each ends with a line feed, and a UTF-8 byte order mark is left out.

    A line longer than a block makes the block longer, up to MOST_LINE; what goes beyond is left out.
    """
    for number, block in enumerate(_joined(path)):
        if block:
            body = block.removeprefix(b"\xef\xbb\xbf") if number == 0 else block
            yield np.frombuffer(bytearray(body if body.endswith(b"\n") else body + b"\n"), np.uint8)


def _joined(path: Path) -> Iterator[bytes]:
    begun: list[bytes] = []
    size = 0
    for chunk in byte_blocks(path):
        # Invariant: `begun` is a line without its end, of `size` bytes, cut at MOST_LINE.
        end = chunk.find(b"\n")
        fits = chunk[: MOST_LINE - size] if end < 0 else chunk[: min(end, MOST_LINE - size)]
        begun.append(fits)
        size += len(fits)
        if end >= 0:
            last = chunk.rfind(b"\n") + 1
            yield b"".join([*begun, chunk[end:last]])
            begun, size = [chunk[last:]], len(chunk) - last
    yield b"".join(begun)


def byte_blocks(path: Path) -> Iterator[bytes]:
    """The file in blocks of bytes."""
    try:
        with opened(path) as file:
            while chunk := file.read(STEP):
                yield chunk
    except _DAMAGED:
        raise InputProblems(str(path), ["is a truncated or damaged gzip archive: copy it again"]) from None
    except OSError as error:
        raise InputProblems(str(path), [f"cannot be read ({error.strerror or 'damaged'})"]) from None


def first_line(path: Path) -> bytes:
    """The first line, at most a megabyte of it, without its end."""
    with opened(path) as file:
        line = file.readline(1 << 20)
    return line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
