"""Messages: the three files that go from one data holder to the other, each bound to its session and to the one before it.

One line of JSON says which move of which session it is, then come records of fixed width. A message of another session, of
another move, with records missing, added or in another order, or that answers another message than ours, is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.psi.oprf import POINT
from seqveil.link.psi.terms import Terms
from seqveil.link.whole import refuse_other_keys
from seqveil.release.regular import opened
from seqveil.release.schema import parse
from seqveil.whole import INTERNAL, write_whole

FORMAT, VERSION = "seqveil private linkage", 1
LABEL = 8
ENTRY = 16 + LABEL
"""The tag by which a token is recognised, and the label that only its knower can read."""

PARTS: dict[int, dict[str, int]] = {1: {"blinded": POINT}, 2: {"evaluated": POINT, "entries": ENTRY}, 3: {"pairs": LABEL}}
"""What each move carries, and how wide a record is."""
VERBS = {1: "start", 2: "answer", 3: "finish"}

HEADER = 1 << 12
"""Bytes of the line of JSON, blanks at its end included."""

_KEYS: dict[str, tuple[type, ...]] = {
    "format": (str,), "version": (int,), "move": (int,), "terms": (str,), "session": (str,), "nonce": (str,), "before": (str,),
    "parts": (dict,), "sha256": (str,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was checked; its records are read from disk when they are asked for."""

    path: Path
    id: str
    nonce: str
    session: str
    counts: dict[str, int]
    begins: dict[str, int]
    width: dict[str, int]

    def part(self, name: str) -> NDArray[np.uint8]:
        """The records of a part, one a row, mapped from the file."""
        shape = (self.counts[name], self.width[name])
        return np.memmap(self.path, np.uint8, "r", self.begins[name], shape) if shape[0] else np.zeros(shape, np.uint8)


def write_message(
    path: Path, move: int, terms: Terms, nonce: str, before: str, parts: dict[str, Iterable[bytes]], counts: dict[str, int]
) -> str:
    """Write a message whole, from blocks of records; returns its id, by which the next one names it."""
    identity = ""

    def fill(work: Path) -> None:
        nonlocal identity
        body = hashlib.sha256()
        with work.open("r+b") as file:
            file.seek(HEADER)  # the header goes there when the digest of what follows it is known
            for name, width in PARTS[move].items():
                written = 0
                for block in parts[name]:
                    body.update(block)
                    written += file.write(block)
                assert written == counts[name] * width
            head = {
                "format": FORMAT, "version": VERSION, "move": move, "terms": terms.id, "session": terms.session(nonce),
                "nonce": nonce, "before": before, "parts": counts, "sha256": body.hexdigest(),
            }  # fmt: skip
            line = json.dumps(head).encode().ljust(HEADER - 1) + b"\n"
            identity = hashlib.sha256(line).hexdigest()
            file.seek(0)
            file.write(line)

    write_whole(path, fill, mode=INTERNAL)
    return identity


def open_message(
    path: Path, move: int, terms: Terms, expected: dict[str, int | None], session: str | None = None, before: str | None = None
) -> Message:
    """Read strictly. `expected` says how many records of each part there must be; None: the message decides.

    `session` and `before` are those of the reader, where it has had a move already; without them any session of the terms is
    accepted.
    """
    source = str(path)
    head, line = _header(path, source)
    if head.get("format") != FORMAT:
        raise InputProblems(source, [_other(move)])
    if head.get("version") != VERSION:
        problem = f"has version {str(head.get('version'))[:20]}, but this Seqveil reads version {VERSION}"
        raise InputProblems(source, [f"{problem}: both must use the same version of Seqveil"])
    refuse_other_keys(source, head, _KEYS)
    if head["move"] != move:
        raise InputProblems(source, [f"is move {head['move']} of a session: {_other(move)}"])
    if head["terms"] != terms.id:
        raise InputProblems(source, ["belongs to other terms: both must use one file of terms; compare its id"])
    if head["session"] != terms.session(head["nonce"]) or (session is not None and head["session"] != session):
        raise InputProblems(source, ["belongs to another session: ask for the message of this one"])
    if before is not None and head["before"] != before:
        raise InputProblems(source, ["answers another message than the one you sent: ask for the answer to yours"])
    return _checked(path, source, head, line, expected)


def _header(path: Path, source: str) -> tuple[dict[str, Any], bytes]:
    try:
        with opened(path, follow=True) as file:
            line = file.read(HEADER)
        head = parse(line.decode("utf-8"))
    except OSError as error:
        raise InputProblems(source, [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    except ValueError:
        head = None
    if not isinstance(head, dict) or len(line) < HEADER:
        raise InputProblems(source, ["is not a message of a linkage, or was truncated: copy it again, or give another"])
    return head, line


def _checked(path: Path, source: str, head: dict[str, Any], line: bytes, expected: dict[str, int | None]) -> Message:
    """The records are as many as the terms say, and those that were written."""
    parts, counts = PARTS[head["move"]], head["parts"]
    if counts.keys() != parts.keys() or not all(type(many) is int and 0 <= many < 1 << 40 for many in counts.values()):
        raise InputProblems(source, ["has other parts than its move: it was not written by Seqveil"])
    for name, many in expected.items():
        if many is not None and counts[name] != many:
            raise InputProblems(source, [f"has {counts[name]:,} records of {name}, but by the terms there are {many:,}"])
    begins, at = {}, HEADER
    for name, width in parts.items():
        begins[name] = at
        at += counts[name] * width
    body = hashlib.sha256()
    try:
        with opened(path, follow=True) as file:
            size = os.fstat(file.fileno()).st_size
            if size != at:
                raise InputProblems(source, [f"has {size:,} bytes instead of {at:,}: it was truncated; copy it again"])
            file.seek(HEADER)
            while block := file.read(1 << 20):
                body.update(block)
    except OSError as error:
        raise InputProblems(source, [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    if body.hexdigest() != head["sha256"]:
        raise InputProblems(source, ["was changed, or its records are in another order: copy it again"])
    return Message(path, hashlib.sha256(line).hexdigest(), head["nonce"], head["session"], counts, begins, dict(parts))


def _other(move: int) -> str:
    return f"give the file that the other side's `seqveil link psi {VERBS[move]}` wrote"
