"""The releases on this machine: those that the studio made, those that were opened, and those in the allowed folders.

A release is named in an address by a key made from its place, never by its path.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, SeqveilError
from seqveil.studio.drafts import private_folder
from seqveil.studio.roots import Roots
from seqveil.studio.runs import Runs, read_events
from seqveil.whole import INTERNAL, write_whole

MOST_OPEN = 4
"""Releases that stay in memory; a query then takes milliseconds."""

MOST_AHEAD = 1 << 24
"""Bytes of a release that is read before anybody has asked for it."""

MOST_MANIFEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Line:
    """A release in a list: what its manifest says. It is not verified before it is opened."""

    key: str
    folder: Path
    release: str
    created: str
    method: str
    epsilon: str
    unit: str
    private: bool
    run: str


def key_of(folder: Path) -> str:
    """The name of a place in an address."""
    return hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Shelf:
    """Where the releases are, and those that are open."""

    def __init__(self, folder: Path, roots: Roots, runs: Runs) -> None:
        self._file, self._roots, self._runs = folder / "opened.json", roots, runs
        self._seen: dict[str, tuple[Path, str]] = {}
        self._open: OrderedDict[tuple[str, int, int], Future[Any]] = OrderedDict()
        self._lock = threading.Lock()

    def lines(self, most: int = 200) -> list[Line]:
        """All releases, the newest first. One whose manifest cannot be read is left out."""
        lines = [line for folder, run in self._places().items() if (line := _line(folder, run)) is not None]
        return sorted(lines, key=lambda line: line.created, reverse=True)[:most]

    def add(self, folder: Path) -> str:
        """Keep the place of a release that somebody opened; its key."""
        real = self._roots.inside(folder)
        if not (real / "manifest.json").is_file():
            raise CallError(f"{folder} is not a release: it contains no manifest.json. Choose a folder that was published.")
        with self._lock:
            places = dict.fromkeys([*self._opened(), str(real)])
            private_folder(self._file.parent)
            write_whole(self._file, json.dumps(list(places)).encode(), mode=INTERNAL, overwrite=True)
        return key_of(real)

    def line(self, key: str) -> Line:
        """A release by its key. Where it was the last time is looked at first: a query must not search all folders."""
        if key in self._seen:
            folder, run = self._seen[key]
            if self._roots.inside(folder) == folder and (line := _line(folder, run)) is not None:
                return line
        for folder, run in self._places().items():
            if key_of(folder) == key and (line := _line(folder, run)) is not None:
                self._seen[key] = (folder, run)
                return line
        raise CallError("this release is not on this machine any more, or not in a folder of this studio: open its folder again.")

    def load(self, line: Line) -> Any:
        """The release itself, verified against its manifest; kept in memory for as long as the manifest stays the same."""
        from seqveil.release import load

        stat = (line.folder / "manifest.json").stat()
        name = (line.key, stat.st_mtime_ns, stat.st_ino)
        with self._lock:
            loading = self._open.get(name)
            if first := loading is None:
                loading = self._open[name] = Future()
            self._open.move_to_end(name)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        if first:  # however many ask at once, it is read once
            try:
                loading.set_result(load(line.folder))
            except BaseException as error:
                loading.set_exception(error)
                with self._lock:
                    self._open.pop(name, None)
        return loading.result()

    def expect(self, folder: Path, run: str) -> str:
        """Read a release that somebody will look at next, in the background; its key."""
        key = key_of(folder)
        with self._lock:
            fresh, self._seen[key] = key not in self._seen, (folder, run)
        if fresh:
            threading.Thread(target=self._read, args=(key,), daemon=True).start()
        return key

    def expect_soon(self, line: Line) -> None:
        """Read a release that somebody may look at next, unless it is large."""
        with suppress(OSError):
            if sum(entry.stat().st_size for entry in os.scandir(line.folder) if entry.is_file()) <= MOST_AHEAD:
                self.expect(line.folder, line.run)

    def _read(self, key: str) -> None:
        with suppress(Exception):  # what is wrong with it is said to whoever opens it
            from seqveil.studio.drawing import drawing

            drawing(self.load(self.line(key)))

    def verify(self, line: Line) -> Any:
        """The release, read and verified once more from its files."""
        with self._lock:
            for name in [name for name in self._open if name[0] == line.key]:
                del self._open[name]
        return self.load(line)

    def _places(self) -> dict[Path, str]:
        """Every folder, with the run that made it, if it was one of ours."""
        places: dict[Path, str] = {}
        for id in self._runs.recent():
            end = read_events(self._runs.path(id))[2]
            if end.get("folder"):
                places[Path(end["folder"])] = id
        for folder in [*map(Path, self._opened()), *self._roots.releases()]:
            places.setdefault(folder, "")
        inside = {}
        for folder, run in places.items():
            try:
                inside[self._roots.inside(folder)] = run
            except SeqveilError:
                continue
        return inside

    def _opened(self) -> list[str]:
        try:
            return [str(place) for place in json.loads(self._file.read_text("utf-8"))]
        except (OSError, ValueError, TypeError):
            return []


def _line(folder: Path, run: str) -> Line | None:
    from seqveil.release.manifest import MANIFEST, Manifest

    try:
        with (folder / MANIFEST).open("rb") as file:
            manifest = Manifest.from_json(file.read(MOST_MANIFEST).decode())
    except (OSError, ValueError, SeqveilError):
        return None
    return Line(
        key_of(folder),
        folder,
        manifest.release,
        manifest.created,
        manifest.mechanism.name,
        manifest.promised.removeprefix("ε = "),
        str(manifest.unit["name"]),
        manifest.private,
        run,
    )
