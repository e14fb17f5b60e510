"""Event logs as separated text: comma, tab, any character, or blanks; any column names.

A row is a line, always: a quote that is never closed spoils its own row and no other.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from seqveil.sources.blocks import first_line, line_blocks
from seqveil.sources.clock import Clock
from seqveil.sources.group import Gathering
from seqveil.sources.layout import Layout
from seqveil.sources.tally import Tally
from seqveil.surface import one_word, parameter
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans


@numba.njit(cache=True)
def _quoted(data, at, separator):  # type: ignore[no-untyped-def]
    """Reads the quoted field that opens at `at`, undoubling quotes in place: (end of its text or -1, end of field)."""
    write = at + 1
    at += 1
    while data[at] != 10:
        if data[at] == 34:
            if data[at + 1] != 34:
                stop = at + 1
                while data[stop] != 10 and data[stop] != separator:
                    stop += 1
                return write, stop
            at += 1
        data[write] = data[at]
        write += 1
        at += 1
    return -1, at


@numba.njit(cache=True)
def _fields(data, separator, wanted, starts, ends):  # type: ignore[no-untyped-def]
    """Where the wanted columns lie in each row; empty spans for missing ones. Returns rows and how many were broken.

    wanted[c] is the output column of file column c, or -1. Blank lines are no rows. Invariant: a line feed ends data.
    """
    rows, broken, at = 0, 0, 0
    while at < len(data):
        starts[rows, :] = 0
        ends[rows, :] = 0
        column, filled, whole = 0, False, True
        while True:
            while data[at] == 32 or data[at] == 13 or (data[at] == 9 and separator != 9):
                at += 1
            begin, stop = at, at
            if data[at] == 34 and separator >= 0:
                end, stop = _quoted(data, at, separator)
                begin = at + 1
                if end < 0:
                    broken += 1
                    whole = False
            elif separator >= 0:
                while data[stop] != 10 and data[stop] != separator:
                    stop += 1
                end = stop
            else:
                while data[stop] != 10 and data[stop] != 32 and data[stop] != 9 and data[stop] != 13:
                    stop += 1
                end = stop
            filled = filled or stop > at
            if column < len(wanted) and wanted[column] >= 0:
                starts[rows, wanted[column]], ends[rows, wanted[column]] = begin, end
            column += 1
            at = stop + 1
            if data[stop] == 10:
                break
        rows += whole and (filled or column > 1)
    return rows, broken


def header_names(path: Path, layout: Layout) -> list[str]:
    """The column names of the first line."""
    return names_in(first_line(path).decode(), layout.separator)


def names_in(line: str, separator: int) -> list[str]:
    """The column names of a header."""
    if separator < 0:
        return line.split()
    return [name.strip() for name in next(csv.reader([line], delimiter=chr(separator)), [])]


def delimited_problems(path: Path, layout: Layout, domain: Domain) -> list[str]:
    """Columns that the header lacks or has twice. Names are shown only of a sure header, not of a row."""
    if not layout.header or not layout.splits:
        return []
    try:
        line = first_line(path).decode()
    except UnicodeDecodeError:
        return ["line 1 (the header) is not UTF-8: save the file as UTF-8"]
    return header_problems(line, layout)


def header_problems(line: str, layout: Layout) -> list[str]:
    """What is wrong with line 1 as a header."""
    if not line.strip():
        return [f"line 1 (the header) is empty: put the column names there, or add {parameter('header', 'False')}"]
    if "\r" in line or "\f" in line:  # then rows are in it, and none of them is shown
        return ["line 1 (the header) has carriage returns or form feeds: save the file with LF line endings"]
    try:
        names = names_in(line, layout.separator)
    except csv.Error:
        return ["line 1 (the header) cannot be split into columns: check its quotes"]
    return name_problems(layout, names) or _twice(layout, names) if _any_of(layout, names) else _no_column(layout, line)


def _any_of(layout: Layout, names: list[str]) -> bool:
    return any(name in names for name in layout.columns().values())


def _no_column(layout: Layout, line: str) -> list[str]:
    """None of the named columns is in line 1: it is no header, or it is separated otherwise."""
    wanted = [repr(name) for name in layout.columns().values()]
    if not wanted:
        return []  # that the item is missing is a problem already
    missing = f"no column {wanted[0]}" if len(wanted) == 1 else f"none of the columns {', '.join(wanted)}"
    for character in ",;\t|":
        if _any_of(layout, [name.strip(' "') for name in line.split(character)]):
            return [f"line 1 has {missing}: add {parameter('delimiter', repr(character))}"]
    return [
        f"line 1 has {missing}: check the spelling and {parameter('delimiter')}; if the file has no header, "
        f"add {parameter('header', 'False')} and give columns by number, for example {parameter('item', '2')}"
    ]


def name_problems(layout: Layout, names: list[str]) -> list[str]:
    """Named columns that are not there, with the nearest name that is."""
    return [missing_column(role, name, names) for role, name in layout.columns().items() if name not in names]


def missing_column(role: str, name: str, names: list[str]) -> str:
    """A named column that is not among those of a sure header, with the nearest one that is."""
    parts = [part.strip() for part in name.split(",")]
    if role == "item" and len(parts) == 2 and set(parts) <= set(names):
        ends = " and ".join(map(parameter, ("origin", "destination"), parts))
        return f"has no column {name!r} ({parameter(role)}): give one column, or for one journey per row use {ends}"
    near = get_close_matches(name, names, 1, 0.6)
    columns = f"one of {', '.join(map(one_word, names[:20]))}{', …' if len(names) > 20 else ''}"
    rules = ", or one of the rules none, day, gap:30m" if role == "session" else ""
    return f"has no column {name!r} ({parameter(role)}): use {parameter(role, near[0]) if near else columns}{rules}"


def _twice(layout: Layout, names: list[str]) -> list[str]:
    places = {name: [i for i, other in enumerate(names, 1) if other == name] for name in layout.columns().values()}
    return [
        f"line 1 names the column {name!r} more than once (columns {', '.join(map(str, at))}): rename all but one"
        for name, at in places.items()
        if len(at) > 1
    ]


def read_delimited(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Every row an event, gathered block by block."""
    roles = layout.columns()
    cells_of = Cells.of(layout, header_names(path, layout) if layout.header else None)
    clock, sessions = Clock(layout), Numbering()
    gathering = Gathering(
        domain,
        tally,
        users="user" in roles,
        runs="session" in roles or layout.journeys,
        times="time" in roles,
        timezone=layout.timezone,
        max_events=layout.max_events,
    )
    for number, block in enumerate(line_blocks(path)):
        if number == 0 and layout.header:
            block = block[int(np.argmax(block == 10)) + 1 :]
        spans = cells_of.split(block, tally)
        seconds = clock.read(spans["time"]) if "time" in spans else None
        if layout.journeys:
            gathering.add_journeys((spans["origin"], spans["destination"]), spans.get("user"), seconds)
            continue
        runs = sessions.number(spans["session"]) if "session" in spans else None
        gathering.add(spans["item"], gathering.find(spans["item"]), spans.get("user"), runs, seconds)
    return gathering.table(layout.cut, layout.timezone, clock.settle)


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the named columns stand in every row."""

    separator: int
    place: dict[str, int]

    @classmethod
    def of(cls, layout: Layout, names: list[str] | None) -> Cells:
        """By the names of a header; without one, columns are given by number."""
        roles = layout.columns()
        return cls(layout.separator, {r: int(name) - 1 if names is None else names.index(name) for r, name in roles.items()})

    def split(self, block: NDArray[np.uint8], tally: Tally) -> dict[str, Spans]:
        """The cells of a block of whole lines, by the parameter that names their column."""
        columns = sorted(set(self.place.values()))
        wanted = np.full(columns[-1] + 1, -1, np.int64)
        wanted[columns] = np.arange(len(columns))
        cells = split_cells(block, self.separator, wanted, len(columns), tally)
        return {role: cells[columns.index(at)] for role, at in self.place.items()}


def split_cells(block: NDArray[np.uint8], separator: int, wanted: NDArray[np.int64], n: int, tally: Tally) -> list[Spans]:
    lines = int(np.count_nonzero(block == 10))
    starts, ends = np.empty((lines, n), np.int64), np.empty((lines, n), np.int64)
    rows, broken = _fields(block, separator, wanted, starts, ends)
    tally.rows += rows
    tally.broken_rows += broken
    return [Spans(block, np.ascontiguousarray(starts[:rows, c]), np.ascontiguousarray(ends[:rows, c])) for c in range(n)]
