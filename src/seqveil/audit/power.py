"""Losing power at any moment of a run in a fresh place: what the disk may have then, name by name.

A new name is on disk for certain only when its directory was synced after it was made. A child process notes everything it
makes, renames and syncs, and keeps a picture of its files at each of these moments. From a moment, any part of the names that
were not yet synced can be taken away again: that is a state in which the machine may come back. Bytes within files are as they
were; the ledger and the release sync those before they say so, which other tests look at.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqveil.audit.faults import Scene, forked, run_command


@dataclass(frozen=True, slots=True)
class Moment:
    """A picture of the files, and the names in it that are not on disk for certain: what was made, and what was renamed from."""

    picture: Path
    loose: list[tuple[str, str | None]]


@dataclass(slots=True)
class Recorder:
    """Hears what this process does below a folder, and keeps a picture before each step and after each sync."""

    root: Path
    album: Path
    loose: dict[str, str | None] = field(default_factory=dict)
    moments: list[list[tuple[str, str | None]]] = field(default_factory=list)
    inside: bool = False

    def start(self) -> None:
        fsync = os.fsync

        def synced(handle: Any) -> None:
            number = handle if isinstance(handle, int) else handle.fileno()
            path = Path(os.readlink(f"/proc/self/fd/{number}"))
            self.picture()
            fsync(handle)
            if path.is_dir() and path.is_relative_to(self.root):
                self.loose = {name: old for name, old in self.loose.items() if Path(name).parent != path.relative_to(self.root)}
                self.picture()

        os.fsync = synced  # type: ignore[assignment]
        sys.addaudithook(self.heard)

    def heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.inside or event not in ("os.mkdir", "os.rename", "os.remove", "open"):
            return
        self.inside = True
        try:
            self._noted(event, arguments)
        finally:
            self.inside = False

    def _noted(self, event: str, arguments: tuple[Any, ...]) -> None:
        names = [self._below(path) for path in arguments[: 2 if event == "os.rename" else 1]]
        name = names[-1]
        if name is None:
            return
        if event == "open" and (not int(arguments[2] or 0) & os.O_CREAT or (self.root / name).exists()):
            return
        self.picture()
        if event == "os.remove":
            self.loose.pop(name, None)
        else:
            self.loose[name] = names[0] if event == "os.rename" else None
            if event == "os.rename" and names[0] is not None:
                self.loose.pop(names[0], None)

    def _below(self, path: Any) -> str | None:
        if not isinstance(path, str | os.PathLike):
            return None
        full = Path(path).absolute()
        return str(full.relative_to(self.root)) if full.is_relative_to(self.root) else None

    def picture(self) -> None:
        """Keep how things are now."""
        was, self.inside = self.inside, True
        try:
            shutil.copytree(self.root, self.album / str(len(self.moments)))
            self.moments.append(list(self.loose.items()))
        finally:
            self.inside = was


def record(scene: Scene) -> list[Moment]:
    """Every moment of a publish in a fresh place."""
    album, file = scene.folder.with_name(scene.folder.name + "-album"), scene.folder.with_name("moments.json")

    def work() -> int:
        recorder = Recorder(scene.folder, album)
        recorder.start()
        code = run_command(scene.words(), scene.home)
        recorder.picture()
        recorder.inside = True
        file.write_text(json.dumps(recorder.moments), encoding="utf-8")
        return code

    if forked(work) != 0:
        raise AssertionError("a publish without a power loss failed")
    moments = json.loads(file.read_text(encoding="utf-8"))
    return [Moment(album / str(number), [(name, old) for name, old in loose]) for number, loose in enumerate(moments)]


def states(moments: list[Moment], luck: random.Random, draws: int) -> Iterator[tuple[int, frozenset[str]]]:
    """Moments, each with names that are lost: none, all, all but the release, and some at random."""
    for number, moment in enumerate(moments):
        names = [name for name, _ in moment.loose]
        choices = [names, [name for name in names if not name.startswith("out")]]
        choices += [[name for name in names if luck.random() < 0.5] for _ in range(draws)]
        yield from {(number, frozenset(lost)) for lost in [[], *choices]}


def come_back(moment: Moment, lost: frozenset[str], folder: Path) -> Scene:
    """The files as the machine finds them when power returns."""
    shutil.copytree(moment.picture, folder)
    for name, old in reversed(moment.loose):
        path = folder / name
        if name not in lost or not path.exists():
            continue
        if old is not None and (folder / old).parent.is_dir():
            os.rename(path, folder / old)
        elif path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return Scene(folder)
