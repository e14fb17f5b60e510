"""Labels in a column of a table: `stations.csv:station`. The file is public, so what is wrong with it may be quoted."""

from __future__ import annotations

import csv
import io
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from seqveil.errors import InputProblems
from seqveil.surface import parameter
from seqveil.tables.labels import body_of, checked_labels

_SEPARATORS = {".csv": ",;", ".tsv": "\t", ".tab": "\t"}


def split_column(text: str) -> tuple[Path, str] | None:
    """The file and the column of what people type; None where it names no column of an existing file.

    >>> split_column("nowhere.csv:station") is None
    True
    """
    name, colon, column = text.rpartition(":")
    try:
        return (Path(name), column) if colon and name and column and Path(name).is_file() else None
    except (OSError, ValueError):
        return None


def refuse_table(path: Path) -> None:
    """Refuse a file that is a table by its name and has several columns by its first line: a line of it is no label."""
    if _suffix(path) not in _SEPARATORS:
        return
    source = f"the domain {path}"
    columns = _columns(source, path, body_of(path, source, MOST_HEADER))[0]
    if len(columns) > 1:
        advice = parameter("domain", f"{path}:{columns[-1]}")
        raise InputProblems(
            source,
            [f"has {len(columns):,} columns ({', '.join(columns[:20])}): name the one with the labels, for example {advice}"],
        )


MOST_HEADER = 1 << 20


def labels_of_column(path: Path, column: str) -> Any:
    """The labels in a column of a table with a header, as an Arrow array; every problem at once."""
    source = f"the domain {path}"
    names, rows = _columns(source, path, body_of(path, source))
    if column not in names:
        near = get_close_matches(column, names, 1, 0.6)
        use = f"did you mean {near[0]}?" if near else f"use one of {', '.join(names[:20])}"
        raise InputProblems(source, [f"has no column {column!r}: {use}"])
    if names.count(column) > 1:
        raise InputProblems(source, [f"has the column {column!r} more than once: rename all but one"])
    at = names.index(column)
    return checked_labels(source, "row", [row[at].strip() if at < len(row) else "" for row in rows])


def _suffix(path: Path) -> str:
    name = Path(path.name.lower().removesuffix(".gz"))
    return name.suffix


def _columns(source: str, path: Path, body: bytes) -> tuple[list[str], list[list[str]]]:
    """The names in line 1, and the rows below that are not blank."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputProblems(source, ["is not UTF-8: save the file as UTF-8"]) from None
    line = text.partition("\n")[0]
    separators = _SEPARATORS.get(_suffix(path), ",;\t")
    separator = next((one for one in separators if one in line), separators[0])
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    except csv.Error:
        raise InputProblems(source, ["cannot be split into columns: check its quotes"]) from None
    names = [name.strip() for name in rows[0]] if rows else []
    return names, rows[1:]
