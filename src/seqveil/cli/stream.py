"""`seqveil stream`: private counts, sums and longest increasing subsequences while the events arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

stream_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Private statistics while the events arrive: one event per line in, one line 'position TAB answer' out.",
    epilog="Example: seqveil stream count meter.log --where '>= 5' --length 100000 --epsilon 1. In a pipe: tail -f meter.log | …",
)

Events = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", help="Events, one per line: text, .csv, .tsv, .jsonl, also .gz. Default: stdin."),
]
Length = Annotated[int | None, typer.Option(help="T: the most events that will ever be answered; public.")]
Epsilon = Annotated[str | None, typer.Option(help="The privacy budget of the whole stream, as a decimal.")]
Account = Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")]
Method = Annotated[str | None, typer.Option(help="baseline, binary (default), window, checkpoints; lis also: hierarchy.")]
Window = Annotated[int | None, typer.Option(help="W: answer for the last W events (methods window and binary).")]
CheckpointCount = Annotated[int | None, typer.Option("--checkpoints", help="R: how many times to answer (method checkpoints).")]
State = Annotated[Path | None, typer.Option(help="A file to go on from after a stop or a crash. INTERNAL: holds raw events.")]
Column = Annotated[str | None, typer.Option(help="The field of a CSV or JSON Lines event.")]
Format = Annotated[str | None, typer.Option("--format", help="lines, csv, tsv or jsonl, when the name does not say it.")]
Delimiter = Annotated[str | None, typer.Option(help="What separates columns, when not as usual.")]
Header = Annotated[bool, typer.Option("--header/--no-header", help="Whether line 1 names the columns; else 1, 2, ….")]
FromStart = Annotated[
    bool | None,
    typer.Option(
        "--from-start/--continued",
        help="With an existing state: does the input begin with the first event, or go on? Files do, stdin goes on.",
    ),
]
Reprint = Annotated[bool, typer.Option("--reprint", help="First print the answers given before once more; they are the same.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show noise and error; read nothing, spend nothing.")]
Seed = Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object per answer.")]


@stream_app.command()
def lis(
    file: Events = None,
    length: Length = None,
    epsilon: Epsilon = None,
    account: Account = None,
    method: Method = None,
    window: Window = None,
    checkpoints: CheckpointCount = None,
    buckets: Annotated[int | None, typer.Option(help="b: buckets per layer (method hierarchy).")] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--weak", help="Whether equal events may not follow each other.")
    ] = None,
    state: State = None,
    column: Column = None,
    format: Format = None,
    delimiter: Delimiter = None,
    header: Header = True,
    from_start: FromStart = None,
    reprint: Reprint = False,
    dry_run: DryRun = False,
    seed: Seed = None,
    as_json: JsonLines = False,
) -> None:
    """The length of the longest increasing subsequence so far, or of the last --window events.

    Example: seqveil stream lis power.csv --column watts --length 100000 --epsilon 1 --state power.state
    """
    _stream("lis", ("strict",), locals())


@stream_app.command()
def count(
    file: Events = None,
    where: Annotated[str | None, typer.Option(help="Which events count: '>= 5', '= home', '!= 0', 'in a,b,c'.")] = None,
    length: Length = None,
    epsilon: Epsilon = None,
    account: Account = None,
    method: Method = None,
    window: Window = None,
    checkpoints: CheckpointCount = None,
    state: State = None,
    column: Column = None,
    format: Format = None,
    delimiter: Delimiter = None,
    header: Header = True,
    from_start: FromStart = None,
    reprint: Reprint = False,
    dry_run: DryRun = False,
    seed: Seed = None,
    as_json: JsonLines = False,
) -> None:
    """How many events so far, or among the last --window, satisfy --where.

    Example: tail -f door.log | seqveil stream count --where '= open' --length 100000 --epsilon 1 --account door
    """
    _stream("count", ("where",), locals())


@stream_app.command("sum")
def sum_(
    file: Events = None,
    lower: Annotated[str | None, typer.Option(help="Events below it count as it.")] = None,
    upper: Annotated[str | None, typer.Option(help="Events above it count as it.")] = None,
    resolution: Annotated[str | None, typer.Option(help="Events are rounded to multiples of it. Default: 1.")] = None,
    length: Length = None,
    epsilon: Epsilon = None,
    account: Account = None,
    method: Method = None,
    window: Window = None,
    checkpoints: CheckpointCount = None,
    state: State = None,
    column: Column = None,
    format: Format = None,
    delimiter: Delimiter = None,
    header: Header = True,
    from_start: FromStart = None,
    reprint: Reprint = False,
    dry_run: DryRun = False,
    seed: Seed = None,
    as_json: JsonLines = False,
) -> None:
    """The sum of events so far, or of the last --window; each event is cut to --lower..--upper.

    Example: seqveil stream sum power.csv --column watts --lower 0 --upper 5000 --resolution 10 --length 100000 --epsilon 1
    """
    _stream("sum", ("lower", "upper", "resolution"), locals())


def _stream(statistic: str, own: tuple[str, ...], given: dict[str, Any]) -> None:
    from seqveil.cli.streaming import answer_all, show_plan

    names = (*own, "method", "length", "window", "checkpoints", "buckets")
    asked = {name: given[name] for name in names if given.get(name) is not None}
    show_plan({"statistic": statistic, **asked}, given) if given["dry_run"] else answer_all(
        {"statistic": statistic, **asked}, given
    )
