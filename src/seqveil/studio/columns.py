"""What can be seen of a file without its rows: its format, and the names of its columns. And, INTERNAL, its first rows."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any, NamedTuple

from seqveil.sources.formats import infer, shaped, words

SEPARATORS = ",;\t|"
MOST_COLUMNS = 200
FIRST_ROWS, MOST_CELLS = 10, 30

_KEY = r"([ _-]?(id|no|number|key|name|code))?"
_PLACE = r"([ _-]?(station|stop|place|location|zone|airport|city|id|no|name|code))*"
_ROLES = {
    "origin": r"(origin|from|start|departure|boarding)" + _PLACE,
    "destination": r"(destination|dest|to|end|arrival|alighting)" + _PLACE,
    "user": r"(user|card|customer|client|patient|person|member|visitor|device|passenger|subject|case|u)" + _KEY + "|id",
    "time": r"position|(time|timestamp|ts|date|datetime|when|(event|tap|start|begin)[ _-]?time|created)([ _-]?at)?|[a-z]+[ _-]at",
    "session": r"(sequence|session|trip|journey|visit|record|trace)" + _KEY,
    "item": r"(items?|page|station|stop|place|location|product|article|event|activity|action|label|category|diagnosis|url)"
    + _KEY,
}
"""Names that columns often have, by what they hold. A guess that is shown, and can be changed; values are never looked at."""


class Seen(NamedTuple):
    """A file as far as it was looked at: format by its name, separator and columns by its header."""

    format: str | None
    words: str
    separator: str | None
    columns: list[str]
    guesses: dict[str, str]


def look(file: Path, reader: str, format: str, separator: str, header: bool) -> Seen:
    """The format, columns and guesses for a file. Of text, the first line is read; of Parquet, the schema."""
    decided = format or infer(file, reader)
    if decided is None:
        return Seen(None, "unknown", None, [], {})
    names: list[str] = []
    chosen = None
    try:
        if decided in shaped("separated"):
            line = _line(file)
            chosen = separator or _separator(line, decided)
            width = next(csv.reader([line], delimiter=chosen), []) if chosen != " " else line.split()
            names = [name.strip() for name in width] if header else [str(n + 1) for n in range(len(width))]
        elif decided == "parquet":
            import pyarrow.parquet as pq

            with file.open("rb") as opened:
                names = pq.read_schema(opened).names
    except Exception:  # whatever is wrong with the file, the reader says it in its own words
        names = []
    names = names[:MOST_COLUMNS]
    usual = {"csv": ",", "tsv": "\t"}.get(decided)
    return Seen(decided, words(decided, reader), chosen if chosen != usual else None, names, _guesses(names) if header else {})


def first_rows(file: Path) -> list[list[str]]:
    """INTERNAL: the first rows of a file, as they are."""
    name = file.name.lower().removesuffix(".gz")
    if name.endswith((".parquet", ".pq")):
        import pyarrow.parquet as pq

        with file.open("rb") as opened:
            batch: Any = next(pq.ParquetFile(opened).iter_batches(FIRST_ROWS), None)
            rows = [] if batch is None else batch.to_pylist()
        return [_shortened(list(rows[0]))] + [_shortened([str(value) for value in row.values()]) for row in rows] if rows else []
    from seqveil.sources.blocks import opened as unpacked

    lines = []
    with unpacked(file) as text:
        for _ in range(FIRST_ROWS + 1):
            if not (line := text.readline(1 << 16)):
                break
            lines.append(line.decode("utf-8", "replace").rstrip("\r\n"))
    if name.endswith((".csv", ".tsv", ".tab")):
        separator = _separator(lines[0], "csv" if name.endswith(".csv") else "tsv") if lines else ","
        return [_shortened(row) for row in csv.reader(lines, delimiter=separator)]
    return [[line[:400]] for line in lines]


def _shortened(row: list[str]) -> list[str]:
    """
    >>> len(_shortened(["a"] * 100_000)), _shortened(["a", "b" * 100])[1] == "b" * 80
    (31, True)
    """
    return [cell[:80] for cell in row[:MOST_CELLS]] + (["…"] if len(row) > MOST_CELLS else [])


def _line(file: Path) -> str:
    from seqveil.sources.blocks import first_line

    return first_line(file).decode("utf-8", "replace")


def _separator(line: str, format: str) -> str:
    """What separates columns: the format's own character, unless another one stands in the header and that one does not.

    >>> _separator("card;ts;station", "csv"), _separator("card,ts", "csv"), _separator("a b", "events")
    (';', ',', ' ')
    """
    usual = {"csv": ",", "tsv": "\t"}.get(format, " ")
    if usual in line or format == "events":
        return usual
    return max(SEPARATORS, key=line.count) if any(one in line for one in SEPARATORS) else usual


def _guesses(names: list[str]) -> dict[str, str]:
    """Which column probably holds what.

    >>> _guesses(["card_id", "ts", "station", "fare"])
    {'user': 'card_id', 'time': 'ts', 'item': 'station'}
    >>> _guesses(["card no", "tapped at", "stop name"])
    {'user': 'card no', 'time': 'tapped at', 'item': 'stop name'}
    >>> _guesses(["PassengerID", "Start Time", "Origin Station", "Destination Station", "Fare"])
    {'origin': 'Origin Station', 'destination': 'Destination Station', 'user': 'PassengerID'}
    """
    guesses: dict[str, str] = {}
    for role, pattern in _ROLES.items():
        for name in names:
            if name not in guesses.values() and re.fullmatch(pattern, name.strip(), re.IGNORECASE):
                guesses[role] = name
                break
    if {"origin", "destination"} <= guesses.keys():  # a journey per row: its ends are the items, and its time needs bins
        return {role: name for role, name in guesses.items() if role in ("user", "origin", "destination")}
    return {role: name for role, name in guesses.items() if role not in ("origin", "destination")}
