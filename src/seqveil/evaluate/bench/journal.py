"""Results as they come: one JSON line per run, appended and flushed, so that an interrupted bench goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any


class Journal:
    """The finished runs, by key.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = Journal(Path(folder.name) / "b.jsonl")
    >>> journal.add({"seed": 1}, {"error": 0.5})
    >>> Journal(Path(folder.name) / "b.jsonl").get({"seed": 1})
    {'error': 0.5}
    >>> folder.cleanup()
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._metrics: dict[str, dict[str, float]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                    self._metrics[_key(entry["run"])] = entry["metrics"]
                except (ValueError, KeyError, TypeError):
                    continue  # a line that was being written when the last bench was stopped

    def get(self, run: dict[str, Any]) -> dict[str, float] | None:
        """The metrics of a run, if it is finished."""
        return self._metrics.get(_key(run))

    def add(self, run: dict[str, Any], metrics: dict[str, float]) -> None:
        """Write a run down before the next one begins; a half-written last line is closed first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"run": run, "metrics": metrics}, ensure_ascii=False) + "\n"
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else "\n" + line
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
        self._metrics[_key(run)] = metrics


def _key(run: dict[str, Any]) -> str:
    return json.dumps(run, sort_keys=True, ensure_ascii=False)


_WITHOUT_NUMBERS = {"audit", "bench", "cli", "fenced", "journal", "ledger", "link", "report", "simulate", "stream"}
"""Rooms that no number of a bench comes from."""


@cache
def code_digest() -> str:
    """A fingerprint of this Seqveil's code: results of other code are never taken for results of this one."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        if not _WITHOUT_NUMBERS.intersection(path.relative_to(root).parts):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def file_digest(path: Path) -> str:
    """A fingerprint of the data."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
