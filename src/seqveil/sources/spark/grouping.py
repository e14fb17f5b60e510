"""How events of one user come together: they are sent in pieces to the task that the user's name says, and grouped there.

A piece is one row with many events in it, packed as Arrow packs them: the shuffle moves a few large rows and looks into none. The
task of a user follows from the user's name alone, and so do all of the user's sequences: the same code groups them as on one
machine, and no other user's rows change anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from seqveil.sources.cap import Cap
from seqveil.sources.group import grouped
from seqveil.sources.spark.rows import Events, Plan, events_of, records_of
from seqveil.tables.flat import Flat
from seqveil.tables.lots import digests
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.sets import SetTable
from seqveil.tables.shards import Shard, batch_of, divided
from seqveil.tables.spans import Numbering, Spans

PIECES = "bucket int, events binary"
"""The columns of a piece, as Spark writes types."""


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
        if not len(events.columns["codes"]):
            continue
        owner, names = ("users", events.people) if plan.users else ("runs", events.sessions)
        assert names is not None
        bucket = (digests(names) % np.uint64(plan.buckets)).astype(np.int64)[events.columns[owner]]
        order = np.argsort(bucket, kind="stable")
        ends = np.flatnonzero(np.diff(bucket[order], append=-1)) + 1
        for start, stop in zip([0, *ends[:-1]], ends, strict=True):
            rows = order[start:stop]
            packed = _packed(events, rows)
            yield pa.RecordBatch.from_arrays(
                [pa.array([bucket[rows[0]]], pa.int32()), pa.array([packed], pa.binary())], ["bucket", "events"]
            )


def _packed(events: Events, rows: NDArray[np.int64]) -> bytes:
    columns: dict[str, Any] = {name: pa.array(values[rows]) for name, values in events.columns.items()}
    for name, names in (("users", events.people), ("runs", events.sessions)):
        if names is not None:
            used, index = np.unique(events.columns[name][rows], return_inverse=True)
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(index.astype(np.int32)), _texts(names, used))
    batch = pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def _texts(names: Spans, used: NDArray[np.integer]) -> Any:
    """Some of the names that a numbering has, which lie one after the other."""
    offsets = np.append(names.starts, names.ends[-1:]).astype(np.int64)
    whole = pa.Array.from_buffers(pa.large_binary(), len(names.starts), [None, pa.py_buffer(offsets), pa.py_buffer(names.data)])
    return whole.take(pa.array(used))


def gathered(batches: Iterable[Any], plan: Plan) -> Iterator[Any]:
    """In an executor: the sequences of all users whose pieces a task was sent."""
    people, sessions = Numbering(), Numbering()
    parts: dict[str, list[NDArray]] = {}
    for batch in batches:
        for row in range(len(batch)):
            for piece in pa.ipc.open_stream(batch.column("events")[row].as_buffer()):
                for name, numbering in (("users", people), ("runs", sessions)):
                    if name in piece.schema.names:
                        parts.setdefault(name, []).append(_numbered(piece.column(name), numbering))
                for name in ("codes", "seconds", "places"):
                    if name in piece.schema.names:
                        parts.setdefault(name, []).append(piece.column(name).to_numpy())
    if not parts:
        return
    columns: dict[str, Any] = {name: np.concatenate(some) for name, some in parts.items()}
    parts.clear()
    order = np.argsort(columns.pop("places"), kind="stable")  # the order of the files, whichever task came first
    columns = {name: values[order] for name, values in columns.items()}
    if plan.layout.max_events is not None:
        keep = np.ones(len(order), np.bool_)
        Cap(plan.layout.max_events).apply(columns["users"], keep)
        columns = {name: values[keep] for name, values in columns.items()}
    if "runs" in columns and plan.whole:
        _, columns["runs"] = np.unique(columns["runs"], return_inverse=True)
    whole: dict[str, Any] = {name: columns.get(name) for name in ("codes", "users", "runs", "seconds")}
    del columns, order
    table = grouped(plan.domain, people if plan.users else None, whole, plan.layout.cut, plan.layout.timezone)
    yield from _shards(table, plan)


def _numbered(column: Any, numbering: Numbering) -> NDArray[np.integer]:
    if not pa.types.is_dictionary(column.type):
        return np.asarray(column.to_numpy())
    return np.asarray(numbering.number(Spans.of(column.dictionary))[column.indices.to_numpy()])


def _shards(table: SequenceTable, plan: Plan) -> Iterator[Any]:
    records = SetTable.of(table) if plan.kind == "sets" else table
    for shard in divided(Shard(records.flat, records.users, records.names)):
        yield batch_of([shard])


def _refuse_version(plan: Plan) -> None:
    if plan.version != version("seqveil"):
        raise RuntimeError("another version of Seqveil is installed in the executors")
