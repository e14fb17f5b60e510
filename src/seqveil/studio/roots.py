"""The folders that the studio may look into: those given when it starts, and nothing else.

A path is judged by where it really is: links are followed first, so neither `..` nor a link leads out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seqveil.errors import CallError
from seqveil.surface import parameter


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the chooser: a folder, or a file with its size."""

    name: str
    path: str
    is_folder: bool
    size: int = 0
    is_release: bool = False


MOST_ENTRIES = 500
"""Lines of one folder that are shown."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The allowed folders, as they really are."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, folders: Sequence[str | Path]) -> Roots:
        """From what was typed; a folder that is not there is refused."""
        real = []
        for folder in folders:
            path = Path(folder).expanduser()
            if not path.is_dir():
                raise CallError(f"{parameter('folder', str(folder))} is not a folder; give one that exists.")
            real.append(path.resolve())
        return cls(tuple(dict.fromkeys(real)))

    def inside(self, path: str | Path) -> Path:
        """Where a path really is, if that is inside; CallError otherwise, in the same words for all that is outside."""
        refusal = CallError(f"{str(path)!r:.200} is not in a folder that this studio was started with: choose one below them.")
        if "\0" in str(path) or not os.path.isabs(path):
            raise refusal
        try:
            real = Path(path).resolve()
        except (OSError, RuntimeError):  # a circle of links
            raise refusal from None
        if not any(real == folder or folder in real.parents for folder in self.folders):
            raise refusal
        return real

    def place(self, path: str | Path) -> Path:
        """Where something new may be put: its folder is inside, and the name is a plain one."""
        folder, name = os.path.split(str(path).rstrip("/"))
        if not name or name in (".", ".."):
            raise CallError(f"{str(path)!r:.200} is not the name of a folder: add one, for example release.")
        return self.inside(folder or "/") / name

    def listing(self, folder: Path) -> tuple[list[Entry], bool]:
        """What stands in a folder, folders first, and whether there is more. What leads out is left out."""
        entries = []
        for item in sorted(os.scandir(self.inside(folder)), key=lambda item: item.name.lower()):
            if item.name.startswith("."):
                continue
            try:
                self.inside(item.path)
                if item.is_dir():
                    release = os.path.isfile(os.path.join(item.path, "manifest.json"))
                    entries.append(Entry(item.name, item.path, True, 0, release))
                elif item.is_file():
                    entries.append(Entry(item.name, item.path, False, item.stat().st_size))
            except (CallError, OSError):
                continue
        entries.sort(key=lambda entry: not entry.is_folder)
        return entries[:MOST_ENTRIES], len(entries) > MOST_ENTRIES

    def above(self, folder: Path) -> Path | None:
        """The folder above, where that is still inside."""
        return folder.parent if any(root in folder.parents for root in self.folders) else None

    def releases(self, deep: int = 3, most: int = 2000) -> Iterator[Path]:
        """Folders with a manifest, not far below the allowed ones; only so many folders are looked at."""
        waiting = [(folder, 0) for folder in self.folders]
        for _ in range(most):
            if not waiting:
                return
            folder, depth = waiting.pop(0)
            try:
                if (folder / "manifest.json").is_file():
                    yield folder
                    continue
                below = [Path(item.path) for item in os.scandir(folder) if item.is_dir(follow_symlinks=False)]
            except OSError:
                continue
            if depth < deep:
                waiting += [(path, depth + 1) for path in sorted(below) if not path.name.startswith(".")]
