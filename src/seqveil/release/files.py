"""Loading a release: every file is checked against the manifest before any of it is believed. No pickle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, overload

from seqveil.errors import CallError, InputProblems, ReleaseDamaged
from seqveil.facts import CALENDAR_FILE, DOMAIN_FILE
from seqveil.release.contents import release_class
from seqveil.release.limits import refuse_beyond
from seqveil.release.manifest import MANIFEST, Manifest
from seqveil.release.regular import opened, sha256
from seqveil.release.release import Release
from seqveil.release.rendering import README, Rendering
from seqveil.release.saved import Saved, unpacked, vouched
from seqveil.release.signed import MOST_SIGNATURE, SIGNATURE, check_signature, refuse_altered
from seqveil.tables.characters import shown

if TYPE_CHECKING:
    from seqveil.release.contents import AnyRelease
    from seqveil.tables.calendar import Calendar
    from seqveil.tables.domain import Domain

R = TypeVar("R", bound=Release)

MOST_MANIFEST = 1 << 24
MOST_README = 1 << 16
ARCHIVES = (".zip", ".gz", ".tgz", ".tar", ".xz", ".bz2", ".7z")
_SHOWN = 10


@overload
def load(folder: str | Path) -> AnyRelease: ...
@overload
def load(folder: str | Path, as_: type[R]) -> R: ...
def load(folder: str | Path, as_: type[Release] = Release) -> Release:
    """The release in a folder, or ReleaseDamaged with what is wrong with it.

    With `as_` it is a release of that type, for readers of the code and for type checkers; another one is refused.
    """
    folder = Path(folder)
    manifest, text = _manifest(folder)
    kind = release_class(manifest.content)
    if not issubclass(kind, as_):
        raise CallError(
            f"{folder} holds {manifest.content}, a {kind.__name__}: give as_=sv.release.{kind.__name__}, or leave it out."
        )
    signature = _signature(folder, manifest, text)
    _check_files(folder, manifest)
    saved = Saved(folder, manifest, _domain(folder, manifest))
    try:
        release = kind.from_saved(saved)
    except ReleaseDamaged:
        raise
    except Exception:
        raise ReleaseDamaged(
            f"{folder} has the files its manifest lists, but they do not hold {manifest.content}: "
            "the program that wrote them was faulty, or the manifest was forged. Ask the publisher for the release again."
        ) from None
    return release._loaded(Rendering(manifest, text, folder.absolute(), signature))


def _manifest(folder: Path) -> tuple[Manifest, bytes]:
    """The manifest, and the bytes it was read from."""
    path = folder / MANIFEST
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        unpack = " Unpack an archive first." if folder.suffix.lower() in ARCHIVES else ""
        raise CallError(f"{folder} {what}: give the folder of a release, which contains {MANIFEST}.{unpack}")
    if path.is_symlink() or not path.is_file():
        raise CallError(
            f"{folder} is not a release: it contains no {MANIFEST}. Give a folder that `seqveil publish` or `mine` wrote."
        )
    with opened(path) as file:
        body = file.read(MOST_MANIFEST + 1)
    if len(body) > MOST_MANIFEST:
        raise ReleaseDamaged(f"{path} is too large for a manifest. Copy the release again from where it was published.")
    readme = _beside(folder / README, MOST_README).decode("utf-8", "replace")
    refuse_altered(body, _beside(folder / SIGNATURE, MOST_SIGNATURE), readme)
    try:
        return Manifest.from_json(body.decode()), body
    except UnicodeDecodeError:
        raise ReleaseDamaged(f"{path} is not UTF-8 text. Copy the release again from where it was published.") from None


def _beside(path: Path, most: int) -> bytes:
    """The beginning of a file beside the manifest; nothing where it cannot be read, which is reported later."""
    try:
        with opened(path) as file:
            return file.read(most)
    except OSError:
        return b""


def _signature(folder: Path, manifest: Manifest, text: bytes) -> bytes | None:
    """The signature of a manifest that names a key, checked; whether that key is trusted is another question."""
    if manifest.signer is None:
        return None
    try:
        with opened(folder / SIGNATURE) as file:
            body = file.read(MOST_SIGNATURE + 1)
    except OSError as error:
        why = "is missing" if isinstance(error, FileNotFoundError) else error.strerror or "cannot be read"
        raise ReleaseDamaged(
            f"{folder}: {SIGNATURE} {why}, but the manifest names a key that signed it. Copy the release again."
        ) from None
    if len(body) > MOST_SIGNATURE:
        raise ReleaseDamaged(f"{folder}: {SIGNATURE} is too large for a signature. Copy the release again.")
    check_signature(text, manifest.signer, body)
    return body


def _check_files(folder: Path, manifest: Manifest) -> None:
    """Exactly the files of the manifest, as plain files inside the folder, byte for byte."""
    problems = []
    for name, expected in manifest.files.items():
        try:
            if name in (MANIFEST, SIGNATURE):
                problems.append(f"the manifest lists itself or its signature, {name}")
            elif sha256(folder / name) != expected:
                problems.append(f"{name} was changed: its SHA-256 is not the manifest's")
        except FileNotFoundError:
            problems.append(f"{name} is missing")
        except OSError as error:
            problems.append(f"{name} {error.strerror or 'cannot be read'}")
    names = {path.name for path in folder.iterdir()} - {MANIFEST, *([SIGNATURE] if manifest.signer else [])}
    problems += [f"{shown(name)[1:-1]} is not in the manifest" for name in sorted(names - manifest.files.keys())]
    if problems:
        more = [f"  … and {len(problems) - _SHOWN:,} more"] if len(problems) > _SHOWN else []
        text = "\n".join([*(f"  - {problem}" for problem in problems[:_SHOWN]), *more])
        raise ReleaseDamaged(f"{folder} does not match its manifest:\n{text}\nCopy it again from its publisher.")


def _calendar(folder: Path, digest: str) -> Calendar:
    from seqveil.tables.calendar_file import MOST_BYTES, calendar_of

    body = vouched(folder / CALENDAR_FILE, digest)
    refuse_beyond(f"size of {CALENDAR_FILE} in bytes", len(body), MOST_BYTES)
    return calendar_of(f"{folder}: the time bins", body.decode("utf-8", "replace"))


def _domain(folder: Path, manifest: Manifest) -> Domain:
    from seqveil.tables.domain import Domain

    universe = manifest.domain
    listed = universe.labels == DOMAIN_FILE and DOMAIN_FILE in manifest.files
    if not listed and not re.fullmatch(r"-?\d+\.\.-?\d+", universe.labels):
        raise ReleaseDamaged("manifest.json does not state the labels of the domain. Copy the release again.")
    because = universe.public_because
    try:
        if listed:
            body = unpacked(DOMAIN_FILE, vouched(folder / DOMAIN_FILE, manifest.files[DOMAIN_FILE]))
            domain = Domain.from_text(f"{folder}: the domain", body, because) if universe.size else Domain.unknown()
        else:
            domain = Domain.parse(universe.labels, because)
        if CALENDAR_FILE in manifest.files:
            domain = domain.at_times(_calendar(folder, manifest.files[CALENDAR_FILE]))
    except InputProblems as problems:
        raise ReleaseDamaged(f"{problems}\nCopy the release again.") from None
    if len(domain) != universe.size or (listed and not universe.size and body) or domain.digest != universe.digest:
        raise ReleaseDamaged(f"{folder}: the labels are not those of the manifest. Copy the release again.")
    return domain
