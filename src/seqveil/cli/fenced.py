"""`seqveil fenced`: methods that are NOT differentially private. They charge no ledger, and say what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.route import route
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError
from seqveil.numbers import shown, whole

fenced_app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Methods that are NOT differentially private, for data holders who must publish real records.",
    epilog="Example: seqveil fenced suppress visits.csv --user card --time hour --item ward --sensitive diagnosis "
    "--values HIV,Hepatitis --k 30 --c 0.6 --l 3 --out suppressed/",
)


@fenced_app.callback()
def fenced() -> None:
    """Methods that are NOT differentially private, for data holders who must publish real records."""


@fenced_app.command()
def suppress(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Event log: .csv with one row per person, location and time.")],
    user: Annotated[str, typer.Option(help="Column with the person.")],
    time: Annotated[str, typer.Option(help="Column with the time: a number, or like 2026-10-31T08:00:00.")],
    item: Annotated[str, typer.Option(help="Column with the location.")],
    sensitive: Annotated[list[str], typer.Option(help="Column with a sensitive value of the person; repeat for more columns.")],
    values: Annotated[list[str], typer.Option(help="Values of it that are sensitive, e.g. HIV,Hepatitis; once per column.")],
    k: Annotated[int, typer.Option(help="K: number of records that must share what an adversary may know.")],
    c: Annotated[
        list[str],
        typer.Option(
            help="C: highest confidence with which a sensitive value can be inferred, from 0 to 1; once, or per column."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Output folder; must not exist.")],
    l: Annotated[str, typer.Option(help="L: number of a person's points that an adversary may know, or all.")] = "3",  # noqa: E741
    score: Annotated[str, typer.Option(help="What to preserve: instances (points) or mfs (frequent sequences).")] = "instances",
    mfs_support: Annotated[int | None, typer.Option(help="K': minimum support of a frequent sequence (--score mfs).")] = None,
    strategy: Annotated[str, typer.Option(help="local (loses least), thesis (Algorithm 5.3, corrected) or global.")] = "local",
    sort: Annotated[bool, typer.Option("--sort", help="Sort each person's rows by time first.")] = False,
    delimiter: Annotated[str, typer.Option(help="Column separator.")] = ",",
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Suppress points until no L of them single anyone out: (K,C)_L-privacy. NOT differentially private.

    Example: seqveil fenced suppress visits.csv --user card --time hour --item ward --sensitive diagnosis
    --values HIV,Hepatitis --k 30 --c 0.6 --l 3 --out suppressed/
    """
    from seqveil.fenced.suppression.model import KCL

    try:
        points = None if l == "all" else whole(l)
    except ValueError:
        raise CallError(f"L is {shown(l)}: it must be a whole number of at least 1, or all, e.g. --l 3.") from None
    model = KCL.of(k, c, points)
    named = _listed(sensitive, values)
    say(model.badge(named))

    from seqveil.fenced.suppression import files, report
    from seqveil.fenced.suppression.suppress import suppress as suppress_table

    files.refuse_existing(out)
    with progress("suppressing", steps=3, quiet=as_json) as stage:
        stage("reading")
        log = files.read_event_log(
            file,
            user=user,
            time=time,
            item=item,
            sensitive=sensitive,
            values=tuple(named.values()),
            delimiter=delimiter,
            sort=sort,
        )
        stage("removing points")
        codes = set(log.table.codes.ravel().tolist())
        if absent := [value for code, value in enumerate(v for listed in named.values() for v in listed) if code not in codes]:
            say(f"WARNING: no record has the sensitive value {', '.join(absent)} of --values: check its spelling.")
        done = suppress_table(log.table, model, score, mfs_support, strategy)  # type: ignore[arg-type]
        stage("writing")
        facts = report.report_of(done, log, model, score, strategy)
        text = report.text_of(facts)
        files.write_folder(out, files.suppressed_rows(log, done.alive), facts, text, raw_cells)
    if as_json:
        emit({"out": str(out), **facts})
    else:
        for line in text.partition("\n\n")[2].rstrip().split("\n"):
            say(line)
        say(f"Written to {out}: {files.SUPPRESSED}, {files.REPORT}, {files.README}.")


def _listed(sensitive: list[str], values: list[str]) -> dict[str, tuple[str, ...]]:
    """The sensitive values of every column, each once."""
    if len(sensitive) != len(values):
        raise CallError(
            f"--sensitive is given {len(sensitive)} times and --values {len(values)} times: give --values once after each "
            "--sensitive, e.g. --sensitive diagnosis --values HIV,Hepatitis --sensitive fare --values welfare."
        )
    named = [tuple(dict.fromkeys(value.strip() for value in listed.split(",") if value.strip())) for listed in values]
    if not all(named):
        raise CallError("--values names no sensitive value: give at least one, e.g. --values HIV,Hepatitis.")
    if len(set(sensitive)) < len(sensitive):
        raise CallError("--sensitive names a column twice: list all its values after one --values, e.g. --values HIV,Hepatitis.")
    return dict(zip(sensitive, named, strict=True))


fenced_app.command()(route)
