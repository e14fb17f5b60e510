"""Layout: how a source is to be read. Public words only: what the holder typed, the file's name and its header."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from seqveil.sources.blocks import Begins
from seqveil.sources.patterns import pattern_reads
from seqveil.sources.session import Session
from seqveil.sources.times import UNITS

FORMATS = {
    "lines": "one sequence per line",
    "dat": "integers, one sequence per line",
    "spmf": "SPMF (-1 ends an itemset, -2 a sequence)",
    "csv": "event log, comma-separated",
    "tsv": "event log, tab-separated",
    "events": "event log, separated by blanks",
    "parquet": "Parquet table",
    "jsonl": "JSON Lines, one sequence per line",
    "jsonl-events": "JSON Lines, one event per line",
    "xes": "XES log, one sequence per trace",
    "arrow": "data frame",
}
"""Every format by its name, in words."""

_SUFFIXES = {
    ".seq": "lines", ".lines": "lines", ".txt": "lines", ".dat": "dat", ".spmf": "spmf", ".csv": "csv", ".tsv": "tsv",
    ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".xes": "xes",
}  # fmt: skip
_BY_LINE = ("lines", "dat", "spmf")
_SEPARATED = ("csv", "tsv", "events")


@dataclass(frozen=True, slots=True)
class Layout:
    """The public parameters of a reading, with the format already decided."""

    format: str
    user: str | None = None
    time: str | None = None
    item: str | None = None
    session: Session = field(default_factory=Session)
    timezone: str = "UTC"
    delimiter: str | None = None
    header: bool = True
    time_unit: str = "s"
    time_format: str | None = None
    gzip: bool = False
    max_events: int | None = None

    @property
    def description(self) -> str:
        """The format in words, for people.

        >>> Layout("csv", delimiter=";", gzip=True).description
        "event log, separated by ';' (csv, gzip)"
        """
        words = FORMATS[self.format]
        if self.delimiter is not None and (self.format in _SEPARATED or self.format == "lines"):
            kind = "event log" if self.format in _SEPARATED else "one sequence per line"
            words = f"{kind}, separated by {self.delimiter!r}"
        return f"{words} ({self.format}{', gzip' if self.gzip else ''})"

    @property
    def separator(self) -> int:
        """The byte between two columns of an event log, -1 for any run of blanks."""
        usual = {"csv": ",", "tsv": "\t"}.get(self.format, " ")
        character = self.delimiter or usual
        return -1 if character == " " else ord(character)

    @property
    def begins(self) -> Begins:
        """What stands first in the file: a header only where one is declared."""
        if self.format in ("parquet", "xes"):
            return "frame"
        return "header" if self.format in _SEPARATED and self.header else "record"

    @property
    def splits(self) -> bool:
        """Whether the delimiter is one that can separate: a single ASCII character, and neither a quote nor a line end."""
        character = self.delimiter
        return character is None or (len(character) == 1 and character.isascii() and character not in '\n\r"')

    def named(self) -> dict[str, str]:
        """The columns that were named, by the option that names them."""
        roles = {"user": self.user, "time": self.time, "item": self.item, "session": self.session.column}
        return {role: name for role, name in roles.items() if name is not None}


def guess_format(name: str, *, columns: bool, time: bool) -> str | None:
    """The format that a file's name stands for; `columns` and `time` tell whether any were named. None when unknown.

    >>> guess_format("msnbc.seq.gz", columns=False, time=False), guess_format("trips.csv", columns=True, time=True)
    ('lines', 'csv')
    >>> guess_format("checkins.txt.gz", columns=True, time=True), guess_format("a.jsonl", columns=True, time=True)
    ('events', 'jsonl-events')
    """
    path = Path(name.lower())
    known = _SUFFIXES.get(Path(path.stem).suffix if path.suffix == ".gz" else path.suffix)
    if known in ("lines", "dat") and columns:
        return "events"
    return "jsonl-events" if known == "jsonl" and time else known


def call_problems(layout: Layout) -> list[str]:
    """What is wrong with the parameters themselves, before any file is opened."""
    found = [*_column_problems(layout), *_time_problems(layout)]
    if layout.delimiter is not None:
        if layout.format not in (*_SEPARATED, "lines"):
            found.append(f"--delimiter has no meaning for {FORMATS[layout.format]}: leave it out")
        elif not layout.splits:
            found.append(f"--delimiter {layout.delimiter!r} is not one ASCII character: write for example --delimiter ';'")
    return found


def _column_problems(layout: Layout) -> list[str]:
    if layout.format in _BY_LINE:
        named = layout.named() if layout.max_events is None else {**layout.named(), "max-events": str(layout.max_events)}
        return [
            f"--{role} {name}: {FORMATS[layout.format]} has no columns: leave it out, or add --format events"
            for role, name in named.items()
        ]
    found = []
    if layout.format in _SEPARATED:
        if layout.item is None:
            found.append("does not say which column holds the item: add --item COLUMN")
        if not layout.header:
            found += [
                f"--{role} {name!r}: without a header columns are named by their position: write --{role} 1"
                for role, name in layout.named().items()
                if not (name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= 100_000)
            ]
    if layout.max_events is not None and layout.user is None:
        found.append(f"--max-events {layout.max_events} bounds the rows of each user: add --user COLUMN, or leave it out")
    if layout.session.column is not None and layout.format in ("jsonl", "xes"):
        found.append(f"--session {layout.session.column}: every line or trace is one sequence already: leave it out")
    return found


def _time_problems(layout: Layout) -> list[str]:
    found = []
    if layout.session.needs_time:
        found += [
            f"--session {layout.session.kind} needs a column: add --{role} COLUMN"
            for role, name in (("user", layout.user), ("time", layout.time))
            if name is None and layout.format not in _BY_LINE
        ]
        if layout.format in (*_BY_LINE, "jsonl"):
            found.append(f"--session {layout.session.kind}: the lines carry no times: leave it out")
        if layout.time_format == "text":
            found.append(f"--session {layout.session.kind} needs real times: leave out --time-format text")
    if layout.time_unit not in UNITS:
        found.append(f"--time-unit {layout.time_unit!r} is unknown: write one of {', '.join(UNITS)}")
    try:
        ZoneInfo(layout.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        found.append(f"--timezone {layout.timezone!r} is unknown: write a name such as UTC or Europe/Paris")
    pattern = layout.time_format
    if pattern not in (None, "text") and ("%" not in str(pattern) or not pattern_reads(str(pattern))):
        found.append(f"--time-format {layout.time_format!r} is no pattern: write text, or a pattern such as '%d/%m/%Y %H:%M'")
    return found
