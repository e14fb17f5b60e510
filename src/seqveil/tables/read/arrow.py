"""Tables in Arrow form: Parquet files, and data frames of Polars, pandas or PyArrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from seqveil.errors import InputProblems
from seqveil.tables.domain import Domain
from seqveil.tables.read.clock import Clock
from seqveil.tables.read.columns import as_seconds, as_text, is_list, is_text_like, is_time_like
from seqveil.tables.read.delimited import name_problems
from seqveil.tables.read.group import Gathering
from seqveil.tables.read.layout import Layout
from seqveil.tables.read.tally import Tally
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans

_ROWS = 1 << 17
_ITEM = ["item", "items", "sequence"]


def with_item(layout: Layout, schema: Any) -> dict[str, str]:
    """The named columns; an unnamed item column is the first of `item`, `items` and `sequence` that is there."""
    named = layout.named()
    there = [name for name in _ITEM if name in schema.names]
    return named if "item" in named else {**named, "item": (there or _ITEM)[0]}


def schema_problems(layout: Layout, schema: Any) -> list[str]:
    """Columns that are missing, doubled, or of a type that cannot serve."""
    roles = with_item(layout, schema)
    if layout.item is None and roles["item"] not in schema.names:
        return ["does not say which column holds the item: add --item COLUMN", *name_problems(layout, schema.names)]
    found = name_problems(layout, schema.names)
    for role, name in roles.items():
        at = schema.get_all_field_indices(name)
        if len(at) > 1:
            found.append(f"has the column {name!r} {len(at)} times: rename all but one")
        elif at:
            found += _type_problems(role, name, schema.field(at[0]).type, layout)
    return found


def _type_problems(role: str, name: str, kind: Any, layout: Layout) -> list[str]:
    if role == "item" and is_list(kind):
        if layout.session.kind != "none" or layout.time is not None:
            return [f"column {name!r} holds whole sequences: leave out --session and --time"]
        if not is_text_like(kind.value_type):
            return [f"column {name!r} holds {kind}: give lists of text or numbers"]
        return []
    if not (is_time_like(kind) if role == "time" else is_text_like(kind)):
        wish = "times" if role == "time" else "text or numbers"
        return [f"column {name!r} (--{role}) holds {kind}: give a column of {wish}"]
    return []


def parquet_problems(path: Path, layout: Layout, domain: Domain | None) -> list[str]:
    """What is wrong with a Parquet file's footer and columns."""
    if path.suffix == ".gz":
        return ["is a gzip archive, but Parquet is compressed inside: unpack it first"]
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        return ["is not a Parquet file, or is truncated: copy it again, or say what it is with --format"]
    return schema_problems(layout, schema)


def read_parquet(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Every row an event, or a whole sequence when the item column holds lists."""
    try:
        with pq.ParquetFile(path) as file:
            schema = file.schema_arrow
            columns = sorted(set(with_item(layout, schema).values()))
            batches = file.iter_batches(batch_size=_ROWS, columns=columns)
            return read_batches(batches, schema, layout, domain, tally)
    except (pa.ArrowException, OSError):
        raise InputProblems(str(path), ["is a damaged Parquet file: copy it again"]) from None


def stream_of(source: Any, layout: Layout) -> Any:
    """A record batch reader over any object with the Arrow stream interface."""
    if type(source).__module__.split(".")[0] == "pandas":
        source = _plain_pandas(source, layout)
    return pa.RecordBatchReader.from_stream(source)


def _plain_pandas(frame: Any, layout: Layout) -> Any:
    """Only the wanted columns, with columns of mixed Python objects spelled value by value: Arrow refuses mixtures."""
    wanted = {*layout.named().values(), *(() if layout.item else _ITEM)}
    frame = frame[[name for name in frame.columns if name in wanted]]
    if not frame.columns.is_unique:
        return frame
    columns = {name: _spelled(frame[name]) for name in frame.columns}
    return pa.table(columns)


def _spelled(series: Any) -> Any:
    if series.dtype != object:
        return pa.array(series, from_pandas=True)
    values = list(series)
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):
        return pa.array([None if v is None or v != v else str(v).encode("utf-8", "replace") for v in values], pa.large_binary())


def read_batches(batches: Iterable[Any], schema: Any, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Sequences of record batches whose schema was inspected."""
    roles = with_item(layout, schema)
    if is_list(schema.field(roles["item"]).type):
        return _read_lists(batches, roles, layout, domain, tally)
    clock, sessions = Clock(layout), Numbering()
    gathering = Gathering(
        domain,
        tally,
        users="user" in roles,
        runs="session" in roles,
        times="time" in roles,
        max_events=layout.max_events,
    )
    for batch in _nonempty(batches):
        tally.rows += len(batch)
        column = {role: batch.column(name) for role, name in roles.items()}
        items = as_text(column["item"])
        gathering.add(
            items,
            domain.find(items),
            as_text(column["user"]) if "user" in roles else None,
            sessions.number(as_text(column["session"])) if "session" in roles else None,
            as_seconds(column["time"], layout, clock) if "time" in roles else None,
        )
    return gathering.table(layout.session, layout.timezone, clock.settle)


def _read_lists(batches: Iterable[Any], roles: dict[str, str], layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    gathering = Gathering(domain, tally, users="user" in roles, runs=True, times=False, max_events=layout.max_events)
    for batch in _nonempty(batches):
        lists = batch.column(roles["item"])
        row = pc.list_parent_indices(lists).to_numpy()
        items = as_text(pc.list_flatten(lists))
        owner = None
        if "user" in roles:
            users = as_text(batch.column(roles["user"]))
            owner = Spans(users.data, users.starts[row], users.ends[row])
        gathering.add(items, domain.find(items), owner, row + tally.rows)
        tally.rows += len(batch)
    tally.records = tally.rows
    return gathering.table(layout.session, layout.timezone)


def _nonempty(batches: Iterable[Any]) -> Iterator[Any]:
    return (batch for batch in batches if len(batch))
