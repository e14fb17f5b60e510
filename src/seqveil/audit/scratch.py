"""Where fuzzing keeps its files, what it calls a find, and how it changes bytes that were right."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from seqveil.tables.domain import Domain

LABELS = ["a", "b", "1", "2", "x y"]


class Find(AssertionError):
    """Something came out that should not."""


@cache
def folder() -> Path:
    """A place for the files of this process, in memory where the system has such a place."""
    shared = Path("/dev/shm")
    kept = tempfile.TemporaryDirectory(prefix="seqveil-fuzz-", dir=shared if shared.is_dir() else None)
    folder.keep = kept  # type: ignore[attr-defined]
    return Path(kept.name)


@cache
def small_domain() -> Domain:
    return Domain.of(LABELS)


def file_of(name: str, body: bytes) -> Path:
    path = folder() / name
    path.write_bytes(body)
    return path


def spliced(true: bytes, body: bytes) -> bytes:
    """The true bytes with some of them replaced: most of what comes out is still nearly JSON."""
    if len(body) < 4:
        return body
    at = int.from_bytes(body[:2], "little") % len(true)
    return true[:at] + body[3:] + true[at + body[2] :]
