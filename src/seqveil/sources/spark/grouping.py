"""How events of one user come together: they are sent in pieces to the task that the user's name says, and grouped there.

A piece is one row with many events in it, a byte string for each of their columns: the shuffle moves a few large rows and looks
into none. The task of a user follows from the user's name alone, and so do all of the user's sequences: the same code groups them
as on one machine, and no other user's rows change anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit
from numpy.typing import NDArray

from seqveil.sources.cap import Cap
from seqveil.sources.columns import as_text
from seqveil.sources.group import grouped, stable_order
from seqveil.sources.spark.rows import Events, Plan, events_of, records_of
from seqveil.tables.flat import Flat
from seqveil.tables.lots import digests
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable
from seqveil.tables.shards import Shard, batch_of, divided
from seqveil.tables.spans import Numbering, Spans
from seqveil.tables.spark import by_bucket

PIECES = (
    "bucket int, first long, codes binary, seconds binary, places binary, numbers binary, users binary, user_bytes binary, "
    "user_lengths binary, runs binary, run_bytes binary, run_lengths binary"
)
"""The columns of a piece, as Spark writes types: arrays of one number per event. Texts are numbered within the piece."""

_COLUMNS = {part.split()[0]: part.split()[1] for part in PIECES.split(", ")}
_EVENTS = {"codes": "<i4", "seconds": "<f8", "places": "<i8", "numbers": "<i8"}
_TEXTS = {"users": "user", "runs": "run"}

MOST = 1 << 24
"""Events in the pieces of one batch, at most: Arrow counts bytes with 32 bits."""


def alone(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """In an executor: shards of rows that are sequences by themselves."""
    _refuse_version(plan)
    if plan.shape == "labels":
        for flat in records_of(batches, plan):
            yield from _shards(SequenceTable(plan.domain, flat), plan)
        return
    for events in events_of(batches, plan):
        columns: dict[str, Any] = {name: events.columns.get(name) for name in ("codes", "users", "runs", "seconds")}
        if plan.whole:
            _, columns["runs"] = np.unique(columns["runs"], return_inverse=True)
            yield from _shards(grouped(plan.domain, None, columns, plan.layout.cut, plan.layout.timezone), plan)
        else:
            codes = columns["codes"]
            yield from _shards(SequenceTable(plan.domain, Flat(codes, np.arange(len(codes) + 1))), plan)


def scattered(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """In an executor: events in pieces, by the name of their user (or of their session, where there are no users)."""
    _refuse_version(plan)
    for events in events_of(batches, plan):
        bucket = _bucket(events, plan)
        for start in range(0, len(bucket), MOST):
            some = {name: values[start : start + MOST] for name, values in events.columns.items()}
            yield _pieces(events._replace(columns=some, first=events.first + start), bucket[start : start + MOST], plan.buckets)


def _bucket(events: Events, plan: Plan) -> NDArray[np.int32]:
    """The task of each event; that of a user follows from the user alone."""
    if plan.numbers:
        out = np.empty(len(events.columns["numbers"]), np.int32)
        _mixed(events.columns["numbers"], plan.buckets, out)
        return out
    owner, names = ("users", events.people) if plan.users else ("runs", events.sessions)
    assert names is not None
    return np.asarray((digests(names) % np.uint64(plan.buckets)).astype(np.int32)[events.columns[owner]])


@njit(cache=True)
def _mix(number):  # type: ignore[no-untyped-def]
    """A public hash of a whole number: it divides work, and decides nothing."""
    h = np.uint64(number)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@njit(cache=True)
def _mixed(numbers, buckets, out):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        out[i] = (_mix(numbers[i]) >> np.uint64(20)) % np.uint64(buckets)


@njit(cache=True)
def _numbered_anew(numbers, slots, distinct, out):  # type: ignore[no-untyped-def]
    """Numbers 0, 1, 2, … in the order in which they first appear; at least half of the slots stay free, so a search ends."""
    n = 0
    for i in range(len(numbers)):
        at = np.int64(_mix(numbers[i]) & np.uint64(len(slots) - 1))
        while slots[at] >= 0 and distinct[slots[at]] != numbers[i]:
            at = (at + 1) & (len(slots) - 1)
        if slots[at] < 0:
            distinct[n] = numbers[i]
            slots[at] = n
            n += 1
        out[i] = slots[at]
    return n


def _pieces(events: Events, bucket: NDArray[np.int32], buckets: int) -> Any:
    """A piece for each task that is sent any of these events: once they are sorted by task, a stretch of each column."""
    order = stable_order(bucket, buckets)
    sizes = np.bincount(bucket, minlength=buckets)
    present = np.flatnonzero(sizes)
    ends = np.append(0, np.cumsum(sizes[present]))
    columns: dict[str, Any] = {
        "bucket": pa.array(present, pa.int32()),
        "first": pa.array(np.full(len(present), events.first)),
    }
    for name, values in events.columns.items():
        if name in _EVENTS:
            columns[name] = _stretches(_narrow(values.astype(_EVENTS[name], copy=False))[order], ends)
    for name, names in (("users", events.people), ("runs", events.sessions)):
        if names is not None:
            columns |= _texts(_TEXTS[name], name, events.columns[name][order], names, ends)
        elif name in events.columns:
            columns[name] = _stretches(events.columns[name][order].astype("<i8", copy=False), ends)
    for name in _COLUMNS:
        columns.setdefault(name, pa.nulls(len(present), pa.binary()))
    return pa.RecordBatch.from_arrays([columns[name] for name in _COLUMNS], list(_COLUMNS))


def _narrow(values: NDArray) -> NDArray:
    """Numbers in four bytes where all of them are whole and small enough: most bytes of a shuffle are those of users and times.

    >>> _narrow(np.array([5.0, 7.0])).dtype.str, _narrow(np.array([5.5])).dtype.str, _narrow(np.array([2**40])).dtype.str
    ('<i4', '<f8', '<i8')
    """
    if values.itemsize == 4 or not len(values) or values.min() < -(2**31) or values.max() >= 2**31:
        return values
    small = values.astype("<i4")
    return small if values.dtype.kind == "i" or bool((small == values).all()) else values


def _wide(cell: Any, kind: str, events: int) -> NDArray:
    """The same numbers as they were."""
    return np.frombuffer(cell, kind if len(cell) == events * np.dtype(kind).itemsize else "<i4").astype(kind, copy=False)


def _stretches(values: NDArray, ends: NDArray[np.int64]) -> Any:
    """The bytes of consecutive stretches of an array, as one row each, without a copy."""
    offsets = ends * values.itemsize
    if offsets[-1] >= 2**31:
        raise RuntimeError("too many bytes for one batch")
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(values))]
    return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def _texts(prefix: str, name: str, numbers: NDArray[np.integer], names: Spans, ends: NDArray[np.int64]) -> dict[str, Any]:
    """Numbers of texts, numbered anew within each stretch, and the texts that occur there."""
    stretch = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    used, index = np.unique(stretch * len(names.starts) + numbers, return_inverse=True)
    bounds = np.searchsorted(used, np.arange(len(ends)) * len(names.starts))
    offsets = np.append(names.starts, names.ends[-1:]).astype(np.int64)
    whole = pa.Array.from_buffers(pa.large_binary(), len(names.starts), [None, pa.py_buffer(offsets), pa.py_buffer(names.data)])
    texts = Spans.of(whole.take(pa.array(used % len(names.starts))))
    at = np.append(texts.starts, texts.ends[-1:])
    return {
        name: _stretches((index - bounds[stretch]).astype("<i4"), ends),
        f"{prefix}_bytes": _stretches(texts.data[: at[-1]], at[bounds]),
        f"{prefix}_lengths": _stretches(np.diff(at).astype("<i4"), bounds),
    }


def gathered(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """In an executor: the sequences of all users whose pieces a task was sent, bucket by bucket."""
    for rows in by_bucket(batches):
        yield from _gathered(rows, plan)


def _gathered(rows: list[tuple[Any, int]], plan: Plan) -> Iterator[Any]:
    people, sessions = Numbering(), Numbering()
    pieces: list[tuple[int, dict[str, NDArray]]] = []
    for batch, row in rows:
        cells = {name: _cell(batch, name, row) for name in _EVENTS}
        events = len(cells["codes"]) // 4
        piece = {name: _wide(cell, _EVENTS[name], events) for name, cell in cells.items() if cell is not None}
        for name, numbering in (("users", people), ("runs", sessions)):
            if (cell := _cell(batch, name, row)) is not None:
                piece[name] = _numbered(cell, _TEXTS[name], batch, row, numbering)
        pieces.append((batch.column("first")[row].as_py(), piece))
    rows.clear()
    pieces.sort(key=lambda piece: piece[0])  # the order of the rows, whichever task came first
    columns: dict[str, Any] = {name: np.concatenate([piece[name] for _, piece in pieces]) for name in pieces[0][1]}
    pieces.clear()
    if "places" in columns:
        order = np.argsort(columns.pop("places"), kind="stable")  # the order of the files
        columns = {name: values[order] for name, values in columns.items()}
    if "numbers" in columns:
        columns["users"] = _people(columns.pop("numbers"), people)
    if plan.layout.max_events is not None:
        keep = np.ones(len(columns["codes"]), np.bool_)
        # A journey is two events of one row, which stand next to each other.
        Cap(plan.layout.max_events * (2 if plan.layout.journeys else 1)).apply(columns["users"], keep)
        columns = {name: values[keep] for name, values in columns.items()}
    if "runs" in columns and plan.whole:
        _, columns["runs"] = np.unique(columns["runs"], return_inverse=True)
    whole: dict[str, Any] = {name: columns.get(name) for name in ("codes", "users", "runs", "seconds")}
    del columns
    table = grouped(plan.domain, people if plan.users else None, whole, plan.layout.cut, plan.layout.timezone)
    yield from _shards(table, plan)


def _cell(batch: Any, name: str, row: int) -> Any:
    value = batch.column(name)[row]
    return value.as_buffer() if value.is_valid else None


def _numbered(cell: Any, prefix: str, batch: Any, row: int, numbering: Numbering) -> NDArray[np.integer]:
    """Texts as numbers that mean the same in all pieces of a task."""
    lengths = _cell(batch, f"{prefix}_lengths", row)
    if lengths is None:
        return np.frombuffer(cell, "<i8")
    ends = np.cumsum(np.frombuffer(lengths, "<i4"), dtype=np.int64)
    texts = Spans(np.frombuffer(_cell(batch, f"{prefix}_bytes", row), np.uint8), np.append(0, ends[:-1]), ends)
    return np.asarray(numbering.number(texts)[np.frombuffer(cell, "<i4")])


def _people(numbers: NDArray[np.int64], people: Numbering) -> NDArray[np.int32]:
    """Users that are whole numbers, numbered; each is spelled once."""
    slots = np.full(1 << max(4, (2 * len(numbers)).bit_length()), -1, np.int32)
    distinct, out = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int32)
    n = _numbered_anew(numbers, slots, distinct, out)
    people.number(as_text(pa.array(distinct[:n])))
    return out


def _shards(table: SequenceTable, plan: Plan) -> Iterator[Any]:
    records = SetTable.of(table) if plan.kind == "sets" else table
    for shard in divided(Shard(records.flat, records.users, records.names)):
        yield batch_of([shard])


def _refuse_version(plan: Plan) -> None:
    if plan.version != version("seqveil"):
        raise RuntimeError("another version of Seqveil is installed in the executors")
