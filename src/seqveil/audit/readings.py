"""Every reader, put so that two readings can be compared: rows go in, what was read, counted and told comes out.

Locality is `read(D ∪ u) = read(D) ⊎ read(u)`: reading two people's rows together gives what reading them apart gives, wherever
the second one's rows stand. Users are compared by what they own, since their numbers follow the order of the file.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from seqveil.audit.scratch import file_of, small_domain
from seqveil.errors import SeqveilError
from seqveil.tables.domain import Domain

Row = Any
"""A line without its end (bytes), or the values of a row of a frame."""

_EVENTS: dict[str, Any] = {"user": "u", "time": "t", "item": "i"}
_NAMED = ("session", "time_format", "time_bins", "origin", "destination")
"""What tells one way to read a format from another."""

_ADDED = (
    "rows",
    "broken_rows",
    "no_user",
    "no_session",
    "bad_time",
    "no_item",
    "cut_off",
    "outside",
    "items",
    "outside_calendar",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of some rows: the records of every owner, the tally, and what was said about the format."""

    content: Counter[Any]
    counts: Counter[str]
    message: str


@dataclass(frozen=True, slots=True)
class Reader:
    """A way to read rows. `owned` says that a row must name its owner; `shared` that equal records of two owners are one."""

    name: str
    read: Callable[[Sequence[Row]], Reading]
    owned: bool = False
    shared: bool = False


PLACES = ("before", "after", "among")


def differing(
    reader: Reader, base: Sequence[Row], unit: Sequence[Row], apart: Reading | None = None, places: Sequence[str] = PLACES
) -> str | None:
    """How reading the base changes when the rows of a unit join it, before, after or among them; None when it does not.

    `apart` is what the reader gives for the base alone, where it is known already.
    """
    apart, alone = apart or reader.read(base), reader.read(unit)
    middle = len(base) // 2
    joined = {
        "before": [*unit, *base],
        "after": [*base, *unit],
        "among": [*base[:middle], *unit, *base[middle:]],
    }
    for place in places:
        together = reader.read(joined[place])
        if together.message != apart.message:
            return f"rows of one person {place} the others' decide what is said about the format"
        expected = apart.content | alone.content if reader.shared else apart.content + alone.content
        if together.content != expected:
            return f"rows of one person {place} the others' change how those are read"
        if together.counts != apart.counts + alone.counts:
            return f"rows of one person {place} the others' change what is left out of those"
    return None


def _owned(table: Any) -> Counter[Any]:
    """The records of a table, together by owner where there are owners."""
    records = [tuple(record.tolist()) for record in table.flat]
    if table.owners is None:
        return Counter(records)
    people = defaultdict(list)
    for owner, record in zip(table.owners.tolist(), records, strict=True):
        people[owner].append(record)
    return Counter(tuple(sorted(mine)) for mine in people.values())


def _guarded(read: Callable[[], Reading]) -> Reading:
    """A refusal is an outcome; any other exception is the reader's own mistake and goes on."""
    try:
        return read()
    except SeqveilError as refusal:
        return Reading(Counter(), Counter(), str(refusal))


def read_described(source: Any, outside: str = "drop", **described: Any) -> Reading:
    """Sequences of a file or a data frame."""
    from seqveil.sources import Source
    from seqveil.sources.sequences import read_tallied

    def read() -> Reading:
        table, layout, tally = read_tallied(Source(source, small_domain(), outside=outside, **described))
        counts = asdict(tally)
        return Reading(_owned(table), Counter({name: counts[name] for name in _ADDED}), layout.describe())

    return _guarded(read)


def _table(read: Callable[[], tuple[str, Callable[[], Any]]]) -> Reading:
    """Whatever is inspected first and read with the function that this gives."""

    def both() -> Reading:
        description, table = read()
        return Reading(_owned(table()), Counter(), description)

    return _guarded(both)


def _body(rows: Iterable[bytes], header: bytes = b"") -> bytes:
    return header + b"".join(row.replace(b"\n", b" ") + b"\n" for row in rows)


def _sequences(name: str, line_1: bytes = b"", owned: bool = False, **described: Any) -> Reader:
    def read(rows: Sequence[bytes]) -> Reading:
        body = _body(rows, line_1)
        return read_described(file_of(f"apart.{name}", gzip.compress(body, 1) if name.endswith("gz") else body), **described)

    words = ", ".join(f"{key}={value}" for key, value in described.items() if key in _NAMED)
    return Reader(f"{name}{', by user' if owned else ''}{f' ({words})' if words else ''}", read, owned)


def _labels(name: str, line_1: bytes = b"", owned: bool = False, **described: Any) -> Reader:
    """Labels that nobody has listed, as each unit has them: the codes that they get follow from everybody's."""

    def read(rows: Sequence[bytes]) -> Reading:
        from seqveil.sources.unlisted import labels_source

        def both() -> Reading:
            description, table = labels_source(file_of(f"labels.{name}", _body(rows, line_1)), **described).reading
            labels = table()
            return Reading(Counter(tuple(labels.words.text(own)) for own in labels.flat), Counter(), description)

        return _guarded(both)

    return Reader(f"labels of {name}{', by user' if owned else ''}", read, owned)


def _timed(name: str, calendar: bytes) -> Reader:
    """Events in the bins of a file, which leaves most moments out."""

    def read(rows: Sequence[bytes]) -> Reading:
        bins = str(file_of(f"apart-{name}", calendar))
        return read_described(file_of("apart-timed.csv", _body(rows, b"u,t,i\n")), **_EVENTS, time_bins=bins)

    return Reader(f"csv, by user (time_bins={name})", read, owned=True)


def _names(rows: Sequence[bytes]) -> Reading:
    from seqveil.sources.names import inspect_names
    from seqveil.tables.names import Alphabet

    return _table(lambda: inspect_names(file_of("apart-names.txt", _body(rows)), None, Alphabet.parse("latin,а..я,é")))


def _relational(rows: Sequence[bytes]) -> Reading:
    from seqveil.sources import Source

    domain = Domain.of(["s=a", "s=b", "t=1", "t=x y"])
    return _table(lambda: Source(file_of("apart-people.csv", _body(rows, b"s,t\n")), domain, "relational").reading)


def _graph(name: str, header: bytes, frame: tuple[bytes, bytes] | None = None) -> Reader:
    def read(rows: Sequence[bytes]) -> Reading:
        from seqveil.sources import Source

        body = _body(rows, header) if frame is None else frame[0] + b"".join(map(_edge, rows)) + frame[1]

        def both() -> Reading:
            source = Source(file_of(f"apart-graph.{name}", body), small_domain(), "graph", order_is_public=True)
            description, table = source.reading
            edges = table()
            return Reading(Counter(zip(edges.low.tolist(), edges.high.tolist(), strict=True)), Counter(), description)

        return _guarded(both)

    return Reader(f"graph {name}", read, shared=True)


def _quoted(raw: bytes) -> str:
    """Bytes as the value of an XML attribute: characters that no XML may hold are left out, which is what a writer must do."""
    from xml.sax.saxutils import quoteattr

    return quoteattr("".join(c for c in raw.decode("utf-8", "replace") if c >= " " and c not in "\ufffe\uffff"))


def _edge(row: bytes) -> bytes:
    first, _, second = row.partition(b" ")
    return f"<edge source={_quoted(first)} target={_quoted(second)}/>".encode()


def _trace(row: bytes) -> bytes:
    """Owner, time, items."""
    owner, time, *items = row.split(b",")
    events = "".join(
        f'<event><string key="concept:name" value={_quoted(item)}/><date key="time:timestamp" value={_quoted(time)}/></event>'
        for item in items
    )
    return f'<trace><string key="u" value={_quoted(owner)}/>{events}</trace>'.encode()


def _xes(rows: Sequence[bytes]) -> Reading:
    body = b"<log>" + b"".join(_trace(b",".join([row, b"", b""])) for row in rows) + b"</log>"
    return read_described(file_of("apart.xes", body), user="u", time="time:timestamp")


def _parquet(rows: Sequence[bytes]) -> Reading:
    """Columns of bytes, so that any bytes are a value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from seqveil.audit.scratch import folder

    cells = [(row.split(b",", 2) + [None] * 3)[:3] for row in rows]
    columns = {name: pa.array([cell[k] for cell in cells], pa.binary()) for k, name in enumerate("uti")}
    path = folder() / "apart.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=3)
    return read_described(path, **_EVENTS, session="day")


def _blanks(rows: Sequence[bytes]) -> Reading:
    """Columns between blanks, of which there may be any number: what stands in a row may move its cells."""
    body = _body(row.replace(b",", b" ") for row in rows)
    return read_described(file_of("apart.events", body), format="events", user="1", time="2", item="3", header=False)


def _objects(rows: Sequence[bytes]) -> Reading:
    """An object per event; a row without a comma is a line of its own, whatever stands in it."""
    cells = [row.split(b",", 2) for row in rows]
    lines = [b",".join(cell) if len(cell) < 2 else json.dumps(_event(cell)).encode() for cell in cells]
    return read_described(file_of("apart.jsonl-events", _body(lines)), format="jsonl-events", **_EVENTS, session="gap:30m")


def _journey_objects(rows: Sequence[bytes]) -> Reading:
    """An object per journey."""
    lines = [json.dumps(_event(row.split(b",", 2))).encode() for row in rows]
    return read_described(file_of("journeys.jsonl", _body(lines)), user="u", origin="t", destination="i")


def _event(cells: list[bytes]) -> dict[str, str]:
    return {name: cell.decode("utf-8", "replace") for name, cell in zip("uti", cells, strict=False)}


def _stream(name: str, header: bytes = b"", column: str | None = None) -> Reader:
    def read(rows: Sequence[bytes]) -> Reading:
        from seqveil.sources.events import EventStream

        def both() -> Reading:
            stream = EventStream(file_of(f"apart-events.{name}", _body(rows, header)), column=column)
            return Reading(Counter(repr(event) for batch in stream.open() for event in batch), Counter(), stream.kind)

        return _guarded(both)

    return Reader(f"stream {name}", read)


def _bounded_stream(rows: Sequence[bytes]) -> Reading:
    """Events of a stream with their owners, of which two per user and day count."""
    from seqveil.sources.events import EventStream
    from seqveil.wall.continual.bounding import DailyBound

    def both() -> Reading:
        stream = EventStream(file_of("apart-owners.csv", _body(rows, b"u,t,i\n")), column="i", user="u", day="t")
        triples: list[Any] = [triple for batch in stream.open() for triple in batch]
        counts = DailyBound(2).bounded([triple[:2] for triple in triples], np.ones(len(triples)))
        return Reading(Counter(map(repr, zip(triples, counts.tolist(), strict=True))), Counter(), stream.kind)

    return _guarded(both)


BY_LINE = [
    _sequences("lines"),
    _labels("lines"),
    _labels("csv", b"u,t,i\n", item="i"),
    _sequences("lines.gz"),
    _sequences("dat"),
    _sequences("spmf"),
    _sequences("csv", b"u,t,i\n", item="i", outside="other"),
    _sequences("jsonl"),
    _sequences("csv", b"o,d\n", origin="o", destination="d"),
    Reader("names txt", _names),
    Reader("relational csv", _relational),
    _graph("edges", b""),
    _graph("csv", b"from,to\n"),
    _graph("graphml", b"", (b'<graphml><graph edgedefault="undirected">', b"</graph></graphml>")),
    _stream("txt"),
    _stream("csv", b"e,f\n", "e"),
    _stream("jsonl", column="i"),
]
"""Readers of lines that stand for themselves: any bytes are a row."""

BY_OWNER = [
    _labels("csv", b"u,t,i\n", True, **_EVENTS),
    _sequences("csv", b"u,t,i\n", True, **_EVENTS, session="day", timezone="Europe/Paris"),
    _sequences("tsv", b"u,t,i\n", True, **_EVENTS, session="gap:30m", delimiter=","),
    _sequences("tab", b"", True, user="1", time="2", item="3", header=False, time_format="text", delimiter=","),
    _sequences("csv.gz", b"u,t,i\n", True, **_EVENTS, time_format="%d/%m/%Y %H:%M"),
    _sequences(
        "csv", b"u,t,i\n", True, **_EVENTS, session="day", timezone="Europe/Paris", time_bins="15m@04:00", outside="other"
    ),
    _timed("days.tsv", b"first\t1970-01-01\t1970-01-02\nlater\t2000-01-01T12:00\t2026-03-01\n"),
    _sequences("csv", b"u,t,i\n", True, user="u", origin="t", destination="i"),
    _sequences(
        "csv", b"u,t,i,j\n", True, user="u", time="t", origin="i", destination="j", time_bins="60m@04:00", outside="other"
    ),
    Reader("jsonl-events, by user (origin=t, destination=i)", _journey_objects, owned=True),
    Reader("parquet, by user", _parquet, owned=True),
    Reader("xes, by user", _xes, owned=True),
    Reader("events, by user", _blanks, owned=True),
    Reader("jsonl-events, by user", _objects, owned=True),
    Reader("stream, by user and day", _bounded_stream, owned=True),
]
"""Readers of lines that begin with their owner and a comma."""


def _by_objects(name: str, make: Callable[[Sequence[Row]], Any], **described: Any) -> Reader:
    return Reader(f"{name}, by user", lambda rows: read_described(make(rows), **described), owned=True)


def _columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Rows of (owner, time, item) by column."""
    return {name: [row[k] for row in rows] for k, name in enumerate("uti")}


def _polars_objects(rows: Sequence[Row]) -> Any:
    import polars as pl

    return pl.DataFrame({name: pl.Series(name, values, dtype=pl.Object) for name, values in _columns(rows).items()})


def _pandas_objects(rows: Sequence[Row]) -> Any:
    import numpy as np
    import pandas as pd

    columns = {name: pd.Series(np.fromiter(v, object, len(v)), dtype=object) for name, v in _columns(rows).items()}
    return pd.DataFrame(columns, dtype=object)


@cache
def by_value() -> list[Reader]:
    """Readers of values of any type, (owner, time, item); Polars and pandas are tried where they are installed."""
    from importlib.util import find_spec

    described: dict[str, Any] = {"user": "u", "item": "i"}
    makers = {"polars": _polars_objects, "pandas": _pandas_objects}
    kinds = {f"{library} objects": make for library, make in makers.items() if find_spec(library)}
    return [
        *(_by_objects(name, make, **described) for name, make in kinds.items()),
        *(_by_objects(f"{name} with times", make, **described, time="t", session="day") for name, make in kinds.items()),
        *(_by_objects(f"{name} (journeys)", make, user="u", origin="t", destination="i") for name, make in kinds.items()),
        Reader("lists of labels, by user", _listed, owned=True),
    ]


def _listed(rows: Sequence[Row]) -> Reading:
    """`table_of`: the item of a row, and what is in it where it is a list."""
    from seqveil.tables.sequences import table_of

    def read() -> Reading:
        table = table_of([row[2] if isinstance(row[2], list) else [row[2]] for row in rows], small_domain(), [r[0] for r in rows])
        return Reading(_owned(table), Counter(), "")

    return _guarded(read)
