"""What a data holder keeps between moves, for itself alone: a folder with mode 0700, its secrets in files with mode 0600.

The state says which session and which file of people it belongs to, so that a move continues where a killed one stopped and
refuses everything else. Secrets are overwritten and deleted as soon as no later move needs them.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from seqveil.durable import make_directory, sync
from seqveil.errors import CallError, InputProblems
from seqveil.link.psi.chunks import Pieces
from seqveil.link.psi.edits import Side
from seqveil.link.psi.terms import Terms
from seqveil.link.whole import read_json, refuse_other_keys
from seqveil.surface import parameter
from seqveil.whole import INTERNAL, write_whole

FORMAT, VERSION = "seqveil linkage state", 1
STATE, TERMS = "state.json", "terms.json"
Stage = Literal["working", "sent", "done"]

SECRET = ".secret"
BLINDS, KEY, LABELS = "blinds", "key", "labels"
"""Secrets: the starter's random factors, the answerer's key, the numbers under which the starter knows its values."""

_SECRET = 32
_OURS = re.compile(r"\w+\.secret|(?:blinded|dummies|evaluated|entries|shared)-\d{6}|pairs")
_NEEDED: dict[tuple[Side, Stage], tuple[str, ...]] = {
    ("starter", "working"): (BLINDS, "blinded", "dummies"), ("starter", "sent"): (BLINDS, "shared", "pairs"),
    ("answerer", "working"): (KEY, LABELS, "evaluated", "entries"), ("answerer", "sent"): (LABELS,),
    ("starter", "done"): (), ("answerer", "done"): (),
}  # fmt: skip
"""What a later step of each side needs."""
_MOST = 1 << 16
_KEYS: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "side": (str,), "nonce": (str,), "people": (str,), "received": (str,), "sent": (str,),
    "stage": (str,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class State:
    """Where a data holder is. `people` is the digest of its file; `received` and `sent` are ids of messages."""

    side: Side
    nonce: str
    people: str
    received: str = ""
    sent: str = ""
    stage: Stage = "working"


@dataclass(frozen=True, slots=True)
class Keep:
    """The folder, its state and the terms of its session."""

    folder: Path
    state: State
    terms: Terms

    @property
    def session(self) -> str:
        """The session's name."""
        return self.terms.session(self.state.nonce)

    @classmethod
    def begin(cls, folder: Path, terms: Terms, state: State) -> Keep:
        """A folder for a session: a new one, or that of a killed run of the very same move."""
        if (folder / STATE).exists():
            there = cls.load(folder)
            other = f"choose another folder with {parameter('keep', 'FOLDER')}"
            nonce = there.state.nonce if state.side == "starter" else state.nonce
            if (there.terms, there.state.side, there.state.people, there.state.nonce) != (terms, state.side, state.people, nonce):
                raise CallError(f"{folder} belongs to another session or another file of people: {other}.")
            if there.state.stage != "working":
                raise CallError(
                    f"{folder} has sent its message already: wait for the other side's, or {other} for a new session."
                )
            if there.state.received != state.received:
                raise CallError(f"{folder} answers another message of this session: {other}.")
            return there
        if folder.is_symlink() or (folder.exists() and not _barely_begun(folder, terms)):
            raise CallError(f"{folder} exists already: choose another folder with {parameter('keep', 'FOLDER')}.")
        make_directory(folder, 0o700)
        folder.chmod(0o700)
        if not (folder / TERMS).exists():
            terms.save(folder / TERMS)
        keep = cls(folder, state, terms)
        keep._save()
        return keep

    @classmethod
    def load(cls, folder: Path) -> Keep:
        """The folder of an earlier move."""
        path = folder / STATE
        if not path.is_file():
            raise InputProblems(str(folder), [f"holds no session: give the folder of your earlier move with {parameter('keep')}"])
        data = read_json(path, _MOST)
        if data.get("format") != FORMAT or data.get("version") != VERSION:
            raise InputProblems(str(path), ["is not a state that this version of Seqveil reads"])
        refuse_other_keys(str(path), data, _KEYS)
        state = State(**{key: value for key, value in data.items() if key not in ("format", "version")})
        if (state.side, state.stage) not in _NEEDED:
            raise InputProblems(str(path), ["names a side or a stage that there is not: it was changed"])
        keep = cls(folder, state, Terms.load(folder / TERMS))
        keep._tidy()  # what a killed run did not come to
        return keep

    def moved(self, **changes: Any) -> Keep:
        """The state after a step, on disk."""
        there = replace(self, state=replace(self.state, **changes))
        there._save()
        there._tidy()
        return there

    def received(self, identity: str) -> Keep:
        """The state once a message is being read. What was computed from another one, which was refused half way, is no good."""
        if self.state.received == identity:
            return self
        for path in self.folder.iterdir():
            if path.suffix != SECRET and _OURS.fullmatch(path.name):
                path.unlink()
        return self.moved(received=identity)

    def _tidy(self) -> None:
        """Take away secrets and intermediate results that no later move needs."""
        needed = _NEEDED[self.state.side, self.state.stage]
        for path in self.folder.iterdir():
            if _OURS.fullmatch(path.name) and not path.name.startswith(needed):
                if path.suffix == SECRET:
                    _overwrite(path)
                path.unlink()
        sync(self.folder)

    def _save(self) -> None:
        body = json.dumps({"format": FORMAT, "version": VERSION, **asdict(self.state)}, indent=2) + "\n"
        write_whole(self.folder / STATE, body.encode(), mode=INTERNAL, overwrite=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One run at a time works in the folder."""
        lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CallError(f"{self.folder} is in use by another run: wait for it to end.") from None
            except OSError:  # a file system without locks
                pass
            yield
        finally:
            os.close(lock)

    def secret(self, name: str) -> bytes:
        """A secret of this session, drawn when it is first asked for; never anew once a message was made with it."""
        path = self.folder / f"{name}{SECRET}"
        if not path.exists():
            if self.state.stage != "working":
                raise InputProblems(str(path), ["is gone, and without it the other side's message cannot be read: begin anew"])
            write_whole(path, secrets.token_bytes(_SECRET), mode=INTERNAL)
        return path.read_bytes()

    def discard(self) -> None:
        """Take the folder away again: nothing has been computed, and nothing was sent."""
        for name in (STATE, TERMS):
            (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def pieces(self, name: str, total: int) -> Pieces:
        """Intermediate results of this move."""
        return Pieces(self.folder, name, total)

    def refuse_other_people(self, digest: str, source: str) -> None:
        """A later move needs the very list of the first one."""
        if digest != self.state.people:
            raise InputProblems(source, ["has other rows than in your first move: give the same file and columns"])


def _overwrite(path: Path) -> None:
    """Random bytes over a secret. What a disk or a file system keeps of old blocks is beyond us."""
    with path.open("r+b") as file:
        file.write(secrets.token_bytes(path.stat().st_size))
        file.flush()
        os.fsync(file.fileno())


def _barely_begun(folder: Path, terms: Terms) -> bool:
    """Whether a folder has nothing but what a run leaves that was killed before its first state was on disk."""
    there = [path for path in folder.iterdir() if not path.name.endswith(".unfinished")]
    return not there or ([path.name for path in there] == [TERMS] and Terms.load(folder / TERMS) == terms)


def stretched(secret: bytes, what: str, start: int, size: int) -> bytes:
    """Pseudorandom bytes of a secret for a purpose and a place, so that a resumed run draws the same."""
    return hashlib.shake_256(b"%s\0%s\0%d\0" % (secret, what.encode(), start)).digest(size)
