"""How every verb prints: results on stdout, remarks on stderr, one JSON object with --json, bars only on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seqveil.errors import OutputLost

if TYPE_CHECKING:
    from rich.console import Console

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout and nothing else.")]

_BANNERS = {
    "EXPERIMENT": "NOT PRIVATE: the noise comes from a seed and can be repeated. Do not hand it on.",
    "INTERNAL": "For the holder's eyes only: these numbers come from the raw data without noise.",
}
_WIDE = 120


def printable(text: str) -> str:
    """The text without characters that a terminal would obey.

    >>> printable("a\\x1b[31mb")
    'a�[31mb'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(text: str = "") -> None:
    """A remark for people, on stderr. Where nobody can hear it (a full disk, a closed pipe) the work goes on all the same."""
    with suppress(OSError):
        typer.echo(text, err=True)


def emit(result: dict[str, Any]) -> None:
    """The one JSON object of `--json`, on stdout."""
    try:
        typer.echo(json.dumps(result, ensure_ascii=False))
    except OutputLost as lost:
        raise lost.after(str(result["out"])) if result.get("out") else lost from None


def banner(kind: Literal["EXPERIMENT", "INTERNAL"], text: str | None = None) -> None:
    """A line on stderr that nobody overlooks; red on a terminal."""
    with suppress(OSError):
        typer.secho(f"{kind} - {text or _BANNERS[kind]}", fg=typer.colors.RED, bold=True, err=True)


def paper() -> Console:
    """Where results are drawn: stdout, wide and without colours when it is a pipe."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _WIDE)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for eyes on a terminal, tab-separated lines for programs in a pipe."""
    if not sys.stdout.isatty():
        for row in [header, *rows]:
            typer.echo("\t".join(row))
        return
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False)
    for name in header:
        drawn.add_column(name, justify="left" if name == header[0] else "right")
    for row in rows:
        drawn.add_row(*map(Text, row))
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
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=steps)
        begun = 0

        def stage(name: str) -> None:
            nonlocal begun
            bar.update(task, description=f"{what}: {name}", completed=begun)
            begun += 1

        yield stage
