"""`seqveil od`: origins and destinations, which are the first and last labels of records, as a table with error bars."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from seqveil.cli.console import Json, banner, command, emit, say, table
from seqveil.cli.writing import RawCells
from seqveil.errors import CallError
from seqveil.notation import to_text
from seqveil.whole import refuse_taken, write_whole

if TYPE_CHECKING:
    from seqveil.release.answers import Ranking
    from seqveil.release.ofrecords import OfRecords

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_ENDS, _STEPS, _NUMBERS = ("first", "last"), ("from", "to"), ("count", "low", "high", "kind")


def od(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    top: Annotated[int, typer.Option(min=1, help="How many of the most frequent pairs to show.")] = 20,
    out: Annotated[Path | None, typer.Option(help="Write all pairs to this .csv or .tsv file instead.")] = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Count steps instead: how often one label comes right after another.")
    ] = False,
    by: Annotated[
        Literal["label", "place"], typer.Option(help="With time bins: pairs of places at times, or of places at any time.")
    ] = "label",
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Show how many records begin with one label and end with another, with 95 % confidence intervals where measured.

    With --steps it is the directly-follows table: how often one label comes right after another.

    Example: seqveil od release/ --out od.csv
    """
    from seqveil.release import load
    from seqveil.release.ofrecords import OfRecords
    from seqveil.release.saved import marked

    opened = load(release)
    if not isinstance(opened, OfRecords) or "od" not in opened.asked:
        raise CallError(f"{release} holds {opened.description} and no pairs of first and last labels: leave od out.")
    pairs, about = _pairs(opened, steps, by)
    private = opened.manifest.private
    if out is not None:
        if out.suffix not in _DELIMITERS:
            raise CallError(f"--out {out.name}: unknown file ending: use {' or '.join(_DELIMITERS)}.")
        out = out if "EXPERIMENT" in out.name else out.with_name(marked(out.name, private))
        refuse_taken(out, "give another name with --out")
    if not private and not as_json:
        banner("EXPERIMENT")
    columns = (*(_STEPS if steps else _ENDS), *_NUMBERS)
    result = {"release": opened.manifest.release, "private": private, "about": about, "pairs": len(pairs)}
    if out is not None:
        write_whole(out, _file(columns, pairs, _DELIMITERS[out.suffix], raw_cells), overwrite=False)
        return emit({**result, "out": str(out)}) if as_json else say(f"{len(pairs):,} pairs written to {out}.")
    if as_json:
        return emit({**result, "top": pairs[:top]})
    table(columns, [_row(row) for row in pairs[:top]])
    say(f"Counts are {about};")
    say("low to high covers the true count with probability 95 % or more; an estimate has no error bound.")
    if len(pairs) > top:
        for_all = command(
            "od", release, *(["--steps"] if steps else []), *(["--by", by] if by != "label" else []), "--out", "od.csv"
        )
        say(f"{top:,} of {len(pairs):,} pairs are shown. For all: {for_all}")
    if by == "label" and opened.domain.calendar is not None:
        say(f"These are places at times. For places at any time: {command('od', release, '--by', 'place')}")
    return None


def _pairs(release: OfRecords, steps: bool, by: str) -> tuple[list[Ranking], str]:
    """The pairs that are asked for, best first, and what their counts are."""
    from seqveil.release.sequenced import SequenceRelease

    if not isinstance(release, SequenceRelease):
        if steps or by == "place":
            raise CallError(f"{'--steps' if steps else '--by place'}: the release has no synthetic records: leave it out.")
        return release.od(), release.about_pairs
    if by == "place":
        pairs = release.steps_of_places() if steps else release.od_of_places()
        about = release.about_steps if steps else release.about_pairs
        return pairs, f"{about}, at any time"
    return (release.directly_follows(), release.about_steps) if steps else (release.od(), release.about_pairs)


def _row(row: Ranking) -> list[str]:
    ends = [f"{end:,}" if end is not None else "-" for end in (row["low"], row["high"])]
    return [*(to_text([label]) for label in row["pattern"]), f"{round(row['value'] or 0):,}", *ends, row["kind"]]


def _file(columns: Sequence[str], pairs: list[Ranking], delimiter: str, raw_cells: bool) -> bytes:
    """The pairs as columns; a count that was not measured has no ends. Labels are spelled for spreadsheets."""
    from seqveil.tables.write.cells import neutral

    spelled = str if raw_cells else neutral
    text = io.StringIO()
    rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows([*map(spelled, r["pattern"]), r["value"], r["low"], r["high"], r["kind"]] for r in pairs)
    return text.getvalue().encode()
