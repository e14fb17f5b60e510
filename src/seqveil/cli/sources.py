"""How a verb gets from a file to a table, in two steps: its format first, its rows only after the ledger knows.

Between the two a specimen of the file, made-up rows in its format, goes through the same reader: what can fail without the rows
then fails before anything is spent.

A method says what `kind` of data it works on; a kind's reader is looked up here by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain
    from seqveil.tables.units import Unit

KINDS = {
    "sequences": "seqveil.cli.sources:read_sequences",
    "sets": "seqveil.cli.sources:read_sets",
    "relational": "seqveil.cli.sources:read_relational",
    "graph": "seqveil.cli.sources:read_graph",
}
"""Each reader takes a Source and returns (description, function that reads the rows)."""


@dataclass(frozen=True)
class Source:
    """A file and how it was described on the command line; nothing of it has been read."""

    file: Path
    domain: Domain
    format: str | None = None
    user: str | None = None
    time: str | None = None
    item: str | None = None
    session: str = "none"
    timezone: str = "UTC"
    outside: str = "drop"
    delimiter: str | None = None
    header: bool = True
    time_unit: str = "s"
    time_format: str | None = None
    max_events: int | None = None
    options: dict[str, Any] = field(default_factory=dict)


def kind_of(given: str | None, method: str) -> str:
    """What is read: what the method works on, or for sets also a relational table.

    A method counts on the make-up of its tables: records of a sequence may repeat a label, those of a set may not.

    >>> kind_of(None, "graph"), kind_of("relational", "sets")
    ('graph', 'relational')
    >>> kind_of("sequences", "sets")
    Traceback (most recent call last):
    seqveil.errors.CallError: --kind 'sequences': this method works on sets: write --kind sets or relational, or leave it out.
    """
    allowed = [method, "relational"] if method == "sets" else [method]
    if given is not None and given not in allowed:
        advice = f"write --kind {' or '.join(allowed)}, or leave it out."
        raise CallError(f"--kind {given!r}: this method works on {method}: {advice}")
    return given or method


def open_source(kind: str, source: Source) -> tuple[str, Callable[[], Any]]:
    """What the format is, in words, and how to read the rows; format problems are raised here, all at once."""
    from seqveil.sources.spool import spooled

    if kind not in KINDS:
        raise CallError(f"--kind {kind!r}: choose one of {', '.join(KINDS)}.")
    source = replace(source, file=spooled(source.file))
    module, _, name = KINDS[kind].partition(":")
    reader: Callable[[Source], tuple[str, Callable[[], Any]]] = getattr(import_module(module), name)
    return reader(source)


def read_specimen(kind: str, source: Source) -> Any:
    """The table of a specimen of the source, read as the source will be."""
    from seqveil.sources.session import Session
    from seqveil.sources.specimen import Described, specimen
    from seqveil.sources.spool import spooled

    format = format_of(kind, source)
    roles = {"user": source.user, "time": source.time, "item": source.item, "session": Session.parse(source.session).column}
    usual = {"csv": ",", "tsv": "\t", "lines": "\t" if source.domain.has_blanks else " "}.get(format, " ")
    described = Described(
        format,
        (source.domain.label(0), source.domain.label(len(source.domain) - 1)),
        {role: name for role, name in roles.items() if name},
        columns=[label.partition("=")[0] for label in source.domain.labels(range(len(source.domain)))]
        if kind == "relational"
        else ("item", "items", "sequence"),
        separator=source.delimiter or usual,
        header=source.header,
        time_format=source.time_format,
    )
    return open_source(kind, replace(source, file=specimen(spooled(source.file), described)))[1]()


def format_of(kind: str, source: Source) -> str:
    """The format of a source that was inspected."""
    from seqveil.sources.graphs import guess_graph_format
    from seqveil.sources.layout import guess_format

    if kind == "graph":
        return source.format or guess_graph_format(source.file) or ""
    columns = kind != "relational" and bool(source.user or source.time or source.item or source.session != "none")
    return source.format or guess_format(source.file.name, columns=columns, time=source.time is not None) or ""


def read_sequences(source: Source) -> tuple[str, Callable[[], Any]]:
    """Sequences: any format that the tables can read."""
    from seqveil.sources import inspect_format, read_inspected

    if source.outside not in ("drop", "other"):
        raise CallError(f"--outside {source.outside!r}: write drop or other.")
    layout = inspect_format(
        source.file,
        domain=source.domain,
        format=source.format,
        user=source.user,
        time=source.time,
        item=source.item,
        session=source.session,
        timezone=source.timezone,
        delimiter=source.delimiter,
        header=source.header,
        time_unit=source.time_unit,
        time_format=source.time_format,
        max_events=source.max_events,
    )
    return layout.description, lambda: read_inspected(source.file, source.domain, layout, outside=source.outside)[0]


def read_sets(source: Source) -> tuple[str, Callable[[], Any]]:
    """Sets: whatever holds sequences, with order and repeats forgotten."""
    description, read = read_sequences(source)

    def read_rows() -> Any:
        from seqveil.tables.sets import SetTable

        return SetTable.of(read())

    return f"sets: {description}", read_rows


def read_relational(source: Source) -> tuple[str, Callable[[], Any]]:
    """Relational tables as sets: the columns and categories are those of the domain's attribute=value labels."""
    from seqveil.sources.relational import inspect_relational

    if source.item or source.time or source.session != "none":
        raise CallError("--kind relational reads one record per row: leave out --item, --time and --session.")
    if source.outside != "drop" or not source.header:
        raise CallError("--kind relational needs a header and drops what is not declared: leave out --outside and --no-header.")
    return inspect_relational(
        source.file,
        domain=source.domain,
        user=source.user,
        format=source.format,
        delimiter=source.delimiter,
        max_events=source.max_events,
    )


def read_graph(source: Source) -> tuple[str, Callable[[], Any]]:
    """Graphs: edge lists, CSV and GraphML over the vertices of the domain, whose order must be public."""
    from seqveil.sources.graphs import inspect_graph

    if source.user or source.time or source.item or source.session != "none" or source.outside != "drop" or source.max_events:
        rest = "--user, --time, --item, --session, --outside and --max-events"
        raise CallError(f"--kind graph reads one edge per row: leave out {rest}.")
    return inspect_graph(
        source.file,
        domain=source.domain,
        order_is_public=source.options.get("order_is_public", False),
        format=source.format,
        delimiter=source.delimiter,
        header=source.header,
    )


def unit_of(name: str | None, user: str | None, max_sequences: int, kind: str | None = None, k: int = 1) -> Unit:
    """The unit: an edge of a graph, else the user where one is named, else the record."""
    from seqveil.tables.units import Edge, Record, User

    chosen = name or ("edge" if kind == "graph" else "user" if user else "record")
    if (chosen == "edge") != (kind == "graph") and kind is not None:
        allowed = "edge (a graph is protected edge by edge)" if kind == "graph" else "user or record (only graphs have edges)"
        raise CallError(f"--unit {chosen}: write {allowed}.")
    if chosen == "edge":
        return Edge(k)
    if chosen == "user" and user is None:
        raise CallError("--unit user: add --user COLUMN, which says whose each row is, or write --unit record.")
    if chosen == "user":
        return User(max_sequences=max_sequences)
    if chosen == "record":
        return Record()
    raise CallError(f"--unit {chosen!r}: write user (everything one person owns), record (one sequence) or edge.")
