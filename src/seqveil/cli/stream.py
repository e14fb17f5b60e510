"""`seqveil stream`: private counts, sums and longest increasing subsequences while the events arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.groups import takes
from seqveil.cli.reading import Delimiter, Header

stream_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Private statistics while the events arrive: one event per line in, one line 'position TAB answer' out.",
    epilog="Example: seqveil stream count meter.log --where '>= 5' --length 100000 --epsilon 1. In a pipe: tail -f meter.log | …",
)


class Promised:
    """What is answered, and what is promised."""

    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Events, one per line: text, .csv, .tsv, .jsonl, also .gz. Default: stdin."),
    ] = None
    length: Annotated[int | None, typer.Option(help="T: the most events that will ever be answered; public.")] = None
    epsilon: Annotated[str | None, typer.Option(help="The privacy budget of the whole stream, as a decimal.")] = None
    account: Annotated[str | None, typer.Option(help="The ledger account to charge. Default: from the file's name.")] = None
    method: Annotated[str | None, typer.Option(help="baseline, binary (default), window, checkpoints; lis also: hierarchy.")] = (
        None
    )
    window: Annotated[int | None, typer.Option(help="W: answer for the last W events (methods window and binary).")] = None
    checkpoints: Annotated[int | None, typer.Option(help="R: how many times to answer (method checkpoints).")] = None


class Events:
    """How events are read."""

    column: Annotated[str | None, typer.Option(help="The field of a CSV or JSON Lines event.")] = None
    format: Annotated[str | None, typer.Option(help="lines, csv, tsv or jsonl, when the name does not say it.")] = None
    delimiter: Delimiter = None
    header: Header = True


class Going:
    """How the run goes, and goes on."""

    state: Annotated[
        Path | None, typer.Option(help="A file to go on from after a stop or a crash. INTERNAL: holds raw events.")
    ] = None
    from_start: Annotated[
        bool | None,
        typer.Option(
            "--from-start/--continued",
            help="With an existing state: does the input begin with the first event, or go on? Files do, stdin goes on.",
        ),
    ] = None
    reprint: Annotated[
        bool, typer.Option("--reprint", help="First print the answers given before once more; they are the same.")
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show noise and error; read nothing, spend nothing.")] = False
    seed: Annotated[int | None, typer.Option(help="Make an experiment with repeatable noise: NOT private.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per answer.")] = False


@stream_app.command()
@takes(Promised, ..., Events, Going)
def lis(
    buckets: Annotated[int | None, typer.Option(help="b: buckets per layer (method hierarchy).")] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--weak", help="Whether equal events may not follow each other.")
    ] = None,
    **given: Any,
) -> None:
    """The length of the longest increasing subsequence so far, or of the last --window events.

    Example: seqveil stream lis power.csv --column watts --length 100000 --epsilon 1 --state power.state
    """
    _stream("lis", {"buckets": buckets, "strict": strict}, given)


@stream_app.command()
@takes(Promised, ..., Events, Going)
def count(
    where: Annotated[str | None, typer.Option(help="Which events count: '>= 5', '= home', '!= 0', 'in a,b,c'.")] = None,
    **given: Any,
) -> None:
    """How many events so far, or among the last --window, satisfy --where.

    Example: tail -f door.log | seqveil stream count --where '= open' --length 100000 --epsilon 1 --account door
    """
    _stream("count", {"where": where}, given)


@stream_app.command("sum")
@takes(Promised, ..., Events, Going)
def sum_(
    lower: Annotated[str | None, typer.Option(help="Events below it count as it.")] = None,
    upper: Annotated[str | None, typer.Option(help="Events above it count as it.")] = None,
    resolution: Annotated[str | None, typer.Option(help="Events are rounded to multiples of it. Default: 1.")] = None,
    **given: Any,
) -> None:
    """The sum of events so far, or of the last --window; each event is cut to --lower..--upper.

    Example: seqveil stream sum power.csv --column watts --lower 0 --upper 5000 --resolution 10 --length 100000 --epsilon 1
    """
    _stream("sum", {"lower": lower, "upper": upper, "resolution": resolution}, given)


def _stream(statistic: str, own: dict[str, Any], given: dict[str, Any]) -> None:
    from seqveil.cli.streaming import answer_all, show_plan

    shared = {name: given[name] for name in ("method", "length", "window", "checkpoints")}
    asked = {"statistic": statistic, **{name: value for name, value in {**own, **shared}.items() if value is not None}}
    show_plan(asked, given) if given["dry_run"] else answer_all(asked, given)
