"""Tables with typed columns: Parquet files, and data frames of Polars, pandas or PyArrow."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.errors import InputProblems
from seqveil.sources.clock import Clock
from seqveil.sources.columns import OBJECTS, as_seconds, as_text, is_list, is_text_like, is_time_like
from seqveil.sources.delimited import name_problems
from seqveil.sources.frames import Column, columns_of, open_parquet, parquet_batches
from seqveil.sources.group import Gathering
from seqveil.sources.layout import Layout
from seqveil.sources.problems import no_item
from seqveil.sources.rows import rows_of
from seqveil.sources.tally import Tally
from seqveil.surface import parameter
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable
from seqveil.tables.spans import Numbering, Spans

_ITEM = ["item", "items", "sequence"]


def with_item(layout: Layout, schema: Any) -> dict[str, str]:
    """The named columns; an unnamed item column is the first of `item`, `items` and `sequence` that is there.

    Journeys have no item column.
    """
    named = layout.columns()
    usual = [name for name in _ITEM if name in schema.names]
    return named if "item" in named or layout.journeys else {**named, "item": (usual or _ITEM)[0]}


def schema_problems(layout: Layout, schema: Any) -> list[str]:
    """Columns that are missing, doubled, or of a type that cannot serve."""
    roles = with_item(layout, schema)
    if layout.item is None and not layout.journeys and roles["item"] not in schema.names:
        return [no_item(), *name_problems(layout, schema.names)]
    problems = name_problems(layout, schema.names)
    for role, name in roles.items():
        at = schema.get_all_field_indices(name)
        if len(at) > 1:
            problems.append(f"has the column {name!r} {len(at)} times: rename all but one")
        elif at:
            problems += _type_problems(role, name, schema.field(at[0]).type, layout)
    return problems


def _type_problems(role: str, name: str, kind: Any, layout: Layout) -> list[str]:
    if role == "item" and is_list(kind):
        if layout.cut.kind != "none" or layout.time is not None:
            return [f"column {name!r} holds whole sequences: leave out {parameter('session')} and {parameter('time')}"]
        if not is_text_like(kind.value_type):
            return [f"column {name!r} holds {kind}: give lists of text or numbers"]
        return []
    if not (is_time_like(kind) if role == "time" else is_text_like(kind)):
        content = "times" if role == "time" else "text or numbers"
        return [f"column {name!r} ({parameter(role)}) holds {kind}: give a column of {content}"]
    return []


def parquet_problems(path: Path, layout: Layout, domain: Domain) -> list[str]:
    """What is wrong with a Parquet file's footer and columns."""
    if path.suffix == ".gz":
        return ["is a gzip archive, but Parquet files are compressed internally: unpack it first"]
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        return [f"is not a Parquet file, or is truncated: copy it again, or add the right {parameter('format')}"]
    return schema_problems(layout, schema)


def read_parquet(path: Path, layout: Layout, domain: Domain, tally: Tally) -> SequenceTable:
    """Every row an event, or a whole sequence when the item column holds lists."""
    try:
        with open_parquet(path) as file:
            schema = file.schema_arrow
            columns = sorted(set(with_item(layout, schema).values()))
            batches = columns_of(parquet_batches(file, columns), columns)
            return read_batches(batches, schema, layout, domain, tally)
    except (pa.ArrowException, OSError):
        raise InputProblems(str(path), ["is a damaged Parquet file: copy it again"]) from None


def read_batches(
    batches: Iterable[dict[str, Column]], schema: Any, layout: Layout, domain: Domain, tally: Tally
) -> SequenceTable:
    """Sequences of columns whose schema was inspected, batch by batch."""
    roles = with_item(layout, schema)
    kind = schema.field(roles["origin" if layout.journeys else "item"]).type
    mixed = kind == OBJECTS and not layout.journeys and "time" not in roles and "session" not in roles
    if is_list(kind) or mixed:
        return _read_rows(batches, roles, layout, domain, tally)
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
    for batch in batches:
        column = {role: batch[name] for role, name in roles.items()}
        users = as_text(column["user"]) if "user" in roles else None
        seconds = as_seconds(column["time"], layout, clock) if "time" in roles else None
        if layout.journeys:
            ends = as_text(column["origin"]), as_text(column["destination"])
            tally.rows += len(ends[0].starts)
            gathering.add_journeys(ends, users, seconds)
            continue
        items = as_text(column["item"])
        tally.rows += len(items.starts)
        runs = sessions.number(as_text(column["session"])) if "session" in roles else None
        gathering.add(items, gathering.find(items), users, runs, seconds)
    return gathering.table(layout.cut, layout.timezone, clock.settle)


def _read_rows(
    batches: Iterable[dict[str, Column]], roles: dict[str, str], layout: Layout, domain: Domain, tally: Tally
) -> SequenceTable:
    """Rows that may hold whole sequences. Each says so by itself: a list is a sequence, anything else is one event.

    Lists are runs of their own, numbered by their row. Events of a user are one run, 0, and without users each is its own.
    """
    gathering = Gathering(domain, tally, users="user" in roles, runs=True, times=False, max_events=layout.max_events)
    lists = True
    for batch in batches:
        rows = rows_of(batch[roles["item"]])
        run = tally.rows + rows.row + 1
        owner = None
        if "user" in roles:
            users = as_text(batch[roles["user"]])
            owner = Spans(users.data, users.starts[rows.row], users.ends[rows.row])
            run = np.where(rows.listed, run, 0)
        gathering.add(rows.items, gathering.find(rows.items), owner, run)
        tally.rows += rows.number
        lists = lists and bool(rows.listed.all())
    tally.records = tally.rows if lists else None
    return gathering.table(layout.cut, layout.timezone)
