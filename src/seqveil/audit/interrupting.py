"""Pressing Ctrl-C while real commands run as processes of their own, and looking at how they end and what they leave.

A command that is interrupted ends with exit code 1 and the word "interrupted"; it never crashes, leaves no core file and nothing
half-written, and does not go on as if nobody had pressed a key.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COMMANDS = {
    "publish": "publish data.seq --domain a,b,c --epsilon 0.001 --l-max 4 --n-max 3 --account a --public-because x --out {out}",
    "mine": "mine data.seq --domain a,b,c --epsilon 0.001 --method ffs --longest 2 --top 3 --account a "
    "--public-because x --out {out}",
    "synth": "synth release --records 5000 --out {out}.csv",
    "evaluate": "evaluate data.seq release",
    "report": "report release --out {out}.html",
    "check": "check data.seq --domain a,b,c",
    "audit": "audit ngram --budget smoke --out {out}",
    "fenced suppress": "fenced suppress visits.csv --user card --time hour --item ward --sensitive diagnosis "
    "--values HIV --k 2 --c 0.6 --l 2 --out {out}",
    "link base": "link base names.txt --epsilon 0.001 --account a --out {out}",
    "link merge": "link merge base-a base-b --out {out}.json",
    "link embed": "link embed names.txt --base base.json --edits 1 --out {out} --key {out}.key",
    "link match": "link match vectors-a vectors-b --out {out}",
    "link open": "link open names.txt pairs --key a.key --out {out}.csv",
}
"""What is typed, in the folder of a `Stage`."""

_BEFORE = [
    "publish data.seq --domain a,b,c --epsilon 5 --l-max 4 --n-max 3 --account a --public-because x --out release",
    "link base names.txt --epsilon 5 --account a --out base-a",
    "link base names.txt --epsilon 5 --account b --out base-b",
    "link merge base-a base-b --out base.json",
    "link embed names.txt --base base.json --edits 1 --out vectors-a --key a.key",
    "link embed names.txt --base base.json --out vectors-b --key b.key",
    "link match vectors-a vectors-b --out pairs",
]
_STARTING = ("__main__.py", "__init__.py", "lazily.py", "errors.py", "process.py", "interrupts.py")
"""Files of ours that are loaded before a command can catch Ctrl-C."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended after Ctrl-C."""

    code: int
    words: str
    lasted: float
    cored: bool

    @property
    def early(self) -> bool:
        """Ctrl-C came while Python itself was starting; it then ends by the signal or, while it looks for packages, with 1."""
        ours = re.findall(r'seqveil/(?:\w+/)*(\w+\.py)"', self.words)
        stopped = self.code in (-signal.SIGINT, 1) and "KeyboardInterrupt" in self.words and "error:" not in self.words
        return stopped and set(ours) <= set(_STARTING)


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder with simulated data and everything that the commands need."""

    folder: Path

    def prepare(self, cache: Path | None = None) -> Stage:
        """Make it, with all that any command needs; the cache of compiled code is warm afterwards."""
        self.furnish()
        for line in _BEFORE:
            self._whole(line.split(), cache)
        return self

    def furnish(self) -> Stage:
        """Made-up data alone."""
        self.folder.mkdir(parents=True)
        (self.folder / "data.seq").write_text("a b c a\nb c\na a b\nc\n" * 500, encoding="utf-8")
        (self.folder / "names.txt").write_text("Anna\nHannah\nBob\nJoanna\nHanno\n" * 400, encoding="utf-8")
        visits = ((who, hour, ward) for who in range(60) for hour, ward in ((1, "x"), (2, "y")))
        rows = "".join(f"{who},{hour},{ward},{'HIV' if who % 7 == 0 else 'flu'}\n" for who, hour, ward in visits)
        (self.folder / "visits.csv").write_text(f"card,hour,ward,diagnosis\n{rows}", encoding="utf-8")
        return self

    def time(self, name: str, cache: Path | None = None) -> float:
        """How long a command takes that nobody interrupts."""
        begun = time.monotonic()
        self._whole(self._words(name, self._room("whole")), cache)
        return time.monotonic() - begun

    def interrupt(self, name: str, presses: Sequence[float], cache: Path | None = None) -> tuple[Ending, list[str]]:
        """A command under Ctrl-C at these seconds after its start; how it ended, and what is wrong about that."""
        room = self._room("press")
        begun = time.monotonic()
        command = self._start(self._words(name, room), cache)
        for moment in presses:
            time.sleep(max(0.0, begun + moment - time.monotonic()))
            os.kill(command.pid, signal.SIGINT)  # nobody has waited for it yet, so the number is still its own
        pressed = time.monotonic()
        assert command.stderr is not None
        with command.stderr:
            words = command.stderr.read().decode("utf-8", "replace")
        _, status = os.waitpid(command.pid, 0)
        command.returncode = os.waitstatus_to_exitcode(status)
        ending = Ending(command.returncode, words, time.monotonic() - pressed, os.WCOREDUMP(status))
        return ending, self.wrong(ending, room)

    def wrong(self, ending: Ending, room: Path) -> list[str]:
        """Every promise that was not kept."""
        problems = []
        if ending.code not in (0, 1) and not ending.early:
            problems.append(f"ended with {ending.code}")
        if ending.code == 1 and "interrupted" not in ending.words and not ending.early:
            problems.append("did not say that it was interrupted")
        if ending.code == 0 and ending.lasted > 1.5:
            problems.append(f"ran on for {ending.lasted:.1f} s to its usual end")
        if not ending.early and ("Traceback" in ending.words or "Exception ignored" in ending.words):
            problems.append("showed a traceback")
        if ending.cored or list(self.folder.glob("core*")):
            problems.append("left a core file")
        half = (path for path in room.iterdir() if path.name.startswith(".") or (path.is_dir() and not any(path.iterdir())))
        return problems + [f"left {path.name} half-written" for path in half]

    def _whole(self, words: list[str], cache: Path | None) -> None:
        command = self._start(words, cache)
        _, stderr = command.communicate()
        if command.returncode != 0:
            raise AssertionError(f"seqveil {' '.join(words)} ended with {command.returncode}: {stderr.decode()}")

    def _words(self, name: str, room: Path) -> list[str]:
        return COMMANDS[name].format(out=room / "out").split()

    def _room(self, name: str) -> Path:
        """A new folder for what one command writes."""
        number = len(list(self.folder.glob(f"{name}-*")))
        room = self.folder / f"{name}-{number}"
        room.mkdir()
        return room

    def _start(self, words: list[str], cache: Path | None) -> subprocess.Popen[bytes]:
        compiled = {} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}
        return subprocess.Popen(
            [sys.executable, "-m", "seqveil", *words],
            cwd=self.folder,
            env={**os.environ, "SEQVEIL_HOME": str(self.folder / "home"), **compiled},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=_as_at_a_terminal,
        )


def _as_at_a_terminal() -> None:
    """Ctrl-C is heard, also where this runs in the background of a shell; and a crash would leave a core file."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
