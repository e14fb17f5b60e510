"""Names of a file: for a base as a table over an alphabet, silently; for vectors as they stand, row by row.

`read_names` stands on the release path: once the format is right, nothing that stands in a row is refused or shown, and a row is
a line, so that a quote that is never closed spoils its own row and no other. `stream_names` is for the data holder's own steps,
where a row must keep its number: it reads quoted line ends as CSV means them, and says where a file is broken.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.sources.blocks import MOST_LINE, archive_problems, line_blocks, opened
from seqveil.sources.columns import as_text, is_text_like
from seqveil.sources.delimited import header_names, missing_column, split_cells
from seqveil.sources.formats import formats, infer, suffixes, words
from seqveil.sources.layout import Layout
from seqveil.sources.problems import delimiter_problems
from seqveil.sources.spool import spooled
from seqveil.sources.tally import Tally
from seqveil.surface import parameter
from seqveil.tables.flat import Flat
from seqveil.tables.names import Alphabet
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans

_ROWS = 1 << 17
_LONGEST = 1 << 16
"""So many bytes of a name are read for a base, in silence: a small archive may unpack into a name of any length."""


@dataclass(frozen=True, slots=True)
class _Described:
    """A file of names whose format was found right; nothing of its rows has been read."""

    path: Path
    kind: str
    column: str | None
    user: str | None
    layout: Layout

    @property
    def wanted(self) -> list[str]:
        return [name for name in (self.column, self.user) if name is not None]


def inspect_names(
    path: str | Path,
    column: str | None,
    alphabet: Alphabet,
    *,
    user: str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> tuple[str, Callable[[], SequenceTable]]:
    """How the names will be read, in words, and the function that reads them; or everything that is wrong with the format."""
    file = _described(path, column, user, delimiter, format)
    return words(file.kind, "names"), lambda: _gathered(file, alphabet)


def read_names(
    path: str | Path,
    column: str | None,
    alphabet: Alphabet,
    *,
    user: str | None = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> SequenceTable:
    """Every row's name as a sequence over the alphabet; a name of which nothing is left is an empty sequence.

    Rows without a user, where users are named, and rows that are broken are left out in silence.
    """
    return inspect_names(path, column, alphabet, user=user, delimiter=delimiter, format=format)[1]()


def stream_names(
    path: str | Path, column: str | None, delimiter: str | None = None, rows: int = 1_000_000
) -> Iterator[list[str]]:
    """The names as they stand, in file order, in batches of at most `rows`; a missing one is "".

    Blank lines of a .csv are no rows; every line of a .txt is one. What is wrong with the format is raised at once, what is
    wrong further down when it is reached: this is not the release path.
    """
    file = _described(path, column, None, delimiter)
    return _parquet_batches(file, rows) if file.kind == "parquet" else _batched(_plain_rows(file), rows)


def names_format(path: Path, given: str | None = None) -> str | None:
    """The format of a file of names: as given, or as its name says. None when unknown."""
    return given or infer(path, "names")


def _described(
    given: str | Path, column: str | None, user: str | None, delimiter: str | None, format: str | None = None
) -> _Described:
    path = spooled(given)
    kind = names_format(path, format)
    if kind is None:
        advice = f"names are read from {', '.join(suffixes('names'))}"
        raise InputProblems(str(path), [f"cannot infer the format from the file name: {advice}"])
    if kind not in formats("names"):
        given_format = parameter("format", repr(kind))
        raise InputProblems(str(path), [f"{given_format} is unknown: use one of {', '.join(formats('names'))}"])
    layout = Layout(format=kind, delimiter=delimiter)
    file = _Described(path, kind, column, user, layout)
    problems = _call_problems(file)
    problems += archive_problems(path, begins=layout.begins) or ([] if problems else _column_problems(file))
    if problems:
        raise InputProblems(str(path), problems)
    return file


def _call_problems(file: _Described) -> list[str]:
    if file.kind == "txt":
        given = (("column", file.column), ("user", file.user), ("delimiter", file.layout.delimiter))
        return [
            f"{parameter(name, value)}: a .txt file has one name per line and no columns: leave it out"
            for name, value in given
            if value
        ]
    problems = []
    if file.column is None:
        problems.append(f"no column given for the names: add {parameter('column', 'COLUMN')}")
    elif file.column == file.user:
        both = f"{parameter('column')} and {parameter('user')}"
        problems.append(f"{both} are both {file.column!r}: a name does not identify a user; give two different columns")
    if file.kind == "parquet" and file.layout.delimiter is not None:
        problems.append(f"{parameter('delimiter')} does not apply to a Parquet table: leave it out")
    elif file.layout.delimiter == " ":
        blank = parameter("delimiter", repr(" "))
        problems.append(f"{blank}: names contain blanks, so blanks cannot separate columns: use another character")
    else:
        problems += delimiter_problems(file.layout)
    return problems


def _column_problems(file: _Described) -> list[str]:
    """Columns that are missing, doubled or of a type that has no spelling."""
    if file.kind == "txt":
        return []
    if file.kind == "parquet":
        if file.path.suffix == ".gz":
            return ["is a gzip archive, but Parquet files are compressed internally: unpack it first"]
        try:
            schema = pq.read_schema(file.path)
        except (pa.ArrowException, OSError):
            return ["is not a Parquet file, or is truncated: copy it again"]
        problems = _name_problems(file, schema.names, sure=True)
        kinds = {} if problems else {name: schema.field(name).type for name in file.wanted}
        return problems + [
            f"column {n!r} holds {kind}: give a column of text" for n, kind in kinds.items() if not is_text_like(kind)
        ]
    try:
        names = header_names(file.path, file.layout)
    except (UnicodeDecodeError, csv.Error, StopIteration):
        return ["line 1 (the header) cannot be read: save the file as UTF-8, with one name per column in line 1"]
    return _name_problems(file, names, sure=any(name in names for name in file.wanted))


def _name_problems(file: _Described, names: list[str], sure: bool) -> list[str]:
    """`sure`: line 1 is a header. Of what may be somebody's row nothing is shown."""
    problems = []
    for role, name in (("column", file.column), ("user", file.user)):
        if name is not None and name not in names:
            advice = f"check its spelling and {parameter('delimiter')}"
            unsure = f"has no column {name!r} ({parameter(role)}): {advice}"
            problems.append(missing_column(role, name, names) if sure else unsure)
        elif name is not None and names.count(name) > 1:
            problems.append(f"has the column {name!r} {names.count(name)} times: rename all but one")
    return problems


def _gathered(file: _Described, alphabet: Alphabet) -> SequenceTable:
    people = Numbering()
    parts = [Flat.of([])]
    owners: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for names, users in _silent_rows(file):
        pieces = [alphabet.encode(_texts(piece)) for piece in _pieces(names)]
        if users is not None:
            owner = people.number(users).astype(np.int64)
            pieces = [_joined(pieces).take(owner >= 0)]
            owners.append(owner[owner >= 0])
        parts += pieces
    return SequenceTable(alphabet.domain, _joined(parts), None if file.user is None else np.concatenate(owners))


def _joined(parts: list[Flat]) -> Flat:
    lengths = np.concatenate([part.lengths for part in parts])
    return Flat(np.concatenate([part.items for part in parts]), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def _pieces(names: Spans) -> Iterator[Spans]:
    """Names that are cut at _LONGEST, a few at a time: as Python's texts they take many times their bytes."""
    ends = np.minimum(names.ends, names.starts + _LONGEST)
    for at in range(0, max(1, len(ends)), _ROWS):
        starts, stops = names.starts[at : at + _ROWS], ends[at : at + _ROWS]
        low, high = (int(starts.min()), int(stops.max())) if len(starts) else (0, 0)
        yield Spans(names.data[low:high], starts - low, stops - low)


def _silent_rows(file: _Described) -> Iterator[tuple[Spans, Spans | None]]:
    """Names and, where a column of users was named, who owns them."""
    if file.kind == "parquet":
        for batch in _record_batches(file, _ROWS):
            yield as_text(batch.column(file.column)), as_text(batch.column(file.user)) if file.user else None
        return
    if file.kind == "txt":
        for block in line_blocks(file.path):
            ends = np.flatnonzero(block == 10)
            yield Spans(block, np.append(0, ends[:-1] + 1), ends), None
        return
    names = header_names(file.path, file.layout)
    columns = sorted(names.index(name) for name in file.wanted)
    place = np.full(columns[-1] + 1, -1, np.int64)
    place[columns] = np.arange(len(columns))
    for number, block in enumerate(line_blocks(file.path)):
        body = block[int(np.argmax(block == 10)) + 1 :] if number == 0 else block
        if len(body):
            cells = split_cells(body, file.layout.separator, place, len(columns), Tally())
            spans = [cells[columns.index(names.index(name))] for name in file.wanted]
            yield spans[0], spans[1] if file.user else None


def _texts(spans: Spans) -> list[str]:
    """Spans as texts; bytes that are no UTF-8 become replacement characters."""
    body = spans.data.tobytes()
    return [body[a:b].decode("utf-8", "replace") for a, b in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)]


def _record_batches(file: _Described, rows: int) -> Iterator[Any]:
    try:
        with pq.ParquetFile(file.path) as table:
            yield from (batch for batch in table.iter_batches(batch_size=rows, columns=file.wanted) if len(batch))
    except (pa.ArrowException, OSError):
        raise InputProblems(str(file.path), ["is a damaged Parquet file: copy it again"]) from None


def _parquet_batches(file: _Described, rows: int) -> Iterator[list[str]]:
    for batch in _record_batches(file, rows):
        yield _texts(as_text(batch.column(file.column)))


def _batched(names: Iterator[str], rows: int) -> Iterator[list[str]]:
    while batch := list(islice(names, rows)):
        yield batch


def _plain_rows(file: _Described) -> Iterator[str]:
    lines = _lines(file.path)
    if file.kind == "txt":
        yield from (line.rstrip("\r\n") for line in lines)
        return
    # A carriage return inside a row is data like any other, but the csv module would take it for a broken line end.
    rows = (line.rstrip("\r\n").replace("\r", " ") + "\n" if "\r" in line else line for line in lines)
    # Strict, else a quote that is never closed makes one name of all that follows, and nobody is told.
    reader = csv.reader(rows, delimiter=chr(file.layout.separator), strict=True)
    line = 1
    try:
        at = [name.strip() for name in next(reader, [])].index(file.column or "")
        line = reader.line_num + 1
        for row in reader:
            if row:
                yield row[at] if at < len(row) else ""
            line = reader.line_num + 1
    except (csv.Error, ValueError):
        advice = "cannot be read as a table: check its quotes and line endings, or save the file as Parquet"
        raise InputProblems(str(file.path), [f"line {line:,} {advice}"]) from None


def _lines(path: Path) -> Iterator[str]:
    """Lines with their ends, none longer than MOST_LINE: a small archive may unpack into one line of any length."""
    try:
        with opened(path) as packed, io.TextIOWrapper(packed, encoding="utf-8-sig", errors="replace", newline="\n") as file:
            number = 0
            while line := file.readline(MOST_LINE):
                number += 1
                if len(line) == MOST_LINE:
                    raise InputProblems(str(path), [f"line {number:,} is longer than {MOST_LINE:,} characters: check the file"])
                yield line
    except (EOFError, OSError):
        raise InputProblems(str(path), ["cannot be read to its end: copy it again"]) from None
