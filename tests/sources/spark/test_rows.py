"""Rows that Spark's tasks read are what one machine reads: by the same readers, whoever reads which row, in any order of tasks.

The functions that executors run are called here in this process, on any division of the input into tasks; `test_spark_source.py`
runs them in executors.
"""

from __future__ import annotations

import pickle
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqveil.sources import Source, read_sequences
from seqveil.sources.delimited import Cells, names_in
from seqveil.sources.layout import Layout
from seqveil.sources.sets import read_sets
from seqveil.sources.spark.grouping import alone, gathered, scattered
from seqveil.sources.spark.rows import Plan
from seqveil.tables.domain import Domain
from seqveil.tables.shards import shards_of

DOMAIN = Domain.of(["a", "b", "c"])
VERSION = "0"


@pytest.fixture(autouse=True, scope="module")
def same_version():
    """Executors refuse another version than that of the driver."""
    import seqveil.sources.spark.grouping as module

    before, module.version = module.version, lambda name: VERSION
    yield
    module.version = before


def read(plan: Plan, tasks: list[list[Any]]) -> Counter[Any]:
    """(name of the owner, record) of what tasks read, brought together as Spark does: by bucket, in any order of pieces."""
    plan = pickle.loads(pickle.dumps(plan))
    if plan.rows_alone:
        return owned(batch for task in tasks for batch in alone(iter(task), plan))
    pieces = [piece for task in reversed(tasks) for piece in scattered(iter(task), plan)]
    rows = [piece.slice(row, 1) for piece in pieces for row in range(len(piece))]
    buckets = [[row for row in rows if row.column("bucket")[0].as_py() == b] for b in range(plan.buckets)]
    assert len(rows) == sum(map(len, buckets))
    sent = [[row for bucket in buckets[half::2] for row in bucket] for half in (0, 1)]  # a task is sent several buckets
    return owned(batch for some in sent for batch in gathered(iter(some), plan))


def owned(batches: Any) -> Counter[Any]:
    rows: Counter[Any] = Counter()
    for shard in shards_of(batches):
        names = [None] * len(shard.flat) if shard.names is None else shard.names.tolist()
        rows.update((name, tuple(record.tolist())) for name, record in zip(names, shard.flat, strict=True))
    return rows


def of_table(table: Any) -> Counter[Any]:
    names = [None] * len(table) if table.names is None else table.names.tolist()
    return Counter((name, tuple(record.tolist())) for name, record in zip(names, table.flat, strict=True))


def divided(rows: int, data: Any) -> list[tuple[int, int]]:
    """Stretches of rows, some of them empty."""
    cuts = sorted(data.draw(st.lists(st.integers(0, rows), max_size=4)))
    return list(zip([0, *cuts], [*cuts, rows], strict=True))


USERS = st.sampled_from(["ann", "bob", " ann", "", None, "é"])
ITEMS = st.sampled_from(["a", "b", "c", "b ", "zzz", "", None])
TIMES = st.sampled_from(
    ["2026-03-01T08:00:00", "2026-03-01T23:30:00", "2026-03-02", "2026-03-29T02:30:00+01:00", "1772352000", "never", None]
)
WAYS: dict[str, dict[str, Any]] = {
    "user": {"user": "u", "item": "i"},
    "user and time": {"user": "u", "time": "t", "item": "i"},
    "day": {"user": "u", "time": "t", "item": "i", "session": "day", "timezone": "Europe/Paris"},
    "gap": {"user": "u", "time": "t", "item": "i", "session": "gap:30m"},
    "column": {"user": "u", "time": "t", "item": "i", "session": "s"},
    "column without users": {"time": "t", "item": "i", "session": "s"},
    "rows": {"item": "i"},
    "other": {"user": "u", "time": "t", "item": "i", "session": "day", "outside": "other"},
    "time bins": {"user": "u", "time": "t", "item": "i", "session": "day", "timezone": "Europe/Paris", "time_bins": "60m@04:00"},
    "rows in time bins": {"time": "t", "item": "i", "time_bins": "weekday", "outside": "other"},
    "journeys": {"user": "u", "origin": "i", "destination": "s"},
    "journeys of nobody": {"origin": "i", "destination": "s", "outside": "other"},
    "first journeys in time bins": {
        "user": "u",
        "time": "t",
        "origin": "i",
        "destination": "s",
        "time_bins": "60m",
        "max_events": 2,
    },
    "first rows": {"user": "u", "time": "t", "item": "i", "max_events": 2},
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=30)
@given(rows=st.lists(st.tuples(USERS, TIMES, ITEMS, st.sampled_from(["x", "y", "c", None])), max_size=25), data=st.data())
def test_columns(way, rows, data):
    """Users, times, zones, sessions, items outside, nulls and repeats: what one machine reads from the same frame."""
    options = WAYS[way]
    columns = dict(zip("utis", zip(*rows, strict=True) if rows else [()] * 4, strict=True))
    frame = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    layout = Layout(format="arrow", **options)
    domain = Source(frame, DOMAIN, **options).domain
    roles = layout.columns()
    mixed, buckets = data.draw(st.booleans()), data.draw(st.integers(1, 3))
    plan = Plan("sequences", domain, layout, "columns", roles, buckets=buckets, version=VERSION, mixed=mixed)
    batch = pa.table({**{r: frame[n] for r, n in roles.items()}, "place": pa.array(range(len(rows)), pa.int64())})
    tasks = [batch.slice(a, b - a).combine_chunks().to_batches() for a, b in divided(len(rows), data)]
    if mixed:  # a task reads several stretches, and others read what lies between them
        tasks = [[batch for task in tasks[half::2] for batch in task] for half in (0, 1)]

    assert of_table(read_sequences(frame, domain=DOMAIN, **options)) == read(plan, tasks)


def test_a_task_that_reads_around_another_keeps_the_order():
    """As where Spark puts parts of a DataFrame together by the machines that hold them."""
    batch = pa.table({"user": ["ann"] * 3, "item": ["a", "b", "c"], "place": pa.array([0, 1 << 33, 2 << 33], pa.int64())})
    first, second, third = (batch.slice(i, 1).combine_chunks().to_batches() for i in range(3))
    layout = Layout(format="arrow", user="user", item="item")
    plan = Plan("sequences", DOMAIN, layout, "columns", layout.columns(), buckets=2, version=VERSION, mixed=True)

    assert [(0, 1, 2)] == [record for _, record in read(plan, [[*first, *third], second])]


TYPED = {
    "numbers": (pa.int64(), st.integers(-2, 9)),
    "floats": (pa.float64(), st.sampled_from([1.0, 2.5, float("nan"), 1e300])),
    "times": (pa.timestamp("us", "UTC"), st.integers(0, 10**15)),
    "wall clock": (pa.timestamp("us"), st.integers(0, 10**15)),
    "dates": (pa.date32(), st.integers(0, 20_000)),
}


@pytest.mark.parametrize("numbers", [True, False])
@pytest.mark.parametrize("kind", TYPED)
@settings(max_examples=12)
@given(data=st.data())
def test_typed_columns(kind, numbers, data):
    """A time of any type Spark has, read in a zone; users that are numbers are spelled like text, whether sent as such or not."""
    type_, values = TYPED[kind]
    times = data.draw(st.lists(values | st.none(), max_size=15))
    users = data.draw(st.lists(st.sampled_from([0, 1, -1, 2**62]) | st.none(), min_size=len(times), max_size=len(times)))
    items = data.draw(st.lists(st.integers(1, 4), min_size=len(times), max_size=len(times)))
    frame = pa.table({"u": pa.array(users, pa.int64()), "t": pa.array(times, type_), "i": pa.array(items, pa.int32())})
    options = {"user": "u", "time": "t", "item": "i", "session": "day", "timezone": "America/New_York"}
    plan = Plan(
        "sets",
        Domain.range(1, 3),
        Layout(format="arrow", **options),
        "columns",
        Layout(**options).columns(),
        buckets=2,
        version=VERSION,
        numbers=numbers,
    )
    renamed = frame.rename_columns(["user", "time", "item"]).append_column("place", pa.array(range(len(times)), pa.int64()))
    tasks = [renamed.slice(a, b - a).combine_chunks().to_batches() for a, b in divided(len(times), data)]

    assert of_table(read_sets(frame, domain=Domain.range(1, 3), **options)) == read(plan, tasks)


@pytest.mark.parametrize("users", [True, False])
@settings(max_examples=30)
@given(rows=st.lists(st.tuples(USERS, st.lists(ITEMS, max_size=4) | st.none()), max_size=12), data=st.data())
def test_lists(users, rows, data):
    """A row with a list is a sequence of its own, with or without an owner."""
    kinds = {"u": pa.string(), "i": pa.list_(pa.string())}
    columns = zip("ui", zip(*rows, strict=True) if rows else [(), ()], strict=True)
    frame = pa.table({name: pa.array(values, kinds[name]) for name, values in columns})
    options = {"user": "u", "item": "i"} if users else {"item": "i"}
    layout = Layout(format="arrow", **options)
    plan = Plan("sequences", DOMAIN, layout, "columns", layout.columns(), lists=True, buckets=2, version=VERSION)
    batch = pa.table({**{r: frame[n] for r, n in layout.columns().items()}, "place": pa.array(range(len(rows)), pa.int64())})
    tasks = [batch.slice(a, b - a).combine_chunks().to_batches() for a, b in divided(len(rows), data)]

    assert of_table(read_sequences(frame, domain=DOMAIN, **options)) == read(plan, tasks)


def lines_in_tasks(path: Any, data: Any, file: int = 7) -> list[list[Any]]:
    """The lines of a file as Spark reads them: in splits that begin somewhere, and with the place of the split on each line."""
    body = path.read_bytes()
    lines = body.split(b"\n")[: -1 if body.endswith(b"\n") else None]
    starts = np.cumsum([0, *(len(line) + 1 for line in lines)])
    tasks = []
    for a, b in divided(len(lines), data):
        if a < b:
            value = pa.array(lines[a:b], pa.binary())
            columns = {
                "value": value,
                "place": pa.array([int(starts[a])] * (b - a), pa.int64()),
                "file": pa.array([file] * (b - a)),
            }
            tasks.append(pa.table(columns).to_batches(max_chunksize=data.draw(st.integers(1, 5))))
    return tasks


CELLS = st.sampled_from(["ann", "bob", '"bob"', '"a,b"', "a", "b", '"a', "", "  b ", "2026-03-01", "é", "\ufeffa"])


TEXT_WAYS: list[dict[str, Any]] = [
    {"user": "u", "time": "t", "item": "a"},
    {"user": "u", "item": "a"},
    {"user": "u", "origin": "t", "destination": "a"},
]


@settings(max_examples=60)
@given(rows=st.lists(st.lists(CELLS, max_size=4), max_size=15), data=st.data())
def test_separated_text(tmp_path_factory, rows, data):
    """Quotes, broken rows, blank lines and missing cells spoil their own row and no other, in whichever split they stand.

    The header would be read as a row if it were not left out: its last name is a label.
    """
    path = tmp_path_factory.mktemp("csv") / "log.csv"
    path.write_text("t,u,a\n" + "".join(",".join(row) + "\n" for row in rows), "utf-8")
    options = data.draw(st.sampled_from(TEXT_WAYS))
    layout = Layout(format="csv", **options)
    cells = {7: Cells.of(layout, names_in("t,u,a", layout.separator))}
    plan = Plan("sequences", DOMAIN, layout, "cells", layout.columns(), files={7: 0}, cells=cells, buckets=2, version=VERSION)

    assert of_table(read_sequences(path, domain=DOMAIN, **options)) == read(plan, lines_in_tasks(path, data))


JSON = st.sampled_from(
    [
        '{"u": "ann", "i": "a", "t": 3}',
        '{"u": "bob", "i": ["a", "b"]}',
        '{"u": 7, "i": "b", "t": 1}',
        '{"u": "c", "i": "b"}',
        '["a", "c"]',
        "{",
        "",
        "null",
    ]
)


JSON_WAYS = [
    {"user": "u", "item": "i"},
    {"item": "i"},
    {"user": "u", "time": "t", "item": "i"},
    {"user": "u", "origin": "i", "destination": "u"},
]


@pytest.mark.parametrize("options", JSON_WAYS)
@settings(max_examples=30)
@given(lines=st.lists(JSON, max_size=12), data=st.data())
def test_json_lines(tmp_path_factory, options, lines, data):
    """A sequence per line, or an event per line where a time is named."""
    path = tmp_path_factory.mktemp("json") / "log.jsonl"
    path.write_text("".join(line + "\n" for line in lines))
    layout = Layout(format="jsonl-events" if {"time", "origin"} & {*options} else "jsonl", **options)
    plan = Plan("sequences", DOMAIN, layout, "json", layout.columns(), files={7: 0}, buckets=2, version=VERSION)

    assert of_table(read_sequences(path, domain=DOMAIN, **options)) == read(plan, lines_in_tasks(path, data))


@settings(max_examples=30)
@given(lines=st.lists(st.sampled_from(["a b", "c", "", "zzz", "a zzz b", " a"]), max_size=12), data=st.data())
def test_lines_of_labels(tmp_path_factory, lines, data):
    """A sequence per line; what is left empty is dropped."""
    path = tmp_path_factory.mktemp("lines") / "log.seq"
    path.write_text("".join(line + "\n" for line in lines))
    plan = Plan("sequences", DOMAIN, Layout(format="lines"), "labels", {}, files={7: 0}, version=VERSION)

    assert of_table(read_sequences(path, domain=DOMAIN)) == read(plan, lines_in_tasks(path, data))


def test_a_user_is_read_alike_whoever_else_is_there():
    """Locality: read(D ∪ u) = read(D) ⊎ read(u), for a user with every odd value there is."""
    rows = [(u, t, i) for u in ("ann", "bob") for t in ("1", "2026-03-01", "never") for i in ("a", "b", "zzz")]
    odd = [("mallory", t, i) for t in (None, "", "9" * 400, "nan", "2026-13-01") for i in ("", None, "a" * 10_000, "c")]
    layout = Layout(format="arrow", user="user", time="time", item="item", session="day")
    plan = Plan("sequences", DOMAIN, layout, "columns", layout.columns(), buckets=2, version=VERSION)

    def task(some: list[Any], first: int) -> list[Any]:
        columns = dict(zip(("user", "time", "item"), map(list, zip(*some, strict=True)), strict=True))
        place = pa.array(range(first, first + len(some)), pa.int64())
        return pa.table({**{n: pa.array(v, pa.string()) for n, v in columns.items()}, "place": place}).to_batches()

    together = read(plan, [task(odd[:9], 0), task(rows, 100), task(odd[9:], 200)])

    assert together == read(plan, [task(rows, 0)]) + read(plan, [task(odd[:9], 0), task(odd[9:], 200)])


def test_another_version_is_refused():
    """Executors with other code would read otherwise."""
    plan = Plan("sequences", DOMAIN, Layout(format="arrow", item="i"), "columns", {"item": "i"}, version="another")
    for work in (alone, scattered):
        with pytest.raises(RuntimeError, match="version"):
            list(partial(work, plan=plan)(iter([])))
