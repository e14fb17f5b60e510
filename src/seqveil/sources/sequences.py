"""The two doors of the readers: `inspect_format` looks at the format alone, `read_sequences` reads.

Before anything is spent, `inspect_format` collects every problem that is visible without looking at values. After it,
`read_sequences` never raises for what stands in a row: that would tell whose row it was.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from seqveil.errors import CallError, InputProblems
from seqveil.sources.arrow import parquet_problems, read_batches, read_parquet, schema_problems, with_item
from seqveil.sources.blocks import archive_problems
from seqveil.sources.cap import check_cap
from seqveil.sources.delimited import delimited_problems, read_delimited
from seqveil.sources.frames import Frame
from seqveil.sources.jsonl import jsonl_problems, read_jsonl
from seqveil.sources.layout import FORMATS, Layout, call_problems, guess_format
from seqveil.sources.lines import line_problems, read_lines
from seqveil.sources.session import Session
from seqveil.sources.spool import spooled
from seqveil.sources.tally import Tally
from seqveil.sources.xes import read_xes, xes_problems
from seqveil.tables.domain import Domain
from seqveil.tables.sequences import SequenceTable

Problems = Callable[[Path, Layout, Domain | None], list[str]]
Reader = Callable[[Path, Layout, Domain, Tally], SequenceTable]

_READERS: dict[str, tuple[Problems, Reader]] = {
    **dict.fromkeys(("lines", "dat", "spmf"), (line_problems, read_lines)),
    **dict.fromkeys(("csv", "tsv", "events"), (delimited_problems, read_delimited)),
    **dict.fromkeys(("jsonl", "jsonl-events"), (jsonl_problems, read_jsonl)),
    "parquet": (parquet_problems, read_parquet),
    "xes": (xes_problems, read_xes),
}


def inspect_format(
    source: Any,
    *,
    domain: Domain | None = None,
    format: str | None = None,
    user: str | None = None,
    time: str | None = None,
    item: str | None = None,
    session: str = "none",
    timezone: str = "UTC",
    delimiter: str | None = None,
    header: bool = True,
    time_unit: str = "s",
    time_format: str | None = None,
    max_events: int | None = None,
) -> Layout:
    """How the source will be read (`.description` in words), or InputProblems with everything that is wrong with it."""
    if domain is not None and not isinstance(domain, Domain):
        raise CallError(
            f"domain = {domain!r:.60}: give a Domain, for example sv.Domain.parse('stations.txt') or sv.Domain.of(labels)."
        )
    check_cap(max_events)
    source = spooled(source) if _is_path(source) else source
    name = str(source) if _is_path(source) else "the data frame"
    problems: list[str] = []
    kind = _format(source, format, any((user, time, item)) or session != "none", time is not None, problems)
    try:
        cut = Session.parse(session)
    except ValueError as error:
        problems.append(str(error))
        cut = Session()
    if kind is None:
        raise InputProblems(name, problems)
    packed = _is_path(source) and Path(source).suffix == ".gz"
    layout = Layout(kind, user, time, item, cut, timezone, delimiter, header, time_unit, time_format, packed, max_events)
    problems += call_problems(layout)
    problems += _source_problems(source, layout, domain)
    if problems:
        raise InputProblems(name, problems)
    return layout


def read_sequences(
    source: Any,
    *,
    domain: Domain,
    format: str | None = None,
    user: str | None = None,
    time: str | None = None,
    item: str | None = None,
    session: str = "none",
    timezone: str = "UTC",
    outside: str = "drop",
    delimiter: str | None = None,
    header: bool = True,
    time_unit: str = "s",
    time_format: str | None = None,
    max_events: int | None = None,
    on_format: Callable[[str], None] | None = None,
) -> SequenceTable:
    """The sequences of a file (str or Path) or of a data frame (Polars, pandas, PyArrow), encoded against the domain.

    Args:
        source: a path (a pipe, a FIFO, or "-" for standard input too), or any object with the Arrow stream interface.
        domain: the public universe of labels.
        format: one of `FORMATS`; taken from the file's name when left out, and told to `on_format` either way.
        user, time, item: the columns of an event log, by name, or by position ("1", "2", …) with `header=False`.
        session: "none" (one sequence per user), "day", "gap:30m", or a column.
        timezone: the zone of times that name none, and of the midnights that cut days.
        outside: "drop" (items outside the domain vanish in silence) or "other" (they become one public label).
        delimiter: the character between two columns or two labels, when it is not the usual one.
        header: whether the first line of an event log names its columns.
        time_unit: what plain numbers count: ns, us, ms, s, m, h or d.
        time_format: a strptime pattern, or "text" for times that are ordered as text.
        max_events: the most rows of one user that are used: the first of the file, counting only rows that can be used.

    Raises:
        InputProblems: everything that is wrong with the format; never anything that stands in a row.
    """
    source = spooled(source) if _is_path(source) else source
    layout = inspect_format(
        source,
        domain=domain,
        format=format,
        user=user,
        time=time,
        item=item,
        session=session,
        timezone=timezone,
        delimiter=delimiter,
        header=header,
        time_unit=time_unit,
        time_format=time_format,
        max_events=max_events,
    )
    return read_inspected(source, domain, layout, outside=outside, on_format=on_format)[0]


def read_inspected(
    source: Any,
    domain: Domain,
    layout: Layout,
    *,
    outside: str = "drop",
    on_format: Callable[[str], None] | None = None,
) -> tuple[SequenceTable, Tally]:
    """The sequences of an inspected source, and what was left out of them (INTERNAL)."""
    if outside not in ("drop", "other"):
        raise CallError(f"outside = {outside!r}: write drop or other.")
    if on_format is not None:
        on_format(layout.description)
    domain = domain.with_other() if outside == "other" else domain
    tally = Tally()
    if layout.format == "arrow":
        frame = Frame.of(source)
        batches = frame.batches(with_item(layout, frame.schema).values())
        return read_batches(batches, frame.schema, layout, domain, tally), tally
    return _READERS[layout.format][1](spooled(source), layout, domain, tally), tally


def _is_path(source: Any) -> bool:
    return isinstance(source, str | Path)


def _format(source: Any, given: str | None, columns: bool, time: bool, problems: list[str]) -> str | None:
    known = ", ".join(name for name in FORMATS if name != "arrow")
    if not _is_path(source):
        if hasattr(source, "__arrow_c_stream__"):
            return "arrow"
        problems.append("has no Arrow interface: give a path or a Polars, pandas or PyArrow table (collect lazy frames)")
        return None
    if given is not None and (given not in FORMATS or given == "arrow"):
        problems.append(f"--format {given!r} is unknown: write one of {known}")
        return None
    kind = given or guess_format(Path(source).name, columns=columns, time=time)
    if kind is None:
        problems.append(f"does not tell its format by its name: add --format with one of {known}")
    return kind


def _source_problems(source: Any, layout: Layout, domain: Domain | None) -> list[str]:
    if layout.format == "arrow":
        return schema_problems(layout, Frame.of(source).schema)
    path = spooled(source)
    found = archive_problems(path, begins=layout.begins)
    return found or _READERS[layout.format][0](path, layout, domain)
