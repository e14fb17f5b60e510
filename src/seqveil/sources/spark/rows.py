"""How rows become events in an executor: the readers of files and frames, applied to a task's share of the rows.

Everything that decides how a value is read is the same code as on one machine (`sources.columns`, `sources.delimited`,
`sources.jsonl`, `sources.lines`), one value or line at a time. What differs is only where rows stand: events of one user come
from many tasks, so every event carries its *place*, a number that rises along a file and from file to file. By it, events of the
same time keep the order of the files, wherever they were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.sources.clock import Clock
from seqveil.sources.columns import as_seconds, as_text
from seqveil.sources.delimited import Cells
from seqveil.sources.group import Gathering
from seqveil.sources.jsonl import json_batches
from seqveil.sources.layout import Layout
from seqveil.sources.lines import line_separator, lines_encoded
from seqveil.sources.rows import rows_of
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.spans import Numbering, Spans

FILE_BITS = 40
"""A place has so many bits for the row within its file; the file's number stands above them."""

CHUNK = 1 << 20
"""Events are passed on when a task has gathered so many."""

BATCH = 1 << 17
"""Rows that are read at once."""

_BYTES = 1 << 26
"""Bytes of rows that are waited for, at most."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything an executor must know to read rows; public.

    `shape` says what a row is: "columns" of values, or a line of text to be read as "cells", "json" or "labels". `files` numbers
    the input files by a hash of their names; `cells` says where columns stand in each of them. `numbers`: users are whole
    numbers in a column, and are sent as such. `mixed`: a task may read rows before and after those of another.
    """

    kind: str
    domain: Domain
    layout: Layout
    shape: str
    roles: dict[str, str]
    lists: bool = False
    files: dict[int, int] = field(default_factory=dict)
    cells: dict[int, Cells] = field(default_factory=dict)
    buckets: int = 1
    version: str = ""
    numbers: bool = False
    mixed: bool = False

    @property
    def users(self) -> bool:
        return "user" in self.roles

    @property
    def rows_alone(self) -> bool:
        """Whether every row is a sequence by itself, or several: then nothing has to be brought together."""
        return not self.users and (self.shape == "labels" or self.whole or "session" not in self.roles)

    @property
    def ordered(self) -> bool:
        """Whether every row has a place of its own, and those of one task stand before or after those of another."""
        return not self.files and not self.whole and not self.mixed

    @property
    def whole(self) -> bool:
        """Whether a row holds a whole sequence."""
        return self.lists or self.layout.journeys or self.layout.format == "jsonl"


class Events(NamedTuple):
    """Some events as columns (`codes` and what else they have), and what their users and runs are numbers of.

    `first` is the place of the first row. Events of a plan that is ordered have no other places.
    """

    columns: dict[str, NDArray]
    people: Spans | None
    sessions: Spans | None
    first: int


def events_of(batches: Iterable[Any], plan: Plan) -> Iterator[Events]:
    """The usable events of a task's rows, chunk by chunk."""
    chunk = _Chunk(plan)
    for batch in _larger(batches):
        for part, file, place in _splits(batch, plan):
            chunk.add(part, file, place)
        if chunk.size >= CHUNK:
            yield chunk.events()
            chunk = _Chunk(plan, chunk.lines)
    yield chunk.events()


def _larger(batches: Iterable[Any]) -> Iterator[Any]:
    """The same rows in fewer batches: Spark sends small ones, and each costs a millisecond however small it is."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= BATCH or sum(some.nbytes for some in waiting) >= _BYTES:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[Any]) -> Any:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def records_of(batches: Iterable[Any], plan: Plan) -> Iterator[Flat]:
    """The sequences of lines of labels."""
    separator = " " if plan.layout.format in ("dat", "spmf") else line_separator(plan.domain, plan.layout.delimiter)
    byte = -1 if separator == " " else ord(separator)
    for batch in _larger(batches):
        block = _block(batch.column("value"), 0)
        codes, lengths = lines_encoded(block, byte, plan.layout.format == "spmf", plan.domain, Tally())
        yield Flat(codes, np.append(0, np.cumsum(lengths)))


def _splits(batch: Any, plan: Plan) -> Iterator[tuple[Any, int, NDArray[np.int64]]]:
    """A batch in stretches of rows of one file, with the number that the file has and where the rows stand in it."""
    place = batch.column("place").to_numpy(zero_copy_only=False)
    if not plan.files:
        yield batch, 0, place
        return
    file = batch.column("file").to_numpy(zero_copy_only=False)
    moved = file[1:] != file[:-1]
    if plan.shape != "columns":
        moved |= place[1:] != place[:-1]
    for start, stop in _stretches(moved, len(file)):
        yield batch.slice(start, stop - start), int(file[start]), place[start:stop]


def _stretches(moved: NDArray[np.bool_], size: int) -> Iterator[tuple[int, int]]:
    ends = [*(np.flatnonzero(moved) + 1).tolist(), size]
    return zip([0, *ends[:-1]], ends, strict=True) if size else iter(())


class _Chunk:
    """Gathers events until there are enough of them."""

    def __init__(self, plan: Plan, lines: dict[tuple[int, int], int] | None = None) -> None:
        self._plan = plan
        self._clock, self._sessions, self._tally = Clock(plan.layout), Numbering(), Tally()
        times = "time" in plan.roles and (plan.layout.journeys or not plan.whole)
        runs = plan.whole or "session" in plan.roles
        self._gathering = Gathering(
            plan.domain,
            self._tally,
            users=plan.users and not plan.numbers,
            runs=runs,
            times=times,
            timezone=plan.layout.timezone,
            places=not plan.ordered,
            numbers=plan.numbers,
        )
        self._texts = "session" in plan.roles and not plan.whole
        self.lines = {} if lines is None else lines
        """Lines of every split that were read before: (file, place) to their number."""
        self.size = 0
        self._first: int | None = None

    def add(self, part: Any, file: int, place: NDArray[np.int64]) -> None:
        if self._first is None and len(place):
            self._first = int(place[0])
        above = self._plan.files.get(file, 0) << FILE_BITS
        if self._plan.shape == "columns":
            self._columns(part, above + place)
            return
        before = self.lines.get((file, int(place[0])), 0)
        self.lines[file, int(place[0])] = before + len(part)
        # A line is a byte at least, so what a split's lines are numbered with never reaches the beginning of the next split.
        first = above + int(place[0]) + before
        headed = self._plan.shape == "cells" and self._plan.layout.header and int(place[0]) == 0 and before == 0
        block = _block(part.column("value"), int(headed))
        if self._plan.shape == "json":
            self._json(block, first)
        else:
            self._cells(block, file, first)

    def _columns(self, part: Any, place: NDArray[np.int64]) -> None:
        if self._plan.numbers and part.column("user").null_count:
            valid = part.column("user").is_valid()
            part, place = part.filter(valid), place[valid.to_numpy(zero_copy_only=False)]
        column = {role: part.column(role) for role in self._plan.roles}
        owner = as_text(column["user"]) if self._plan.users and not self._plan.numbers else None
        if self._plan.lists:
            rows = rows_of(column["item"])
            if owner is not None:
                owner = Spans(owner.data, owner.starts[rows.row], owner.ends[rows.row])
            here = place[rows.row]
            self._gathering.add(rows.items, self._gathering.find(rows.items), owner, here + 1, None, here)
            self.size += len(here)
            return
        seconds = as_seconds(column["time"], self._plan.layout, self._clock) if "time" in column else None
        session = as_text(column["session"]) if "session" in column else None
        numbers = column["user"].to_numpy(zero_copy_only=False).astype(np.int64) if self._plan.numbers else None
        if self._plan.layout.journeys:
            ends = as_text(column["origin"]), as_text(column["destination"])
            self._add_journeys(ends, owner, seconds, place, numbers)
            return
        items = as_text(column["item"])
        self._add(items, owner, session, seconds, place, _codes(column["item"], items, self._gathering), numbers)

    def _cells(self, block: NDArray[np.uint8], file: int, first: int) -> None:
        cells = self._plan.cells[file if file in self._plan.cells else 0].split(block, self._tally)
        seconds = self._clock.read(cells["time"]) if "time" in cells else None
        if self._plan.layout.journeys:
            place = first + np.arange(len(cells["origin"].starts))
            self._add_journeys((cells["origin"], cells["destination"]), cells.get("user"), seconds, place)
            return
        place = first + np.arange(len(cells["item"].starts))
        self._add(cells["item"], cells.get("user"), cells.get("session"), seconds, place)

    def _json(self, block: NDArray[np.uint8], first: int) -> None:
        for lines, rows in json_batches([block], self._plan.roles, Tally()):
            text = {role: Spans.of([cell.get(role) for cell in lines]) for role in self._plan.roles}
            place = first + np.array(rows, np.int64)
            if self._plan.layout.journeys:
                seconds = self._clock.read(text["time"]) if "time" in text else None
                self._add_journeys((text["origin"], text["destination"]), text.get("user"), seconds, place)
            elif self._plan.whole:
                items = text["item"]
                self._gathering.add(items, self._gathering.find(items), text.get("user"), place + 1, None, place)
                self.size += len(place)
            else:
                seconds = self._clock.read(text["time"]) if "time" in text else None
                self._add(text["item"], text.get("user"), text.get("session"), seconds, place)

    def _add(
        self,
        items: Spans,
        owner: Spans | None,
        session: Spans | None,
        seconds: Any,
        place: NDArray[np.int64],
        codes: NDArray[np.int32] | None = None,
        numbers: NDArray[np.int64] | None = None,
    ) -> None:
        runs = None if session is None else self._sessions.number(session)
        labels = self._gathering.find(items) if codes is None else codes
        self._gathering.add(items, labels, owner, runs, seconds, place, numbers)
        self.size += len(place)

    def _add_journeys(
        self, ends: tuple[Spans, Spans], owner: Spans | None, seconds: Any, place: NDArray[np.int64], numbers: Any = None
    ) -> None:
        self._gathering.add_journeys(ends, owner, seconds, place, numbers)
        self.size += 2 * len(place)

    def events(self) -> Events:
        columns, people = self._gathering.drained()
        return Events(columns, people, self._sessions.spans() if self._texts else None, self._first or 0)


def _codes(column: Any, items: Spans, gathering: Gathering) -> NDArray[np.int32]:
    """The codes of labels; those of a dictionary are looked up once."""
    if not pa.types.is_dictionary(column.type):
        return gathering.find(items)
    codes = np.append(gathering.find(as_text(column.dictionary)), np.int32(-1))
    return np.asarray(codes[column.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)], np.int32)


def _block(lines: Any, skip: int) -> NDArray[np.uint8]:
    """Lines as one block of bytes, each with a line feed after it, as every reader of lines takes them."""
    texts = lines.cast(pa.large_binary()).to_pylist()[skip:]
    return np.frombuffer(bytearray(b"".join([(text or b"").removeprefix(_BOM) + b"\n" for text in texts])), np.uint8)
