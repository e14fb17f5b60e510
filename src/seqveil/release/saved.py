"""A saved release, as it is read back: bytes that the manifest vouches for, and nothing else."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.errors import ReleaseDamaged
from seqveil.release.limits import MOST_FILE, MOST_UNPACKED, refuse_beyond
from seqveil.release.manifest import Manifest
from seqveil.release.regular import opened

if TYPE_CHECKING:
    from seqveil.release.parquet import Kind
    from seqveil.tables.domain import Domain


@dataclass(frozen=True, slots=True)
class Saved:
    """A checked folder from which a release is rebuilt."""

    folder: Path
    manifest: Manifest
    domain: Domain

    def holds(self, name: str) -> bool:
        """Whether the manifest lists a file."""
        return marked(name, self.manifest.private) in self.manifest.files

    def body(self, name: str) -> bytes:
        """The bytes of a file, which are those that the manifest vouches for even if somebody changed the file since."""
        name = marked(name, self.manifest.private)
        return vouched(self.folder / name, self.manifest.files.get(name))

    def text(self, name: str) -> bytes:
        """The bytes of a packed text, unpacked as far as a release can go."""
        return unpacked(name, self.body(name))

    def table(self, name: str, columns: Mapping[str, Kind], gaps: Collection[str] = ()) -> dict[str, Any]:
        """The columns of one of the release's tables."""
        from seqveil.release.parquet import read_columns

        return read_columns(f"{name}.parquet", self.body(f"{name}.parquet"), columns, gaps)


def vouched(path: Path, digest: str | None) -> bytes:
    """The bytes of a regular file of at most 2 GiB, if they have this SHA-256."""
    try:
        with opened(path) as file:
            body = file.read(MOST_FILE + 1)
    except OSError as error:
        raise ReleaseDamaged(f"{path.name} {error.strerror or 'cannot be read'}. Copy the release again.") from None
    refuse_beyond(f"size of {path.name} in bytes", len(body), MOST_FILE)
    if hashlib.sha256(body).hexdigest() != digest:
        raise ReleaseDamaged(f"{path.name} was changed: its SHA-256 is not the manifest's. Copy the release again.")
    return body


def unpacked(name: str, body: bytes) -> bytes:
    """A gzip archive unpacked; refused as soon as it is larger than a release can be."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(body)) as file:
            text = file.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error):
        raise ReleaseDamaged(f"{name} is not a complete gzip archive. Copy the release again.") from None
    refuse_beyond(f"unpacked size of {name} in bytes", len(text), MOST_UNPACKED)
    return text


def marked(name: str, private: bool) -> str:
    """A file's name; those of experiments say so.

    >>> marked("grams.parquet", private=True), marked("synthetic.txt.gz", private=False)
    ('grams.parquet', 'synthetic.EXPERIMENT.txt.gz')
    """
    stem, dot, suffix = name.partition(".")
    return name if private else f"{stem}.EXPERIMENT{dot}{suffix}"
