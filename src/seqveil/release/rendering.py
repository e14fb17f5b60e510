"""Rendering: the bytes of a release, fixed once. Whatever is saved later has these bytes, so its digest is known before.

The digest of a release is the SHA-256 of its manifest, which lists the SHA-256 of every other file. The ledger records it. So the
files of a release are rendered at most once: straight into the folder it is saved to, or, where its digest is wanted before it is
saved, into memory. From then on they are copied from there, never made again.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from seqveil.facts import CALENDAR_FILE, DOMAIN_FILE
from seqveil.release.manifest import MANIFEST, Manifest
from seqveil.release.readme import readme
from seqveil.release.saved import marked, vouched
from seqveil.release.signed import SIGNATURE, signature_of
from seqveil.tables.calendar_file import calendar_text

if TYPE_CHECKING:
    from seqveil.signature.ed25519 import Signer
    from seqveil.tables.domain import Domain

README = "README.txt"


class Content(Protocol):
    """What a release consists of."""

    domain: Domain

    @property
    def description(self) -> str: ...
    def tables(self) -> dict[str, Any]: ...
    def extras(self) -> dict[str, bytes]: ...


@dataclass(frozen=True, slots=True)
class Rendering:
    """A finished manifest, its text, where the bytes of the files are (in memory by name, or in a folder), and its signature."""

    manifest: Manifest
    text: bytes
    files: dict[str, bytes] | Path
    signature: bytes | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest's text."""
        return hashlib.sha256(self.text).hexdigest()

    def write(self, folder: Path) -> None:
        """Copy all bytes into a folder."""
        for name, digest in self.manifest.files.items():
            body = vouched(self.files / name, digest) if isinstance(self.files, Path) else self.files[name]
            (folder / name).write_bytes(body)
        (folder / MANIFEST).write_bytes(self.text)
        if self.signature is not None:
            (folder / SIGNATURE).write_bytes(self.signature)


def in_memory(content: Content, manifest: Manifest, signer: Signer | None = None) -> Rendering:
    """Render everything into memory."""
    manifest, files = _bodies(content, manifest)
    return _signed(manifest, files, signer)


def again(content: Content, manifest: Manifest, signature: bytes | None) -> Rendering:
    """Render what was rendered before, with the signature that it had: it fits the same bytes, and no key is needed."""
    manifest, files = _bodies(content, manifest)
    return Rendering(manifest, manifest.to_json().encode(), files, signature)


def _bodies(content: Content, manifest: Manifest) -> tuple[Manifest, dict[str, bytes]]:
    """Every file but the manifest, and the manifest that lists them."""
    files = {name: body if isinstance(body, bytes) else _parquet(body) for name, body in _files(content, manifest)}
    return manifest.listing({name: hashlib.sha256(body).hexdigest() for name, body in files.items()}), files


def into(folder: Path, content: Content, manifest: Manifest, signer: Signer | None = None) -> Rendering:
    """Render straight into a folder, one file after the other, so that only one is in memory at a time."""
    digests = {}
    for name, body in _files(content, manifest):
        path = folder / name
        if isinstance(body, bytes):
            path.write_bytes(body)
        else:
            with path.open("wb") as file:  # a path could be taken for a URI
                _write_parquet(body, file)
        with path.open("rb") as file:
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    rendering = _signed(manifest.listing(digests), folder, signer)
    (folder / MANIFEST).write_bytes(rendering.text)
    if rendering.signature is not None:
        (folder / SIGNATURE).write_bytes(rendering.signature)
    return rendering


def _signed(manifest: Manifest, files: dict[str, bytes] | Path, signer: Signer | None) -> Rendering:
    text = manifest.to_json().encode()
    return Rendering(manifest, text, files, signature_of(text, manifest.signer, signer))


def _files(content: Content, manifest: Manifest) -> Iterator[tuple[str, Any]]:
    """Every file but the manifest: its name, and its bytes or the table to be written as Parquet."""
    for name, table in content.tables().items():
        yield marked(f"{name}.parquet", manifest.private), table
    if manifest.domain.labels == DOMAIN_FILE:
        places = content.domain.untimed
        labels = "".join(f"{label}\n" for label in places.labels(range(len(places))))
        yield DOMAIN_FILE, gzip.compress(labels.encode(), mtime=0)
    if content.domain.calendar is not None:
        yield CALENDAR_FILE, calendar_text(content.domain.calendar).encode()
    for name, body in content.extras().items():
        yield marked(name, manifest.private), body
    yield README, readme(manifest, content.description).encode()


def _parquet(table: Any) -> bytes:
    buffer = BytesIO()
    _write_parquet(table, buffer)
    return buffer.getvalue()


def _write_parquet(table: Any, file: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, file, compression="zstd")
