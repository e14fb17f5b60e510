"""Drafts: what was filled in on the way to a release, kept on disk, so that the address alone leads back to it.

A draft is public parameters and names of files; no row is in it. It has the id that its run will have: of two tabs that press
the last button, the second finds the run of the first.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from seqveil.errors import CallError
from seqveil.whole import INTERNAL, write_whole

MOST_KEPT = 500
"""Drafts; of more, those that were changed longest ago are forgotten."""

_ID = re.compile(r"[0-9a-f]{16}")


def check_id(text: str) -> str:
    """An id of a draft, a run or a task; anything else is none."""
    if not _ID.fullmatch(text):
        raise CallError("this address leads nowhere: start again from the home page.")
    return text


def new_id() -> str:
    """A fresh id."""
    return secrets.token_hex(8)


def private_folder(path: Path) -> Path:
    """A folder for its owner alone."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


@dataclass(slots=True)
class Draft:
    """The fields of a draft by name, all of them text; what is missing was not filled in."""

    id: str
    fields: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name) or default

    def under(self, prefix: str) -> dict[str, str]:
        """The fields that begin with a prefix and are filled in, without it.

        >>> Draft("", {"p.l_max": "12", "p.theta": "", "unit": "user"}).under("p.")
        {'l_max': '12'}
        """
        return {name.removeprefix(prefix): value for name, value in self.fields.items() if name.startswith(prefix) and value}


class Drafts:
    """All drafts, one file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    def new(self, fields: Mapping[str, str] | None = None) -> Draft:
        """A draft of its own."""
        for old in self.ids()[MOST_KEPT - 1 :]:
            self._path(old).unlink(missing_ok=True)  # labels that were pasted may belong to a run by now
        draft = Draft(new_id(), dict(fields or {}))
        self._write(draft)
        return draft

    def load(self, id: str) -> Draft:
        """The draft of an id."""
        try:
            fields = dict(json.loads(self._path(check_id(id)).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            raise CallError("this draft does not exist any more: start a new release from the home page.") from None
        return Draft(id, {str(name): str(value) for name, value in fields.items()})

    def change(self, id: str, fields: Mapping[str, str]) -> Draft:
        """The draft with other values of some fields; two tabs that change different fields lose nothing."""
        with self._lock:
            draft = self.load(id)
            draft.fields.update(fields)
            self._write(draft)
        return draft

    def labels_file(self, id: str) -> Path:
        """Where pasted labels are kept, so that a command can name them."""
        return private_folder(self._folder) / f"{check_id(id)}.labels.txt"

    def recent(self, most: int, published: Callable[[str], bool]) -> list[Draft]:
        """The drafts that were changed last, of those in which a file was chosen and that were not published."""
        drafts: list[Draft] = []
        for id in self.ids():
            with suppress(CallError):  # it was removed meanwhile
                draft = self.load(id)
                if draft.get("file") and not published(id):
                    drafts.append(draft)
            if len(drafts) == most:
                break
        return drafts

    def ids(self) -> list[str]:
        """The ids of all drafts, the one that was changed last first."""
        changed: dict[str, float] = {}
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                id, _, ending = entry.name.partition(".")
                if ending == "json" and _ID.fullmatch(id):
                    with suppress(FileNotFoundError):
                        changed[id] = entry.stat().st_mtime
        return sorted(changed, key=lambda id: -changed[id])

    def remove(self, id: str) -> None:
        """Forget a draft, with the labels that were pasted into it."""
        self._path(check_id(id)).unlink(missing_ok=True)
        self.labels_file(id).unlink(missing_ok=True)

    def _write(self, draft: Draft) -> None:
        body = json.dumps(draft.fields, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")
        private_folder(self._folder)
        write_whole(self._path(draft.id), body, mode=INTERNAL, overwrite=True)

    def _path(self, id: str) -> Path:
        return self._folder / f"{id}.json"
