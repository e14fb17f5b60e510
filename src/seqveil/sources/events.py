"""EventStream: the data holder's events as they arrive, one per line. Raw: it never crosses the wall.

A line that holds no usable event is a null event: it keeps its place, so that nothing reveals that it was there.

A stream is charged before its first event, so its input is opened before that, and what can be told without an event is told
then: what has no events to give (folders, devices but terminals, a closed standard input) is refused.
"""

from __future__ import annotations

import csv
import fcntl
import gzip
import json
import os
import re
import select
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from seqveil.errors import InputProblems
from seqveil.sources.blocks import DAMAGED, MOST_LINE, TRUNCATED, archive_problems
from seqveil.sources.formats import formats, infer
from seqveil.sources.spelled_json import spelled_json
from seqveil.sources.spool import REFUSED
from seqveil.surface import parameter

_STEP = 1 << 16
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])")
_BOM = b"\xef\xbb\xbf"
_DEVICE = "is a device: give a file, a pipe or a terminal"
_NOTHING = "ended without an event: the program that writes to it has probably failed. Nothing was spent."
_NO_INPUT = "is closed, or a device: give a file, a pipe or a terminal"
_WRITE_ONLY = "is open for writing only: give a file, a pipe or a terminal"


@dataclass(frozen=True, slots=True, repr=False)
class EventStream:
    """Where events come from and how a line is read; nothing of it is read before `open`.

    `path` is None for standard input. `column` names the field of a CSV or JSON Lines event, by its number where
    `header` is off. With `user` and `day`, the fields that say whose and of which day an event is, events are triples
    (user, day, event). Its repr says nothing that depends on the data.

    >>> EventStream(None)
    EventStream(standard input, lines)
    """

    path: Path | None
    format: str | None = None
    column: str | None = None
    delimiter: str | None = None
    header: bool = True
    user: str | None = None
    day: str | None = None

    @property
    def kind(self) -> str:
        """The format: as given, as the name says, or csv where a column is named."""
        if self.format is not None:
            return self.format
        named = None if self.path is None else infer(self.path, "stream")
        return "csv" if named in (None, "lines") and self.column is not None else named or "lines"

    @property
    def flows(self) -> bool:
        """Whether events are gone once read: standard input, a named pipe, a device."""
        return self.path is None or self._mode not in (None, stat.S_IFREG, stat.S_IFDIR)

    @property
    def _mode(self) -> int | None:
        """What kind of file a path names; None where there is none, or none that may be looked at."""
        try:
            return None if self.path is None else stat.S_IFMT(os.stat(self.path).st_mode)
        except (OSError, ValueError):
            return None

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
        problems = []
        if self.kind not in formats("stream"):
            problems.append(f"{parameter('format', repr(self.kind))} is unknown: use one of {', '.join(formats('stream'))}")
        if self.kind == "lines" and self.user is not None:
            problems.append(
                f"plain lines have no {parameter('user')}: give a CSV or JSON Lines file, or add {parameter('format', 'csv')}"
            )
        if self.kind == "lines" and self.column is not None:
            problems.append(
                f"{parameter('column')} does not apply to plain lines: leave it out, or add {parameter('format', 'csv')}"
            )
        if self.kind in ("csv", "tsv") and self.column is None:
            numbered = f"its number with {parameter('header', 'False')}"
            problems.append(f"no column given for the events: add {parameter('column', 'NAME')}, or {numbered}")
        if self.delimiter is not None and len(self.delimiter) != 1:
            problems.append(f"{parameter('delimiter', repr(self.delimiter))} is not a single character: give one character")
        if self.path is None:
            problems += _unreadable(0)
        elif not self.flows:
            problems += archive_problems(self.path, begins="header" if self.headed else "record")
        elif (kind := self._mode) in (stat.S_IFBLK, stat.S_IFSOCK):  # whether a device is a terminal shows when it is open
            problems.append(REFUSED[kind])
        return problems

    def open(self) -> Iterator[list[object]]:
        """Batches of events, each as soon as it is there. The input is opened right now; a header is read and checked, too."""
        if problems := self.problems():
            raise InputProblems(self.name, problems)
        chunks = self._chunks()
        lines = _lines(chain([next(chunks)], chunks))
        pick = self._pick(lines)
        return ([pick(line) for line in batch] for batch in lines)

    def _chunks(self) -> Iterator[bytes]:
        """The bytes as they arrive. With the first chunk, which may be empty, the input is open and known to be readable."""
        try:
            if self.path is None:
                yield b""
                yield from iter(lambda: _arrived(0), b"")
                return
            with open(self._descriptor(self.path), "rb", buffering=0) as file:
                if self.path.suffix != ".gz":
                    yield b""
                    yield from iter(lambda: _arrived(file.fileno()), b"")
                    return
                with gzip.open(file, "rb") as unpacked:
                    # Nothing could be answered before this much is there, and what is no archive shows right here.
                    first = unpacked.read(_STEP)
                    if self.flows and not first:
                        raise InputProblems(self.name, [_NOTHING])
                    yield first
                    yield from iter(lambda: unpacked.read(_STEP), b"")
        except DAMAGED:
            raise InputProblems(self.name, [TRUNCATED]) from None
        except OSError as error:
            raise InputProblems(self.name, [f"cannot be read ({error.strerror or 'damaged'})"]) from None

    def _descriptor(self, path: Path) -> int:
        """The file, opened. A named pipe waits for its writer; a device does not, for it may turn out to be no terminal."""
        device = self._mode == stat.S_IFCHR
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | (os.O_NONBLOCK if device else 0))
        try:
            if problems := _unreadable(descriptor):
                raise InputProblems(self.name, [_DEVICE if problem == _NO_INPUT else problem for problem in problems])
            os.set_blocking(descriptor, True)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _pick(self, lines: Iterator[list[str]]) -> Callable[[str], object]:
        """How an event is picked out of a line; takes the header from the lines where there is one."""
        if self.kind == "lines":
            return _bare
        names = _header(_first(lines), self._delimiter) if self.headed else []
        event = self._picked("column", names)
        if self.user is None:
            return event
        user, day = self._picked("user", names), self._picked("day", names)
        return lambda line: (user(line), _date(day(line)), event(line))

    @property
    def _delimiter(self) -> str:
        return self.delimiter or ("\t" if self.kind == "tsv" else ",")

    def _picked(self, option: str, names: list[str]) -> Callable[[str], object]:
        """How the field that an option names is picked out of a line."""
        column: str | None = getattr(self, option)
        if self.kind == "jsonl":
            return _member(column, spelled_json if option == "user" else json.loads)
        if not self.header:
            return _field(self._numbered(option), self._delimiter)
        if column not in names:  # line 1 may be somebody's event: no word of it is shown
            numbered = f"add {parameter('header', 'False')} and give the column's number"
            advice = f"check its spelling and {parameter('delimiter')}; if there is no header, {numbered}"
            raise InputProblems(self.name, [f"{parameter(option, repr(column))} is not in line 1, the header: {advice}"])
        return _field(names.index(column), self._delimiter)

    def _numbered(self, option: str) -> int:
        column: str | None = getattr(self, option)
        if column is None or not column.isdecimal() or not 1 <= int(column[:9]) <= 100_000:
            given = parameter(option, repr(column))
            raise InputProblems(self.name, [f"{given}: without a header, give the column's number, 1 for the first"])
        return int(column[:9]) - 1


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


def _unreadable(descriptor: int) -> list[str]:
    """Why no events can come from an open file: only regular files, pipes, sockets and terminals have some."""
    try:
        kind, how = stat.S_IFMT(os.fstat(descriptor).st_mode), fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE
    except OSError:
        return [_NO_INPUT]
    if kind == stat.S_IFCHR and not os.isatty(descriptor):
        return [_NO_INPUT]  # a standard input that was closed has been opened on /dev/null
    if how == os.O_WRONLY:
        return [_WRITE_ONLY]
    return [] if kind in (stat.S_IFCHR, stat.S_IFSOCK) or kind not in REFUSED else [REFUSED[kind]]


def _arrived(descriptor: int) -> bytes:
    """The next bytes; none at the end. Waits, also where somebody else set the pipe to non-blocking."""
    while True:
        try:
            return os.read(descriptor, _STEP)
        except BlockingIOError:
            select.select([descriptor], [], [])


def _text(line: bytes) -> str:
    """A line as text; a byte order mark at its beginning does not count, on line 1 no less than on any other."""
    return line.removeprefix(_BOM).rstrip(b"\r").decode("utf-8", "replace")


def _date(value: object) -> str | None:
    """The day of a date or of a time that begins with one; None where it is neither.

    >>> _date("2026-11-18T07:30:00"), _date("2026-11-18"), _date("Monday"), _date(None)
    ('2026-11-18', '2026-11-18', None, None)
    """
    return value[:10] if isinstance(value, str) and _DAY.match(value) else None


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


def _member(column: str | None, parse: Callable[[str], Any]) -> Callable[[str], object]:
    def pick(line: str) -> object:
        try:
            event = parse(line)
        except (ValueError, RecursionError):
            return None
        value = event if column is None else event.get(column) if isinstance(event, dict) else None
        return value if isinstance(value, str | int | float) else None

    return pick
