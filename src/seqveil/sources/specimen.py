"""A specimen of a file: a few simulated rows in the same format, under the same name and with the same header.

Reading it goes through the code that will read the real file, before anything is spent: modules are imported and kernels are
compiled. Nothing of a row of the real file is in it; names of columns and their types are public.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from xml.sax.saxutils import quoteattr

import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.sources.blocks import first_line
from seqveil.sources.lines import line_separator
from seqveil.sources.source import Source
from seqveil.sources.spool import Spool, spool_of

_TIMES = ("2000-01-01T00:00:02", "2", "2000-01-01T00:00:01")


@dataclass(frozen=True, slots=True)
class Described:
    """What is public about a file: its format, its columns by role, and two labels that may stand in it."""

    format: str
    labels: tuple[str, str]
    roles: dict[str, str] = field(default_factory=dict)
    columns: Sequence[str] = ()
    separator: str = ","
    header: bool = True
    time_format: str | None = None

    def times(self) -> list[str]:
        """A few times as the file would spell them."""
        if self.time_format in (None, "text"):
            return list(_TIMES)
        return [datetime(2000, 1, 1, 0, 0, second).strftime(str(self.time_format)) for second in (2, 2, 1)]


def specimen_of(source: Source) -> Spool:
    """A made-up file like that of a source, over its labels."""
    domain, format = source.domain if source.time is None else source.domain.untimed, source.decided_format or ""
    usual = {"csv": ",", "tsv": "\t", "lines": line_separator(domain)}.get(format, " ")
    # Where no label is public, two are made up.
    first, last = (domain.label(0), domain.label(len(domain) - 1)) if len(domain) else ("first", "last")
    attributes: list[str] = []
    if source.reader == "relational":  # a label is attribute=value: the one names a column, the other stands in it
        attributes = [label.partition("=")[0] for label in domain.labels(range(len(domain)))]
        first, last = first.partition("=")[2], last.partition("=")[2]
    described = Described(
        format,
        (first, last),
        source.columns(),
        columns=attributes or ("item", "items", "sequence"),
        separator=source.delimiter or usual,
        header=source.header,
        time_format=source.time_format,
    )
    return specimen(source.file, described)


def specimen(path: Spool, file: Described) -> Spool:
    """A made-up file like the one at a path."""
    if file.format == "parquet":
        return spool_of(path.name, _parquet(path, file))
    if file.format in ("csv", "tsv", "events"):
        body = _separated(path, file)
    elif file.format in ("xes", "graphml"):
        body = _markup(file)
    elif file.format in ("jsonl", "jsonl-events"):
        body = _json_lines(file)
    else:
        end = " -1 -2" if file.format == "spmf" else ""
        first, second = file.labels
        body = f"{first}{' -1 ' if end else file.separator}{second}{end}\n{second}{end}\n"
    data = body.encode("utf-8", "replace")
    return spool_of(path.name, gzip.compress(data) if path.suffix == ".gz" else data)


def _separated(path: Spool, file: Described) -> str:
    """The header as it is, and rows in which users and times are out of order, so that they are sorted."""
    if file.header:
        head = first_line(path).decode("utf-8", "replace")
        names = head.split() if file.separator == " " else next(csv.reader([head], delimiter=file.separator), [])
        names, width = [name.strip() for name in names], len(names)
        at = {role: names.index(name) for role, name in file.roles.items() if name in names}
    else:
        head, at = "", {role: int(name) - 1 for role, name in file.roles.items() if name.isdecimal()}
        width = max([1, *at.values()]) + 1
    text = io.StringIO()
    writer = csv.writer(text, delimiter=file.separator, lineterminator="\n")
    for label, user, time in zip([*file.labels, file.labels[0]], "vuv", file.times(), strict=True):
        cells = [file.labels[place % 2] for place in range(width)]
        for role, place in at.items():
            cells[place] = {"user": user, "time": time, "session": user}.get(role, label)
        writer.writerow(cells)
    return (head + "\n" if head else "") + text.getvalue()


def _json_lines(file: Described) -> str:
    rows = zip([*file.labels, file.labels[0]], "vuv", file.times(), strict=True)
    ends = [name for role, name in file.roles.items() if role in ("origin", "destination")]
    item = file.roles.get("item", "item" if file.format == "jsonl-events" else "items")
    named = {role: name for role, name in file.roles.items() if role not in ("item", "origin", "destination")}
    lines = []
    for label, user, time in rows:
        row = {name: time if role == "time" else user for role, name in named.items()}
        row |= dict.fromkeys(ends, label)
        lines.append(json.dumps(row | {item: label if file.format == "jsonl-events" else list(file.labels)}))
    return "\n".join(lines) + "\n"


def _markup(file: Described) -> str:
    first, second = (quoteattr(label) for label in file.labels)
    if file.format == "graphml":
        return f'<graphml><graph edgedefault="undirected"><edge source={first} target={second}/></graph></graphml>'
    roles = {"item": "concept:name"} | file.roles
    events = []
    for label, time in zip((first, second, first), file.times(), strict=True):
        cells = f"<string key={quoteattr(roles['item'])} value={label}/>"
        if "time" in roles:
            cells += f"<date key={quoteattr(roles['time'])} value={quoteattr(time)}/>"
        events.append(f"<event>{cells}</event>")
    who = f'<string key={quoteattr(roles["user"])} value="u"/>' if "user" in roles else ""
    return f"<log><trace>{who}{''.join(events)}</trace></log>"


def _parquet(path: Spool, file: Described) -> bytes:
    """Made-up values where the type of a column takes them, else missing ones: the type alone decides how it is read."""
    schema = pq.read_schema(path)
    wanted = [name for name in schema.names if name in {*file.roles.values(), *file.columns}] or schema.names
    made_up = {"user": ["v", "u", "v"], "time": file.times(), "session": ["v", "u", "v"]}
    rows = {name: made_up.get(role, [*file.labels, file.labels[0]]) for role, name in file.roles.items()}
    table = pa.table({name: column_of(schema.field(name).type, rows.get(name, list("abc"))) for name in wanted})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


def column_of(kind: pa.DataType, texts: list[str]) -> pa.Array:
    """Made-up values of a type, or missing ones where it takes none of them."""
    for values in (pa.array(texts), pa.array([2, 1, 2])):
        try:
            return values.cast(kind)
        except pa.ArrowException:
            continue
    return pa.nulls(len(texts), kind)
