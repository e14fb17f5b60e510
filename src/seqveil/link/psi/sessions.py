"""The log of sessions: which terms this installation has answered or opened, and how much a cheating other side could test.

One line of JSON each, in `linkage.jsonl` beside the ledgers, mode 0600. It holds nothing of any list. A session is answered
once: answering it again under another key would let the other side test its bound anew.
"""

from __future__ import annotations

import fcntl
import json
import os
from datetime import UTC, datetime
from pathlib import Path

from seqveil.durable import make_directory, sync
from seqveil.errors import CallError
from seqveil.home import home
from seqveil.link.psi.edits import Side
from seqveil.link.psi.terms import Terms

LOG = "linkage.jsonl"


def log_session(terms: Terms, session: str, side: Side, keep: Path) -> None:
    """Note a session before anything of it leaves; refuses one that was noted for another folder."""
    folder = make_directory(home(), 0o700)
    other: Side = "answerer" if side == "starter" else "starter"
    handle = os.open(folder / LOG, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for line in file.read().splitlines():
            noted = _parsed(line)
            if noted.get("session") == session and noted.get("side") == side:
                if noted.get("keep") == str(keep.absolute()):
                    return
                raise CallError(
                    f"this session was answered already, on {noted.get('time')}: ask for a new `link psi start`, and check with "
                    f"the other side why the same message came twice."
                )
        facts = {
            "time": datetime.now(UTC).isoformat(timespec="seconds"), "side": side, "session": session, "terms": terms.id,
            "fields": [f"{f.name}:{f.compare}" for f in terms.fields], "they_could_test": terms.total(other),
            "keep": str(keep.absolute()),
        }  # fmt: skip
        file.write(json.dumps(facts).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    sync(folder)


def _parsed(line: bytes) -> dict:
    try:
        facts = json.loads(line)
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
