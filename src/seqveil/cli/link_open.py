"""`seqveil link open`: a data holder looks up its own side of the pairs. NOT differentially private."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seqveil.cli.console import Json, emit, progress, say
from seqveil.cli.link_base import Column, NamesFile
from seqveil.cli.link_embed import ROWS
from seqveil.cli.ordering import Collected
from seqveil.cli.reading import Delimiter
from seqveil.cli.writing import RawCells
from seqveil.errors import InputProblems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seqveil.link.key import Seen


def open_(
    file: NamesFile,
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="Folder that `link match` wrote.")],
    key: Annotated[Path, typer.Option(help="Key that your `link embed` wrote.")],
    out: Annotated[Path, typer.Option(help="CSV file for pair, row and name; must not exist.")],
    column: Column = None,
    delimiter: Delimiter = None,
    raw_cells: RawCells = False,
    as_json: Json = False,
) -> None:
    """Each data holder: see which of your rows are in a pair. NOT differentially private.

    Pair 17 is the same pair for both data holders; rows with similar names need not be about the same person.

    Example: seqveil link open names.csv pairs/ --column name --key rows-a.key --out shared.csv
    """
    from seqveil.badge import BADGE
    from seqveil.link.key import Key
    from seqveil.link.opening import open_pairs
    from seqveil.link.pairs import Pairs
    from seqveil.link.whole import refuse_existing
    from seqveil.sources.names import stream_names
    from seqveil.whole import INTERNAL, write_whole

    say(f"{BADGE}: the output lists your rows whose names resemble names of the other data holder. Internal, do not share.")
    wrong = Collected()
    wrong.or_else(lambda: refuse_existing(out, "--out"), None)
    matches = wrong.or_else(lambda: Pairs.load(pairs), None)
    own = wrong.or_else(lambda: Key.load(key), None)
    opened = None
    if matches is not None and own is not None:
        opened = wrong.or_else(lambda: open_pairs(matches, own), None)
    names: Iterable[list[str]] = wrong.or_else(lambda: stream_names(file, column, delimiter, ROWS), iter(()))
    if wrong.lines or own is None or opened is None:
        raise InputProblems("", wrong.lines)
    with progress("opening", quiet=as_json) as stage:
        seen, name_of = _names_of(opened.rows, names, stage)
        own.refuse_other_names(seen, str(file))
        write_whole(out, lambda work: _write(work, opened.rows, name_of, raw_cells), mode=INTERNAL)
    facts = {"side": opened.side, "pairs": len(opened.rows), "rows": seen.names, "rows_in_pairs": len(name_of)}
    if as_json:
        return emit({"out": str(out), "private": False, **facts})
    say(f"{out}: {len(opened.rows):,} pairs; {len(name_of):,} of your {seen.names:,} rows are in one. Your side: {opened.side}.")


def _names_of(rows: NDArray[np.int64], batches: Iterable[list[str]], stage: Callable[[str], None]) -> tuple[Seen, dict[int, str]]:
    """What was read, and the names of these rows, batch by batch."""
    import numpy as np

    from seqveil.link.key import Seen

    wanted = np.unique(rows)
    seen = Seen()
    name_of: dict[int, str] = {}
    for batch in batches:
        first = seen.names + 1
        seen.add(batch)
        here = wanted[np.searchsorted(wanted, first) : np.searchsorted(wanted, seen.names, side="right")]
        name_of.update((row, batch[row - first]) for row in here.tolist())
        stage(f"{seen.names:,} names")
    return seen, name_of


def _write(work: Path, rows: NDArray[np.int64], name_of: dict[int, str], raw_cells: bool) -> None:
    import csv

    from seqveil.tables.write.cells import neutral

    spelled = str if raw_cells else neutral
    with work.open("w", encoding="utf-8", newline="") as file:
        file.write("pair,row,name\n")
        writer = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)  # else a carriage return stands bare
        writer.writerows((number, row, spelled(name_of[row])) for number, row in enumerate(rows.tolist(), 1))
