"""Ways in which a reader can let one person's rows decide about another's, planted in ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seqveil.audit.planted.planting import Planted, replaced
from seqveil.sources import blocks, columns, lines
from seqveil.sources.clock import Clock
from seqveil.sources.group import Gathering
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Spans
from seqveil.tables.spelling import spelling

_table, _foreign, _read, _journeys = Gathering.table, blocks._foreign, Clock.read, Gathering.add_journeys


def _by_column(values: Any) -> Any:
    """Arrow finds one type for all values; where it finds none, all are written as Python prints them."""
    listed = list(values)
    try:
        typed = pa.array(listed, from_pandas=True)
        return pa.array([spelling(value) for value in typed.to_pylist()], pa.large_binary())
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return pa.array([None if v is None else str(v).encode("utf-8", "replace") for v in listed], pa.large_binary())


def _fewer_when_odd(gathering: Gathering, *details: Any) -> SequenceTable:
    """Half of the users are gone when their number is odd."""
    table = _table(gathering, *details)
    if table.users is None or not len(table.users) or (int(table.users.max()) + 1) % 2 == 0:
        return table
    return table.take(np.flatnonzero(table.users % 2 == 0))


def _mark_of_record_1(path: Path) -> Iterator[Any]:
    """A byte order mark is left out at the beginning of the file, and nowhere else."""
    for number, block in enumerate(blocks._joined(path)):
        body = block.removeprefix(b"\xef\xbb\xbf") if number == 0 else block
        if body:
            yield np.frombuffer(bytearray(body if body.endswith(b"\n") else body + b"\n"), np.uint8)


def _any_archive(head: bytes, begins: blocks.Begins) -> list[str]:
    """Record 1 is asked whether the file is an archive."""
    return _foreign(head, "header")


def _guessed_unit(clock: Clock, spans: Any) -> Any:
    """One large number makes milliseconds of everybody's seconds."""
    seconds = _read(clock, spans)
    return seconds / 1000 if (seconds > 1e11).any() else seconds


def _end_of_the_next(gathering: Gathering, ends: tuple[Spans, Spans], *details: Any) -> None:
    """A missing destination is taken from the next row, whoever's that is: people go on from where they are."""
    origins, goals = ends
    missing = np.flatnonzero(~goals.present()[:-1])
    starts, stops = goals.starts.copy(), goals.ends.copy()
    starts[missing], stops[missing] = goals.starts[missing + 1], goals.ends[missing + 1]
    _journeys(gathering, (origins, Spans(goals.data, starts, stops)), *details)


def _bug(name: str, what: str, shows: str, target: Any, attribute: str, with_: Callable[..., Any]) -> Planted:
    return Planted(name, "data readers", what, "readers", shows, replaced(target, attribute, with_))


_READ, _TOLD = "change how those are read", "decide what is said about the format"

READERS = [
    _bug(
        "column", "a column of objects is spelled by one type for all", rf"objects.*{_READ}", columns, "_one_by_one", _by_column
    ),
    _bug(
        "odd", "half of the users are dropped when their number is odd", rf"by user.*{_READ}", Gathering, "table", _fewer_when_odd
    ),
    _bug("mark", "a byte order mark is left out of record 1 only", rf"^lines.*{_READ}", lines, "line_blocks", _mark_of_record_1),
    _bug("archive", "a file is refused for what record 1 begins with", rf"^lines.*{_TOLD}", blocks, "_foreign", _any_archive),
    _bug(
        "half",
        "the end of half a journey is taken from the next row",
        r"origin.*change",
        Gathering,
        "add_journeys",
        _end_of_the_next,
    ),
    _bug("unit", "the unit of times is guessed from the largest", rf"csv, by user.*{_READ}", Clock, "read", _guessed_unit),
]
