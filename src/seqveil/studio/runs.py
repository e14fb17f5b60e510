"""Runs: each one lives in a process of its own and writes down how far it is. The page only looks.

A run is a folder with the id of its draft:

    order.json     the fields of the draft, as they were when the button was pressed
    lock           held by the process of the run for as long as it lives; its number stands in it
    begun          made once, by the first process that takes the lock: a run is never run twice
    events.jsonl   stages, warnings, and how it ended

The folder gets its name in one step, so that of two tabs one makes the run and the other finds it. Closing the tab, or the end of
the studio, changes nothing. Where a process was killed nothing is written; then the ledger says what became of the ε.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from seqveil.errors import CallError
from seqveil.home import home
from seqveil.naming import rename_new
from seqveil.studio.drafts import Draft, check_id, new_id, private_folder
from seqveil.whole import INTERNAL, write_whole

State = Literal["waiting", "running", "released", "failed", "cancelled", "lost"]
PREPARING, READING = "preparing", "reading"
"""Stages of the lifecycle: before anything is reserved, and right after the run has begun."""

STARTING = 15.0
"""Seconds that the process of a run may take to start, on a machine that is busy."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `lost` means that its process ended without a word, `fresh` that it was ordered just now."""

    state: State
    stages: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    fresh: bool = False
    end: dict[str, Any] = field(default_factory=dict)

    @property
    def begun(self) -> bool:
        """Whether data may have been read: what is cancelled from here on remains charged."""
        return READING in self.stages


class Runs:
    """All runs that the studio has started on this machine."""

    def __init__(self, folder: Path, worker: Sequence[str] = (sys.executable, "-m", "seqveil.studio.worker")) -> None:
        self._folder, self._worker = folder, list(worker)

    def path(self, id: str) -> Path:
        """The folder of a run."""
        return self._folder / check_id(id)

    def exists(self, id: str) -> bool:
        return self.path(id).is_dir()

    def order(self, draft: Draft, folders: Sequence[Path]) -> bool:
        """Make the run of a draft, and start it; False where another tab has done so already."""
        work = private_folder(self._folder) / f".{draft.id}.{new_id()}"
        work.mkdir(mode=0o700)
        body = {"fields": draft.fields, "folders": [str(folder) for folder in folders]}
        write_whole(work / "order.json", json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"), mode=INTERNAL)
        try:
            rename_new(work, self.path(draft.id))
        except FileExistsError:
            shutil.rmtree(work)
            return False
        self.start(draft.id)
        return True

    def start(self, id: str) -> None:
        """Start the process of a run. Where one has begun already, the new one ends without doing anything."""
        process = subprocess.Popen(
            [*self._worker, str(self.path(id))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C for the studio, or its terminal that closes, is none for the run
            cwd="/",
            env={**os.environ, "SEQVEIL_HOME": str(home())},  # the same ledger, however its place was written
        )
        threading.Thread(target=process.wait, daemon=True).start()

    def draft(self, id: str) -> Draft:
        """The fields of a run, as they were ordered."""
        try:
            return Draft(id, dict(json.loads((self.path(id) / "order.json").read_text("utf-8"))["fields"]))
        except (OSError, ValueError, TypeError, KeyError):
            raise CallError("this run cannot be read any more: its folder was damaged. Its account is in the ledger.") from None

    def progress(self, id: str) -> Progress:
        """How far a run is, from what it has written."""
        folder = self.path(id)
        if not (folder / "order.json").is_file():
            raise CallError("this run does not exist: choose one on the home page.")
        alive = is_alive(folder)  # first: what a process writes before it ends is then seen below
        stages, warnings, end = read_events(folder)
        if end:
            return Progress(end["state"], stages, warnings, end=end)
        if alive:
            return Progress("running", stages, warnings)
        since = time.time() - (folder / "order.json").stat().st_mtime
        fresh = 0 <= since < STARTING  # a clock that was set back must not keep a run from being started
        if (folder / "begun").exists():
            return Progress("lost", stages, warnings)
        return Progress("waiting", stages, warnings, fresh)

    def cancel(self, id: str) -> bool:
        """Ask the process of a run to end in order, as Ctrl-C does; False where there is none."""
        folder = self.path(id)
        try:
            number = int((folder / "lock").read_text("ascii"))
            handle = os.pidfd_open(number) if hasattr(os, "pidfd_open") else -1
        except (OSError, ValueError):
            return False
        try:
            if not is_alive(folder):  # looked at last: the number cannot have passed to another process
                return False
            if handle >= 0:
                signal.pidfd_send_signal(handle, signal.SIGINT)
            else:
                os.kill(number, signal.SIGINT)
        except ProcessLookupError:
            return False
        finally:
            if handle >= 0:
                os.close(handle)
        return True

    def recent(self, most: int = 50) -> list[str]:
        """Ids of runs, the newest first."""
        if not self._folder.is_dir():
            return []
        folders = [path for path in self._folder.iterdir() if len(path.name) == 16 and (path / "order.json").is_file()]
        return [path.name for path in sorted(folders, key=lambda path: -(path / "order.json").stat().st_mtime)[:most]]


def is_alive(folder: Path) -> bool:
    """Whether the process of a run lives: it holds a lock that the system frees when it dies, however it dies."""
    try:
        handle = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def read_events(folder: Path) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]]:
    """Stages, warnings, and the end; a last line that is not whole yet is left for the next look."""
    stages, warnings = [], []
    try:
        lines = (folder / "events.jsonl").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if "stage" in event:
            stages.append(str(event["stage"]))
        elif "warning" in event:
            warnings.append(str(event["warning"]))
        elif "state" in event:
            return tuple(stages), tuple(warnings), event
    return tuple(stages), tuple(warnings), {}
