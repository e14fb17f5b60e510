"""The options that say how a file of sequences is read, shared by the verbs that open raw data."""

from __future__ import annotations

from typing import Annotated

import typer

Domain = Annotated[
    str, typer.Option("--domain", help="The public labels: a file with one per line, a range 1..17, or a list a,b,c.")
]
Format = Annotated[str | None, typer.Option("--format", help="The file's format, when its name does not say it.")]
User = Annotated[str | None, typer.Option("--user", help="The column with the person.")]
Time = Annotated[str | None, typer.Option("--time", help="The column with the time: ISO 8601, or a number.")]
Item = Annotated[str | None, typer.Option("--item", help="The column with the item.")]
Session = Annotated[
    str, typer.Option("--session", help="Cut a person's events into sequences: none, day, gap:30m or a column.")
]
Timezone = Annotated[str, typer.Option("--timezone", help="The zone of times that name none, and of midnight.")]
Outside = Annotated[str, typer.Option("--outside", help="Items outside the domain: drop, or other (one public label).")]
Delimiter = Annotated[str | None, typer.Option("--delimiter", help="What separates columns, when not as usual.")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Whether line 1 names the columns; else 1, 2, ….")]
TimeUnit = Annotated[str, typer.Option("--time-unit", help="What plain numbers count: ns, us, ms, s, m, h or d.")]
TimeFormat = Annotated[
    str | None, typer.Option("--time-format", help="A pattern such as '%d/%m/%Y %H:%M', or text for any sortable text.")
]
