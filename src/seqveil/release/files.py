"""Loading a release: every file is checked against the manifest before any of it is believed. No pickle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from seqveil.errors import CallError, InputProblems, ReleaseDamaged
from seqveil.release.contents import release_class
from seqveil.release.manifest import Manifest
from seqveil.release.release import DOMAIN, MANIFEST, Release, Saved, sha256

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

MOST_MANIFEST = 1 << 26
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def load(folder: str | Path) -> Release:
    """The release in a folder, or ReleaseDamaged with what is wrong with it."""
    folder = Path(folder)
    manifest = _manifest(folder)
    _check_files(folder, manifest)
    saved = Saved(folder, manifest, _domain(folder, manifest))
    kind = release_class(manifest.content)
    try:
        release = kind.from_saved(saved)
    except ReleaseDamaged:
        raise
    except Exception:
        raise ReleaseDamaged(
            f"{folder} has the files its manifest lists, but they do not hold {manifest.content}: "
            "the writer was broken or the manifest was forged. Ask the publisher for the release again."
        ) from None
    return release._loaded(manifest, sha256(folder / MANIFEST))


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise CallError(f"{folder} {what}: give the folder of a release, the one that holds {MANIFEST}.")
    if path.is_symlink() or not path.is_file():
        raise CallError(f"{folder} is not a release: no {MANIFEST} in it. Give a folder that `seqveil publish` wrote.")
    if path.stat().st_size > MOST_MANIFEST:
        raise ReleaseDamaged(f"{path} is larger than any manifest. Copy the release again from where it was published.")
    try:
        return Manifest.from_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ReleaseDamaged(f"{path} is not UTF-8 text. Copy the release again from where it was published.") from None


def _check_files(folder: Path, manifest: Manifest) -> None:
    """Exactly the files of the manifest, as plain files inside the folder, byte for byte."""
    problems = []
    for name, expected in manifest.files.items():
        path = folder / name
        if not _PLAIN_NAME.fullmatch(name) or name == MANIFEST:
            problems.append(f"the manifest lists {name!r}, which is not a plain file name")
        elif path.is_symlink():
            problems.append(f"{name} is a link, not a file")
        elif not path.is_file():
            problems.append(f"{name} is missing")
        elif sha256(path) != expected:
            problems.append(f"{name} was changed: its SHA-256 is not the manifest's")
    there = {path.name for path in folder.iterdir()} - {MANIFEST}
    problems += [f"{name} is not in the manifest" for name in sorted(there - manifest.files.keys())]
    if problems:
        text = "\n".join(f"  - {problem}" for problem in problems)
        raise ReleaseDamaged(f"{folder} is not what its manifest says:\n{text}\nCopy it again from its publisher.")


def _domain(folder: Path, manifest: Manifest) -> Domain:
    from seqveil.tables.domain import Domain

    universe = manifest.domain
    listed = universe.labels == DOMAIN and DOMAIN in manifest.files
    if not listed and not re.fullmatch(r"-?\d+\.\.-?\d+", universe.labels):
        raise ReleaseDamaged("manifest.json does not say which labels the domain has. Copy the release again.")
    try:
        because = universe.public_because
        domain = Domain.from_file(folder / DOMAIN, because) if listed else Domain.parse(universe.labels, because)
    except InputProblems:
        raise ReleaseDamaged(f"{folder}: the list of labels cannot be read. Copy the release again.") from None
    if len(domain) != universe.size or domain.digest != universe.digest:
        raise ReleaseDamaged(f"{folder}: the labels are not those of the manifest. Copy the release again.")
    return domain
