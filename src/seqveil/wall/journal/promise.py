"""The head of a state file: what it is, what was promised, and a digest that ties the two together.

    SEQVEIL STREAM STATE 1 - INTERNAL: raw events and the noise that hides them. Never hand it on.
    {"account": …, "epsilon": …, "parameters": …}
    sha256 of the line above

and spaces up to a multiple of 4096 bytes; the marks and frames follow.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, RunFailed
from seqveil.surface import parameter
from seqveil.wall.budget import grains
from seqveil.wall.measures.delta import in_parts
from seqveil.wall.measures.guarantee import Guarantee

_BANNER = b"SEQVEIL STREAM STATE %d - INTERNAL: raw events and the noise that hides them. Never hand it on.\n"
BANNER, GAUSSIAN = _BANNER % 1, _BANNER % 2
"""The second is that of streams with δ, which versions without it must refuse as what they are: those of a newer version."""

KIND = b"SEQVEIL STREAM STATE"
PAGE = 4096
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Promise:
    """What a stream promised, to whom, and under which spend; public but for the account's name."""

    stream: str
    parameters: dict[str, Any]
    epsilon: str
    unit: dict[str, Any]
    neighbours: str
    scale: float
    noise: str
    private: bool
    account: str | None
    spend: str | None
    created: str
    delta: str | None = None
    """With δ the noise is discrete Gaussian, and `scale` is its σ; without, discrete Laplace."""

    @property
    def guarantee(self) -> Guarantee:
        """ε, and δ where there is one."""
        return Guarantee(grains(self.epsilon), 0 if self.delta is None else in_parts(self.delta))

    def facts(self) -> dict[str, Any]:
        """Everything, by name; δ only where there is one."""
        return {name: value for name, value in asdict(self).items() if name != "delta" or value is not None}

    @property
    def digest(self) -> str:
        """What the ledger ties the spend to."""
        return sha256(self._line()).hexdigest()

    def _line(self) -> bytes:
        return json.dumps(self.facts(), sort_keys=True).encode()

    def head(self) -> bytes:
        """The first bytes of the state file."""
        text = (BANNER if self.delta is None else GAUSSIAN) + self._line() + b"\n" + self.digest.encode() + b"\n"
        return text + b" " * (-len(text) % PAGE)


def read_promise(path: Path, head: bytes) -> tuple[Promise, int]:
    """The promise in a file's first bytes, and where the head ends."""
    if not head.startswith(KIND):
        raise CallError(f"{path} is not the state file of a stream: choose another {parameter('state')}, or a name that is free.")
    if not head.startswith((BANNER, GAUSSIAN)):
        raise CallError(f"{path} was written by another version of Seqveil: use that version, or another {parameter('state')}.")
    line, _, rest = head[len(BANNER) :].partition(b"\n")
    if sha256(line).hexdigest().encode() != rest[:64]:
        raise damaged(path, "its head is cut or changed")
    try:
        promise = Promise(**json.loads(line))
    except (TypeError, ValueError):
        raise damaged(path, "its head is not one that Seqveil writes") from None
    return promise, len(promise.head())


def damaged(path: Path, how: str) -> RunFailed:
    """The error for a state file that cannot be trusted."""
    return RunFailed(
        f"{path} is damaged: {how}. No answer was given and the file was not changed. Restore the whole file if you have a "
        f"copy; otherwise this stream has ended (its epsilon remains charged): open a new one with another {parameter('state')}."
    )


def head_bytes(read: Any) -> bytes:
    """As much of a file's beginning as a head can take; `read(n)` gives bytes."""
    head: bytes = read(_MOST)
    return head
