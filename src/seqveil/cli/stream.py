"""`seqveil stream`: differentially private counts, sums, matches, bursts and trends while events arrive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.groups import takes
from seqveil.cli.options import Delta
from seqveil.cli.reading import Delimiter, Header

stream_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Publish statistics while events arrive: reads one event per line, prints one line per answer: position, answer, and "
    "both ends of its 95 % error bar, with tabs between.",
    epilog="Example: seqveil stream count meter.log --where '>= 5' --length 100000 --epsilon 1. In a pipe: tail -f meter.log | …",
)


class Guarantee:
    """Statistic and guarantee."""

    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Events, one per line: text, .csv, .tsv, .jsonl, also .gz. Default: stdin."),
    ] = None
    length: Annotated[
        int | None, typer.Option(help="T: maximum number of events; public. Counts, sums, windows: may be left out.")
    ] = None
    epsilon: Annotated[str | None, typer.Option(help="Privacy budget of the whole stream, as a decimal.")] = None
    delta: Delta = None
    account: Annotated[str | None, typer.Option(help="Ledger account to charge. Default: from the file name.")] = None
    method: Annotated[
        str | None,
        typer.Option(
            help="blocks (not for lis), binary, baseline, window, checkpoints; lis also: hierarchy; count and sum with --delta: "
            "sqrt. Default: blocks; matches and bursts: binary; lis: checkpoints; counts and sums with --delta: sqrt."
        ),
    ] = None
    window: Annotated[int | None, typer.Option(help="W: answer for the last W events (methods blocks, binary and window).")] = (
        None
    )
    checkpoints: Annotated[int | None, typer.Option(help="R: number of measurements (method checkpoints).")] = None
    spacing: Annotated[str | None, typer.Option(help="Checkpoints are even or quadratic (denser at first).")] = None
    between: Annotated[
        str | None, typer.Option(help="Between checkpoints: hold the last answer, or let it grow (root, linear).")
    ] = None


class Units:
    """Unit of privacy, if not one event."""

    consecutive: Annotated[int | None, typer.Option(help="Protect any run of so many consecutive events.")] = None
    max_per_day: Annotated[
        int | None, typer.Option(help="Protect one user on one day: use so many of their events of a day. With --user and --day.")
    ] = None
    user: Annotated[str | None, typer.Option(help="Column or field with the user, for --max-per-day.")] = None
    day: Annotated[str | None, typer.Option(help="Column or field with the day, or a time that begins with it: 2026-11-18.")] = (
        None
    )


class Blocks:
    """Blocks (method blocks)."""

    every: Annotated[
        int | None, typer.Option(help="Answer after every so many events only: less noise. Also for method sqrt.")
    ] = None
    overlap: Annotated[int | None, typer.Option(help="d: blocks that one event lies in, at most. Default: from --length.")] = None
    arity: Annotated[int | None, typer.Option(help="k: blocks of a window have 1, k, k², … events. Default: from --window.")] = (
        None
    )


class Events:
    """Input format."""

    column: Annotated[str | None, typer.Option(help="Column or field with the event (CSV, TSV, JSON Lines).")] = None
    format: Annotated[str | None, typer.Option(help="Input format, if not from the file name: lines, csv, tsv or jsonl.")] = None
    delimiter: Delimiter = None
    header: Header = True


class Running:
    """Run options."""

    state: Annotated[
        Path | None, typer.Option(help="State file to resume from after a stop or a crash. INTERNAL: contains raw events.")
    ] = None
    from_start: Annotated[
        bool | None,
        typer.Option(
            "--from-start/--continued",
            help="With an existing state: the input starts at the first event (as files do) or continues (as stdin does).",
        ),
    ] = None
    reprint: Annotated[bool, typer.Option("--reprint", help="Print the earlier answers again first, unchanged.")] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show noise and error bounds; read nothing, spend nothing.")] = False
    seed: Annotated[int | None, typer.Option(help="Run an experiment with repeatable noise: NOT private.")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per answer.")] = False


@stream_app.command()
@takes(Guarantee, ..., Units, Events, Running)
def lis(
    buckets: Annotated[int | None, typer.Option(help="b: buckets per layer (method hierarchy).")] = None,
    strict: Annotated[
        bool | None, typer.Option("--strict/--weak", help="Count strictly increasing (or non-decreasing) subsequences.")
    ] = None,
    **options: Any,
) -> None:
    """Length of the longest increasing subsequence of all events until now, or of the last --window.

    Example: seqveil stream lis power.csv --column watts --length 100000 --epsilon 1 --state power.state
    """
    _stream("lis", {"buckets": buckets, "strict": strict}, options)


@stream_app.command()
@takes(Guarantee, ..., Blocks, Units, Events, Running)
def count(
    where: Annotated[str | None, typer.Option(help="Condition on events to count: '>= 5', '= home', '!= 0', 'in a,b,c'.")] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Count events per label of this public list: 'home,work,shop', or @FILE with one label per line."),
    ] = None,
    **options: Any,
) -> None:
    """Number of events that satisfy --where: of all events until now, or of the last --window. With --by, per label.

    Example: tail -f door.log | seqveil stream count --where '= open' --length 100000 --epsilon 1 --account door
    """
    if by is None:
        return _stream("count", {"where": where}, options)
    from seqveil.cli.streaming import labels

    _stream("counts", {"by": labels(by, where)}, options)


@stream_app.command("sum")
@takes(Guarantee, ..., Blocks, Units, Events, Running)
def sum_(
    lower: Annotated[str | None, typer.Option(help="Lower bound; smaller events are raised to it.")] = None,
    upper: Annotated[str | None, typer.Option(help="Upper bound; larger events are cut to it.")] = None,
    resolution: Annotated[str | None, typer.Option(help="Events are rounded to multiples of this. Default: 1.")] = None,
    **options: Any,
) -> None:
    """Sum of all events until now, or of the last --window; each event is clamped to --lower..--upper.

    Example: seqveil stream sum power.csv --column watts --lower 0 --upper 5000 --resolution 10 --length 100000 --epsilon 1
    """
    _stream("sum", {"lower": lower, "upper": upper, "resolution": resolution}, options)


@stream_app.command()
@takes(Guarantee, ..., Blocks, Units, Events, Running)
def matches(
    pattern: Annotated[
        str | None, typer.Option(help="Labels of consecutive events, with blanks between: 'open fail fail'.")
    ] = None,
    edits: Annotated[
        int | None, typer.Option(help="Events that may be inserted, missing or different in a match. Default: 0.")
    ] = None,
    **options: Any,
) -> None:
    """Number of matches of --pattern that share no event: in all events until now, or in the last --window.

    Example: tail -f door.log | seqveil stream matches --pattern 'open fail fail' --length 100000 --epsilon 1 --account door
    """
    _stream("matches", {"pattern": pattern, "edits": edits}, options)


@stream_app.command()
@takes(Guarantee, ..., Blocks, Units, Events, Running)
def bursts(
    where: Annotated[str | None, typer.Option(help="Condition on events: '>= 5', '= home', '!= 0', 'in a,b,c'.")] = None,
    at_least: Annotated[int | None, typer.Option(help="Events that satisfy --where, in one burst.")] = None,
    within: Annotated[int | None, typer.Option(help="Most events from the first to the last of a burst.")] = None,
    **options: Any,
) -> None:
    """Number of bursts that share no event: --at-least events that satisfy --where, among --within consecutive events.

    Example: seqveil stream bursts power.csv --column watts --where '> 100' --at-least 5 --within 24 --length 100000 --epsilon 1
    """
    _stream("bursts", {"where": where, "at_least": at_least, "within": within}, options)


def _stream(statistic: str, own: dict[str, Any], options: dict[str, Any]) -> None:
    from seqveil.cli.streaming import answer_all, show_plan

    sizes = ("method", "length", "window", "checkpoints", "spacing", "between", "every", "overlap", "arity")
    shared = {name: options.get(name) for name in (*sizes, "consecutive", "max_per_day")}
    asked = {"statistic": statistic, **{name: value for name, value in {**own, **shared}.items() if value is not None}}
    show_plan(asked, options) if options["dry_run"] else answer_all(asked, options)
