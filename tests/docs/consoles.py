"""Runs a page of the documentation as a reader would: its blocks in order, in one empty folder, with a ledger of its own.

* `console`: a line that begins with `$ ` is a command, a backslash continues it; what follows is what it prints. `…` stands for
  anything. Numbers are noisy, so any number matches any other, and any amount of blanks any other. `[exit code 3]` is how the
  command ends, 0 unless it is there.
* `python` without `>>>` runs in one namespace per page; what has `>>>` is a doctest, and pytest runs it.
* `text file=NAME` (or toml, or any other language) is a file that the reader is asked to save.

A plain `seqveil …` runs in this process; everything else, pipes included, in a shell.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SMALLER = {"seqveil demo ": " --passengers 3000"}
"""What a reader waits half a minute for is made smaller: commands that begin so, and what is added to them."""

ANYTHING = "…"


@dataclass
class Command:
    """A command of a page, and what the page says that it prints."""

    line: str
    shown: list[str] = field(default_factory=list)
    code: int = 0


def blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """(language, name of a file, text) of every block that runs or is saved."""
    for info, body in FENCE.findall(text):
        language, _, rest = info.partition(" ")
        name = rest.removeprefix("file=") if rest.startswith("file=") else ""
        if language == "console" or name or (language == "python" and ">>>" not in body):
            yield language, name, body


def commands(block: str) -> list[Command]:
    """The commands of a console block."""
    listed: list[Command] = []
    for line in re.sub(r" *\\\n\s*", " ", block).splitlines():
        if line.startswith("$ "):
            listed.append(Command(line[2:]))
        elif ended := re.fullmatch(r"\[exit code (\d)\]", line):
            listed[-1].code = int(ended[1])
        else:
            listed[-1].shown.append(line)
    return listed


def missing(shown: list[str], printed: str) -> list[str]:
    """Lines of a page that a command did not print, numbers and blanks aside."""
    lines = [_plain(line) for line in printed.splitlines()]
    return [line for line in shown if line.strip() != ANYTHING and not any(_like(_plain(line), one) for one in lines)]


def _plain(line: str) -> str:
    return " ".join(re.sub(r"\d[\d,.]*\d|\d", "#", line).split())


def _like(pattern: str, line: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split(ANYTHING))), line) is not None


class Reader:
    """Somebody who follows a page."""

    def __init__(self, folder: Path, seqveil: Callable[..., Any]) -> None:
        self.folder, self.seqveil = folder, seqveil
        self.names: dict[str, Any] = {"__name__": "__page__"}

    def follow(self, text: str) -> list[str]:
        """Run the blocks of a page. Returns what did not happen as the page says."""
        wrong: list[str] = []
        for language, name, body in blocks(text):
            if name:
                (self.folder / name).write_text(body, "utf-8")
            elif language == "python":
                exec(compile(body, "page", "exec"), self.names)
            else:
                for one in commands(body):
                    wrong += self._try(one)
        return wrong

    def _try(self, command: Command) -> list[str]:
        line = command.line + next((more for begins, more in SMALLER.items() if command.line.startswith(begins)), "")
        words = shlex.split(line)
        if words[0] == "seqveil" and not {"|", ">", "&&"} & set(words):
            ran = self.seqveil(*words[1:])
            code, printed = ran.code, f"{ran.out}\n{ran.err}"
        else:
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(["bash", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, text=True)
            code, printed = done.returncode, f"{done.stdout}\n{done.stderr}"
        if code != command.code:
            return [f"$ {line}\nended with {code}, not {command.code}:\n{printed}"]
        return [f"$ {line}\ndid not print {one!r}, but:\n{printed}" for one in missing(command.shown, printed)]
