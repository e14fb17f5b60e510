"""EventStream: the data holder's events as they arrive, one per line. Raw: it never crosses the wall.

A line that holds no usable event is a null event: it keeps its place, so that nothing tells that it was there.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from seqveil.errors import InputProblems
from seqveil.tables.read.source import MOST_LINE, archive_problems

FORMATS = ("lines", "csv", "tsv", "jsonl")
_ENDINGS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_STEP = 1 << 16
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, repr=False)
class EventStream:
    """Where events come from and how a line is read; nothing of it is read before `open`.

    `path` is None for standard input. `column` names the field of a CSV or JSON Lines event, by its number where
    `header` is off. Its repr says nothing that depends on the data.

    >>> EventStream(None)
    EventStream(standard input, lines)
    """

    path: Path | None
    format: str | None = None
    column: str | None = None
    delimiter: str | None = None
    header: bool = True

    @property
    def kind(self) -> str:
        """The format: as given, as the name says, or csv where a column is named."""
        if self.format is not None:
            return self.format
        suffixes = [] if self.path is None else [s for s in self.path.suffixes if s != ".gz"]
        return _ENDINGS.get(suffixes[-1] if suffixes else "", "csv" if self.column is not None else "lines")

    @property
    def flows(self) -> bool:
        """Whether events are gone once read: standard input, a named pipe, a device."""
        return self.path is None or (self.path.exists() and not self.path.is_file() and not self.path.is_dir())

    @property
    def headed(self) -> bool:
        """Whether line 1 is declared to name the columns."""
        return self.kind in ("csv", "tsv") and self.header

    @property
    def name(self) -> str:
        return "standard input" if self.path is None else str(self.path)

    def __repr__(self) -> str:
        return f"EventStream({self.name}, {self.kind})"

    def problems(self) -> list[str]:
        """What is wrong with the call and the file as a container."""
        found = []
        if self.kind not in FORMATS:
            found.append(f"--format {self.kind!r} is unknown: write one of {', '.join(FORMATS)}")
        if self.kind == "lines" and self.column is not None:
            found.append("--column needs --format csv, tsv or jsonl")
        if self.kind in ("csv", "tsv") and self.column is None:
            found.append("which column holds the events? Add --column NAME (or its number with --no-header)")
        if self.delimiter is not None and len(self.delimiter) != 1:
            found.append(f"--delimiter {self.delimiter!r}: give one character")
        if self.path is not None and not self.flows:
            found += archive_problems(self.path, begins="header" if self.headed else "record")
        return found

    def open(self) -> Iterator[list[object]]:
        """Batches of events, each as soon as it is there. The header, where there is one, is read and checked right now."""
        if problems := self.problems():
            raise InputProblems(self.name, problems)
        lines = _lines(self._chunks())
        pick = self._pick(lines)
        return ([pick(line) for line in batch] for batch in lines)

    def _chunks(self) -> Iterator[bytes]:
        if self.path is None:
            while chunk := os.read(0, _STEP):
                yield chunk
            return
        with _opened(self.path) as file:
            while chunk := file.read(_STEP):
                yield chunk

    def _pick(self, lines: Iterator[list[str]]) -> Callable[[str], object]:
        """How an event is picked out of a line; takes the header from the lines where there is one."""
        if self.kind == "lines":
            return _bare
        if self.kind == "jsonl":
            return _member(self.column)
        delimiter = self.delimiter or ("\t" if self.kind == "tsv" else ",")
        if not self.header:
            return _field(self._numbered(), delimiter)
        names = _header(_first(lines), delimiter)
        if self.column not in names:  # line 1 may be somebody's event: no word of it is shown
            advice = "check its spelling and --delimiter, or, without a header, add --no-header and give the column's number"
            raise InputProblems(self.name, [f"--column {self.column!r} is not in the header, line 1: {advice}"])
        return _field(names.index(self.column), delimiter)

    def _numbered(self) -> int:
        if self.column is None or not self.column.isdecimal() or not 1 <= int(self.column[:9]) <= 100_000:
            raise InputProblems(self.name, [f"--column {self.column!r}: without a header give a number, 1 for the first"])
        return int(self.column[:9]) - 1


class _lines(Iterator[list[str]]):
    """Whole lines, in batches as they arrive; `push` gives some back. What a line has beyond MOST_LINE is left out."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest, self._size, self._back = chunks, list[bytes](), 0, list[list[str]]()

    def push(self, batch: list[str]) -> None:
        if batch:
            self._back.append(batch)

    def __next__(self) -> list[str]:
        if self._back:
            return self._back.pop()
        for chunk in self._chunks:
            first, *whole = chunk.split(b"\n")
            self._begin(first)
            if whole:
                lines = [b"".join(self._rest), *whole[:-1]]
                self._rest, self._size = [], 0
                self._begin(whole[-1])
                return [_text(line) for line in lines]
        if self._rest:
            last, self._rest = b"".join(self._rest), []
            return [_text(last)]
        raise StopIteration

    def _begin(self, part: bytes) -> None:
        """More of a line whose end has not come."""
        part = part[: MOST_LINE - self._size]
        self._size += len(part)
        if part:
            self._rest.append(part)


def _first(lines: Iterator[list[str]]) -> str:
    batch = next(lines, [""])
    if isinstance(lines, _lines):
        lines.push(batch[1:])
    return batch[0]


def _header(line: str, delimiter: str) -> list[str]:
    try:
        return _split(line, delimiter)
    except csv.Error:
        return []


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb", buffering=0)  # type: ignore[return-value]


def _text(line: bytes) -> str:
    """A line as text; a byte order mark at its beginning does not count, on line 1 no less than on any other."""
    return line.removeprefix(_BOM).rstrip(b"\r").decode("utf-8", "replace")


def _bare(line: str) -> object:
    return line.strip() or None


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _field(index: int, delimiter: str) -> Callable[[str], object]:
    def pick(line: str) -> object:
        try:
            fields = line.split(delimiter) if '"' not in line else _split(line, delimiter)
        except csv.Error:
            return None
        return (fields[index].strip() or None) if index < len(fields) else None

    return pick


def _member(column: str | None) -> Callable[[str], object]:
    def pick(line: str) -> object:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return None
        found = event if column is None else event.get(column) if isinstance(event, dict) else None
        return found if isinstance(found, str | int | float) else None

    return pick
