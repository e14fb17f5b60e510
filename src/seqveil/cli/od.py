"""`seqveil od`: origins and destinations, which are the first and last labels of records, as a table with error bars."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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

MOST_PAIRS = 10_000
"""Up to so many pairs of labels, all of them are listed, also those about which the release says nothing."""

MOST_COLUMNS = 15
"""A square table of more labels does not fit a terminal."""


def od(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    top: Annotated[int, typer.Option(min=1, help="How many of the most frequent pairs to show.")] = 20,
    out: Annotated[Path | None, typer.Option(help="Write all pairs to this .csv or .tsv file instead.")] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="A square table: a row for each origin, a column for each destination.")
    ] = False,
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

    With --steps it is the directly-follows table: how often one label comes right after another. A domain of up to 100 labels
    is listed with all its pairs; of a larger one, pairs that the release does not have are left out.

    Example: seqveil od release/ --out od.csv

    Example: seqveil od release/ --matrix --out matrix.csv
    """
    from seqveil.release import load
    from seqveil.release.coverage import bounds, coverage
    from seqveil.release.ofrecords import OfRecords
    from seqveil.release.saved import marked

    opened = load(release)
    if not isinstance(opened, OfRecords) or "od" not in opened.asked:
        raise CallError(f"{release} holds {opened.description} and no pairs of first and last labels: leave od out.")
    private, size = opened.manifest.private, len(opened.domain)
    if matrix and by != "label":
        raise CallError("--matrix is a table of labels: leave out --by.")
    listed, about = _pairs(opened, steps, by)
    pairs = [_whole(row) for row in listed]
    if out is not None:
        if out.suffix not in _DELIMITERS:
            raise CallError(f"--out {out.name}: unknown file ending: use {' or '.join(_DELIMITERS)}.")
        out = out if "EXPERIMENT" in out.name else out.with_name(marked(out.name, private))
        refuse_taken(out, "give another name with --out")
    if matrix and size**2 > MOST_PAIRS:
        raise CallError(f"--matrix is for at most {math.isqrt(MOST_PAIRS)} labels, and the domain has {size:,}: leave it out.")
    if matrix and (as_json or (out is None and size > MOST_COLUMNS)):
        raise CallError("--matrix writes a table this wide to a file: add --out matrix.csv, and leave out --json.")
    if not private and not as_json:
        banner("EXPERIMENT")
    columns = (*(_STEPS if steps else _ENDS), *_NUMBERS)
    result = {
        "release": opened.manifest.release, "private": private, "about": about, "coverage": coverage(opened.manifest),
        "pairs": len(pairs),
    }  # fmt: skip
    grid = _matrix(pairs, opened.domain.labels(range(size)), "from" if steps else "first") if matrix else []
    if out is not None:
        lines: list[list[Any]] = grid
        if not matrix:
            covers = bounds(opened.manifest)
            rows = [[*r["pattern"], r["value"], r["low"], r["high"], r["kind"], covers] for r in pairs]
            lines = [[*columns, "covers"], *rows]
        write_whole(out, _file(lines, _DELIMITERS[out.suffix], raw_cells), overwrite=False)
        return emit({**result, "out": str(out)}) if as_json else say(f"{len(pairs):,} pairs written to {out}.")
    if as_json:
        return emit({**result, "top": pairs[:top]})
    if matrix:
        table(grid[0], [[to_text([row[0]]), *(f"{n:,}" if isinstance(n, int) else "-" for n in row[1:])] for row in grid[1:]])
    else:
        table(columns, [_row(row) for row in pairs[:top]])
    say(f"Counts are {about};")
    say("low to high covers the true count with probability 95 % or more; an estimate has no error bound.")
    if sentence := coverage(opened.manifest):
        say(sentence)
    if len(pairs) > top and not matrix:
        for_all = command(
            "od", release, *(["--steps"] if steps else []), *(["--by", by] if by != "label" else []), "--out", "od.csv"
        )
        say(f"{top:,} of {len(pairs):,} pairs are shown. For all: {for_all}")
    if by == "label" and opened.domain.calendar is not None:
        say(f"These are places at times. For places at any time: {command('od', release, '--by', 'place')}")
    return None


def _whole(row: Ranking) -> Ranking:
    """Counts are whole: what is printed, written and passed on is the same number."""
    return row if row["value"] is None else {**row, "value": round(row["value"])}


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
    if steps:
        return release.directly_follows(), release.about_steps
    small = len(release.domain) ** 2 <= MOST_PAIRS
    return release.every_pair() if small else release.od(), release.about_pairs


def _row(row: Ranking) -> list[str]:
    numbers = [f"{number:,}" if number is not None else "-" for number in (row["value"], row["low"], row["high"])]
    return [*(to_text([label]) for label in row["pattern"]), *numbers, row["kind"]]


def _matrix(pairs: list[Ranking], labels: list[str], corner: str) -> list[list[Any]]:
    """A row for each origin, a column for each destination; empty where nothing is released.

    >>> pairs = [{"pattern": ["a", "b"], "value": 3, "low": 1, "high": 5, "kind": "count", "about": ""}]
    >>> _matrix(pairs, ["a", "b"], "first")
    [['first', 'a', 'b'], ['a', None, 3], ['b', None, None]]
    """
    counts = {tuple(row["pattern"]): row["value"] for row in pairs}
    return [[corner, *labels], *([first, *(counts.get((first, last)) for last in labels)] for first in labels)]


def _file(rows: Sequence[Sequence[Any]], delimiter: str, raw_cells: bool) -> bytes:
    """Rows as columns; a count that was not measured has no ends. Labels are spelled for spreadsheets."""
    from seqveil.tables.write.cells import neutral

    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([cell if raw_cells or not isinstance(cell, str) else neutral(cell) for cell in row] for row in rows)
    return text.getvalue().encode()
