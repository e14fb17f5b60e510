"""A folder that goes from one party to another: a manifest and exactly the files it lists, whole or not there at all."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

from seqveil.badge import BADGE
from seqveil.durable import sync
from seqveil.errors import InputProblems, RunFailed
from seqveil.link.whole import read_json, refuse_existing, refuse_other_keys
from seqveil.places import partial_folder
from seqveil.release.manifest import MANIFEST
from seqveil.release.regular import sha256

README = "README.txt"
_MOST_MANIFEST = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMON: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "badge": (str,), "private": (bool,), "made_with": (str,), "files": (dict,),
}  # fmt: skip


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill and `seal`; it vanishes with whatever it holds when the block ends otherwise."""
    refuse_existing(target, "folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(target) as work:
            work.chmod(0o700)  # before anything is in it: what waits there reveals names
            yield work
    except OSError as error:
        raise RunFailed(f"{target} could not be written: {error.strerror or 'the disk failed'}.") from None


def write_manifest(work: Path, form: str, version: int, facts: dict[str, Any], text: str) -> str:
    """The README and the manifest over all files in a folder; its SHA-256, by which other files name the folder."""
    (work / README).write_text(f"{BADGE}\n\n{text}\n", encoding="utf-8")
    files = {path.name: sha256(path) for path in sorted(work.iterdir())}
    head = {
        "format": form,
        "version": version,
        "badge": BADGE,
        "private": False,
        "made_with": f"seqveil {package_version('seqveil')}",
    }
    manifest = json.dumps({**head, **facts, "files": files}, indent=2) + "\n"
    (work / MANIFEST).write_text(manifest, encoding="utf-8")
    return sha256(work / MANIFEST)


def seal(work: Path, target: Path) -> None:
    """Give a finished folder its name; nobody but its owner may read it, because it reveals names."""
    for path in work.iterdir():
        path.chmod(0o600)
    for path in [*work.iterdir(), work]:
        sync(path)
    os.rename(work, target)
    sync(target.parent)


def open_sealed(
    folder: Path, form: str, version: int, kinds: dict[str, tuple[type, ...]], names: set[str], verb: str
) -> tuple[dict[str, Any], str]:
    """The manifest of a folder and its SHA-256, after every file was checked against it; all problems are reported together."""
    source = str(folder)
    if not folder.is_dir() or folder.is_symlink():
        raise InputProblems(source, [f"is not a folder: give the one that `seqveil link {verb}` wrote"])
    path = folder / MANIFEST
    if path.is_symlink() or not path.is_file():
        raise InputProblems(source, [f"has no {MANIFEST}: give the folder that `seqveil link {verb}` wrote"])
    manifest = read_json(path, _MOST_MANIFEST)
    if manifest.get("format") != form:
        raise InputProblems(
            source,
            [f"is not a folder of {form}, by its {MANIFEST}: give the folder that `seqveil link {verb}` wrote"],
        )
    if manifest.get("version") != version:
        problem = f"has version {str(manifest.get('version'))[:20]}, but this Seqveil reads version {version}"
        raise InputProblems(source, [f"{problem}: all parties must use the same version of Seqveil"])
    refuse_other_keys(source, manifest, {**_COMMON, **kinds})
    if problems := _problems(folder, manifest, names):
        raise InputProblems(source, [*problems, "ask its sender for a new copy"])
    return manifest, sha256(path)


def _digest(path: Path) -> str | None:
    """The SHA-256 of a regular file, None where there is none."""
    try:
        return sha256(path)
    except OSError:
        return None


def _problems(folder: Path, manifest: dict[str, Any], names: set[str]) -> list[str]:
    """Exactly the files we know, as plain files of the folder, byte for byte."""
    listed = manifest["files"]
    problems = [f"{MANIFEST} lists {name[:40]!r}, which does not belong there" for name in sorted(listed.keys() - names)]
    there = {path.name for path in folder.iterdir()} - {MANIFEST}
    problems += [f"{name[:40]!r} is in the folder, but does not belong there" for name in sorted(there - names)]
    for name in sorted(names):
        path = folder / name
        if not isinstance(listed.get(name), str) or not _SHA256.fullmatch(listed[name]):
            problems.append(f"{MANIFEST} does not list {name} with its SHA-256")
        elif (digest := _digest(path)) is None:
            problems.append(f"{name} is missing, or is not a regular file")
        elif digest != listed[name]:
            problems.append(f"{name} was changed or truncated: its SHA-256 differs from the manifest's")
    if manifest["private"] or manifest["badge"] != BADGE:
        problems.append(f"{MANIFEST} claims differential privacy, which folders of this kind never have")
    return problems
