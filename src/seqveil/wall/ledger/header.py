"""The byte of a SQLite file that says who may write it.

If it is damaged, SQLite treats the file as read-only, while all that is in it can still be read and passes SQLite's own check.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_WRITING = slice(18, 19)
"""The version of the file format for writing: 1 with a rollback journal, 2 with a write-ahead log."""

FORBIDS = "its header says that it may only be read"


def forbids_writing(path: Path) -> bool:
    """Whether the header keeps SQLite from writing; an absent or empty file does not."""
    with suppress(OSError), path.open("rb") as file:
        return any(version not in (1, 2) for version in file.read(20)[_WRITING])
    return False
