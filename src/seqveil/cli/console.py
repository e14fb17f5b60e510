"""How every command prints: results on stdout, messages on stderr, one JSON object with --json, bars only on a terminal.

This is the only file of the command that writes to stdout or stderr. Labels, names of files and accounts, manifests and errors
may come from somebody else, and a terminal obeys what it is sent: so everything that is printed is escaped here.
"""

from __future__ import annotations

import json
import logging
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seqveil.errors import OutputLost
from seqveil.logs import all_json, remark
from seqveil.notation import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Json", "banner", "command", "complain", "data", "emit", "paper", "printable", "progress", "remarks", "say", "table", "tell",
]  # fmt: skip

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else.")]

_BANNERS = {
    "EXPERIMENT": "NOT PRIVATE: the noise comes from a seed and can be repeated. Do not share.",
    "INTERNAL": "Do not share: these numbers come from the raw data, without noise.",
}
_WIDE = 120
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")


def command(*words: object) -> str:
    """A command of ours as it can be pasted into a shell.

    >>> print(command("query", "my release", 'home "West Ham"'))
    seqveil query 'my release' 'home "West Ham"'
    """
    return shlex.join(["seqveil", *map(str, words)])


def say(text: str = "") -> None:
    """A remark for people: one line on stderr, or of the log where that is JSON."""
    if all_json():
        return _log(text)
    typer.echo(printable(text), err=True)


def _log(text: str, **facts: str | int) -> None:
    """A remark or an error as a line of the log, which people and programs read as one."""
    kind, colon, rest = text.partition(": ")
    level = {"warning": logging.WARNING, "error": logging.ERROR}.get(kind) if colon else None
    remark(logging.getLogger("seqveil.command"), level or logging.INFO, rest if level else text, **facts)


def tell(text: str = "") -> None:
    """A result: one line on stdout."""
    typer.echo(printable(text))


def complain(text: str, **facts: str | int) -> None:
    """An error on stderr. Its further lines are indented, so that no text from elsewhere can pose as a line of ours.

    Facts are for a log in JSON: what the exit code will be, and what became of the budget.
    """
    if all_json():
        return _log(text, **facts)
    first, *more = text.split("\n")
    for line in [first, *(line if line.startswith("  ") else f"  {line}" for line in more)]:
        say(line)


def emit(result: dict[str, Any]) -> None:
    """The one JSON object of `--json`, on stdout."""
    body = json.dumps(result, ensure_ascii=False)
    body = _NOT_ASCII.sub(lambda match: match[0] if printable(match[0]) == match[0] else json.dumps(match[0])[1:-1], body)
    try:
        typer.echo(body)
    except OutputLost as lost:
        raise lost.after(str(result["out"])) if result.get("out") else lost from None


def data(body: str | bytes) -> None:
    """Records or answers, on stdout: byte by byte in a pipe, escaped line by line on a terminal."""
    if sys.stdout.isatty():
        text = body if isinstance(body, str) else body.decode("utf-8", "replace")
        body = "\n".join(map(_columns, text.split("\n")))
    typer.echo(body, nl=False)


def _columns(line: str) -> str:
    """A line in which tabs separate columns."""
    return "\t".join(map(printable, line.split("\t")))


def banner(kind: Literal["EXPERIMENT", "INTERNAL"], text: str | None = None) -> None:
    """A line on stderr that stands out; red on a terminal."""
    if all_json():
        return _log(f"warning: {kind} - {text or _BANNERS[kind]}")
    typer.secho(printable(f"{kind} - {text or _BANNERS[kind]}"), fg=typer.colors.RED, bold=True, err=True)


@cache
def _escaping() -> type[Console]:
    """rich's console, which escapes whatever it is given to draw; only its own colours and movements reach the terminal."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class Escaping(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                text, style, control = segment
                yield segment if control else Segment("\n".join(map(printable, text.split("\n"))), style)

    return Escaping


def paper() -> Console:
    """Where results are drawn: stdout, wide and without colours when it is a pipe."""
    return _escaping()(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _WIDE)


def remarks() -> Console:
    """Where bars move: stderr."""
    return _escaping()(stderr=True, highlight=False, markup=False, emoji=False)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for people on a terminal, tab-separated lines for programs in a pipe."""
    if not sys.stdout.isatty():
        for row in [header, *rows]:
            typer.echo("\t".join(map(printable, row)))
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False)
    for name in header:
        drawn.add_column(Text(printable(name)), justify="left" if name == header[0] else "right")
    for row in rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    paper().print(drawn)


@contextmanager
def progress(what: str, steps: int | None = None, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A bar on a terminal, nothing in a pipe. The yielded function names the stage that begins and moves it on.

    >>> with progress("publishing", steps=2) as stage:     # no terminal here, so nothing is printed
    ...     stage("exploration tree")
    """
    if quiet or not sys.stderr.isatty():
        yield lambda stage: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=remarks(), transient=True) as bar:
        task = bar.add_task(printable(what), total=steps)
        begun = 0

        def stage(name: str) -> None:
            nonlocal begun
            bar.update(task, description=printable(f"{what}: {name}"), completed=begun)
            begun += 1

        yield stage
