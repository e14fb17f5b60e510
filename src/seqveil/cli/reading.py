"""The options that say how a file of sequences is read, shared by the verbs that open raw data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from seqveil.cli.groups import names

Domain = Annotated[
    str, typer.Option("--domain", help="The public labels: a file with one per line, a range 1..17, or a list a,b,c.")
]
User = Annotated[str | None, typer.Option("--user", help="The column with the person.")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="What separates columns, when not as usual.")]

Header = Annotated[bool, typer.Option("--header/--no-header", help="Whether line 1 names the columns; else 1, 2, ….")]


class Description:
    """How the file is read.

    The names are those of `sources.Source`.
    """

    format: Annotated[str | None, typer.Option(help="The file's format, when its name does not say it.")] = None
    user: User = None
    time: Annotated[str | None, typer.Option(help="The column with the time: ISO 8601, or a number.")] = None
    item: Annotated[str | None, typer.Option(help="The column with the item.")] = None
    session: Annotated[str, typer.Option(help="Cut a person's events into sequences: none, day, gap:30m or a column.")] = "none"
    timezone: Annotated[str, typer.Option(help="The zone of times that name none, and of midnight.")] = "UTC"
    outside: Annotated[str, typer.Option(help="Items outside the domain: drop, or other (one public label).")] = "drop"
    delimiter: Delimiter = None
    header: Header = True
    time_unit: Annotated[str, typer.Option(help="What plain numbers count: ns, us, ms, s, m, h or d.")] = "s"
    time_format: Annotated[
        str | None, typer.Option(help="A pattern such as '%d/%m/%Y %H:%M', or text for any sortable text.")
    ] = None
    max_events: Annotated[
        int | None, typer.Option(min=1, help="Use at most this many rows of each user: the first in the file. Default: all.")
    ] = None


def described(given: dict[str, Any]) -> dict[str, Any]:
    """What was typed about the file, of all that was typed."""
    return {name: given[name] for name in names(Description)}
