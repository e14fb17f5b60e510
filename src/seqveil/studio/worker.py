"""`python -m seqveil.studio.worker FOLDER`: the process of one run. It goes through the one lifecycle, and writes how far it is.

Nothing that is written depends on a row: stages and warnings come from the lifecycle's listener; of an unexpected error only the
type is kept, as on the command line.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


class Written:
    """The listener of a run: every stage and warning is a line of events.jsonl."""

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / "events.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def stage(self, name: str) -> None:
        self.write({"stage": name})

    def warn(self, text: str) -> None:
        self.write({"warning": text})

    def write(self, event: dict[str, Any]) -> None:
        """One line, in one step."""
        os.write(self._file, json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


def run(folder: Path) -> None:
    """Do the run of a folder, unless another process has taken it."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(os.open(folder / "begun", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except (BlockingIOError, FileExistsError):
        return  # a run is run once
    os.write(lock, str(os.getpid()).encode())
    listener = Written(folder)
    listener.write(_outcome(folder, listener))


def _outcome(folder: Path, listener: Written) -> dict[str, Any]:
    """Carry the order out, and say how it ended."""
    from seqveil.errors import SeqveilError

    try:
        from seqveil.studio.drafts import Draft
        from seqveil.studio.orders import request_of
        from seqveil.studio.roots import Roots
        from seqveil.studio.words import on_page
        from seqveil.surface import speaking
        from seqveil.wall import lifecycle
        from seqveil.wall.fate import costing_nothing

        with speaking(on_page):
            with costing_nothing():
                order = json.loads((folder / "order.json").read_text("utf-8"))
                request = request_of(Draft(folder.name, order["fields"]), Roots.of(order["folders"]))
            outcome: Any = lifecycle.carry_out(request, listener)
        saved = {"release": outcome.release.manifest.release, "folder": str(outcome.folder), "empty": bool(outcome.release.empty)}
        return {"state": "released", **saved}
    except KeyboardInterrupt as interrupt:
        return {"state": "cancelled", "fate": _fate(interrupt)}
    except SeqveilError as error:
        return {"state": "failed", "error": str(error), "fate": _fate(error)}
    except BaseException as error:
        # Its message may quote raw data; its type may not.
        return {"state": "failed", "error": f"internal error ({type(error).__name__})", "fate": _fate(error)}


def _fate(error: BaseException) -> list[str]:
    from seqveil.wall.fate import fates

    return [str(fate) for fate in fates(error)]


def main() -> None:
    """The process of a command: no core file, and an interrupt that does no harm.

    Interrupts are how a run is cancelled: they count even where the studio was started with them ignored, as scripts do with `&`.
    """
    from seqveil.cli.process import process

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt), process():
        run(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
