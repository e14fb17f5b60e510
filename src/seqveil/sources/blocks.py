"""Opening a file: plain or gzip, as its name says, in blocks that end with a line.

What a file is refused for is public: its name, the framing of its container, a header that it is said to have. Where line 1
is somebody's record, nothing in it counts: it may look like an archive as it likes.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal, cast

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.sources.spool import Spool
from seqveil.surface import parameter

STEP = 1 << 24
MOST_LINE = 1 << 26
"""A line is read so far and no further, in silence: a small archive may unpack into one line of any length."""

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    _GZIP: "a gzip archive: add .gz to its name",
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd archive: unpack it first",
    b"BZh": "a bzip2 archive: unpack it first",
    b"\xfd7zXZ": "an xz archive: unpack it first",
    b"PAR1": "a Parquet file: rename it to end in .parquet, or add {format}",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
}
_PIPED = "is a gzip archive: unpack it first, for example with zcat"
DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)
"""What reading a gzip archive raises when its framing does not hold."""

TRUNCATED = "is a truncated or damaged gzip archive: copy it again"


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked when its name ends in .gz."""
    return cast("IO[bytes]", gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


Begins = Literal["header", "frame", "record"]
"""What the first bytes of a file are, by its declared format: a header line or the frame of a container, both public, or data."""


def archive_problems(path: Path, *, begins: Begins) -> list[str]:
    """What is wrong with a file as a container: missing, truncated, or not what its name says.

    A file that begins with a header or a frame is also refused if it begins like another kind of file.
    """
    if isinstance(path, Spool) and path.problem is not None:
        return [path.problem]
    try:
        if path.is_dir():
            return ["is a folder: give a file"]
        with path.open("rb") as file:
            head = file.read(8)
        if path.suffix == ".gz":
            return _packed_problems(path, head, begins)
        problems = _foreign(head, begins)
        piped = isinstance(path, Spool) and path.nameless
        return [_PIPED] if problems and piped and head.startswith(_GZIP) else problems
    except FileNotFoundError:
        return ["does not exist: check the path"]
    except OSError as error:
        return [f"cannot be read ({error.strerror or 'damaged'})"]


def _packed_problems(path: Path, head: bytes, begins: Begins) -> list[str]:
    """The whole archive is unpacked once: its framing must hold to its end."""
    if not head.startswith(_GZIP):
        return ["is named .gz but is not a gzip archive: drop the .gz from its name, or compress it"]
    try:
        with opened(path) as file:
            head = file.read(8)
            while file.read(STEP):
                pass
    except DAMAGED:
        return [TRUNCATED]
    return _foreign(head, begins)


def _foreign(head: bytes, begins: Begins) -> list[str]:
    """A frame is checked by its own reader; that it is packed is told here."""
    refused = {"header": list(_FOREIGN), "frame": [_GZIP], "record": []}[begins]
    format = parameter("format", "parquet")
    return [f"is {_FOREIGN[magic]}".format(format=format) for magic in refused if head.startswith(magic)]


def foreign_look(path: Path) -> str | None:
    """What a file of records looks like, if not like text. INTERNAL: it depends on record 1, do not share it."""
    with opened(path) as file:
        return next(iter(_foreign(file.read(8), "header")), None)


def line_blocks(path: Path) -> Iterator[NDArray[np.uint8]]:
    """The file in writable blocks of whole lines; each ends with a line feed.

    A UTF-8 byte order mark is left out at the beginning of every line: on line 1 alone it would be one record's privilege. A
    line longer than a block makes the block longer, up to MOST_LINE; what goes beyond is left out.
    """
    for block in _joined(path):
        if block:
            body = block.removeprefix(_BOM).replace(b"\n" + _BOM, b"\n")
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
    except DAMAGED:
        raise InputProblems(str(path), [TRUNCATED]) from None
    except OSError as error:
        raise InputProblems(str(path), [f"cannot be read ({error.strerror or 'damaged'})"]) from None


def first_line(path: Path) -> bytes:
    """The first line, at most a megabyte of it, without its end."""
    with opened(path) as file:
        line = file.readline(1 << 20)
    return line.removeprefix(_BOM).rstrip(b"\r\n")
