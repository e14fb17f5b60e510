"""Relational tables as sets of attribute=value: every row a record, every declared category a label of the domain.

The domain declares the categories, one `attribute=value` per line; its attributes are the columns that are read. A value that is
not declared is dropped in silence, as everything outside a domain is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.sources.blocks import archive_problems, line_blocks
from seqveil.sources.cap import Cap, check_cap
from seqveil.sources.columns import as_text, is_text_like
from seqveil.sources.delimited import header_names, split_cells
from seqveil.sources.formats import FRAME, suffixes, words
from seqveil.sources.frames import NO_FRAME, Column, Frame, columns_of, open_parquet, parquet_batches
from seqveil.sources.layout import Layout
from seqveil.sources.problems import delimiter_problems, no_user_to_bound, unused
from seqveil.sources.source import Reading, Source
from seqveil.sources.tally import Tally
from seqveil.surface import parameter
from seqveil.tables.attributes import split_label
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.lots import digests
from seqveil.tables.sets import SetTable
from seqveil.tables.spans import Numbering, Spans


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column, its declared values, and the code of each in the whole domain (and -1, for what is not declared)."""

    name: str
    values: Domain
    codes: NDArray[np.int32]

    def find(self, cells: Spans) -> NDArray[np.int32]:
        """Codes of the whole domain."""
        return np.asarray(self.codes[self.values.find(cells)])


def attributes_of(domain: Domain) -> list[Attribute]:
    """The attributes of a domain of `attribute=value` labels, in the order of their first label.

    >>> [(a.name, len(a.values)) for a in attributes_of(Domain.of(["sex=f", "sex=m", "smokes=yes"]))]
    [('sex', 2), ('smokes', 1)]
    """
    declared: dict[str, list[tuple[str, int]]] = {}
    for code, label in enumerate(domain.labels(range(len(domain)))):
        pair = split_label(label)
        if pair is None:
            raise InputProblems("the domain", [f"label {code + 1} ({label!r}) is not a category: write attribute=value"])
        declared.setdefault(pair[0], []).append((pair[1], code))
    return [
        Attribute(name, Domain.of(value for value, _ in pairs), np.array([code for _, code in pairs] + [-1], np.int32))
        for name, pairs in declared.items()
    ]


def inspect_relational(source: Source) -> Reading:
    """How the rows will be read; InputProblems for what is wrong with the format."""
    format = source.decided_format or ""
    problems = _call_problems(source)
    if not problems and source.is_file:
        problems = archive_problems(source.file, begins="frame" if format == "parquet" else "header")
    if problems:
        raise InputProblems(source.name, problems)
    attributes = attributes_of(source.domain)
    wanted = [a.name for a in attributes] + ([source.user] if source.user else [])
    rows = Rows(source.domain, attributes, source.user, source.max_events)
    description = words(format, "relational")
    if format == FRAME:
        frame = Frame.of(source.data)
        _refuse(source.name, wanted, frame.schema.names, frame.schema)
        return Reading(description, lambda: _read(_spelled(frame.batches(wanted), wanted), rows))
    if format == "parquet":
        return Reading(description, _parquet(source.file, wanted, rows))
    layout = source.layout(format)
    try:
        names = header_names(source.file, layout)
    except Exception:
        unreadable = "line 1 (the header) cannot be read: save the file as UTF-8, with one name per column"
        raise InputProblems(source.name, [unreadable]) from None
    _refuse(source.name, wanted, names, None)
    return Reading(description, lambda: _read(_lines(source.file, layout, names, wanted), rows))


def _call_problems(source: Source) -> list[str]:
    """What is wrong with the parameters, before any file is opened."""
    check_cap(source.max_events)
    problems = unused(
        source, ["item", "origin", "destination", "time", "session", "time_bins"], "a relational table has one record per row"
    )
    problems += unused(source, ["outside", "header"], "a relational table needs a header, and drops what is not declared")
    problems += unused(source, ["order_is_public"], "only graphs have an order of vertices")
    if source.max_events is not None and source.user is None:
        problems.append(no_user_to_bound(source.max_events))
    if not source.is_file:
        return problems if source.decided_format == FRAME else [*problems, NO_FRAME]
    if source.decided_format not in ("csv", "tsv", "parquet"):
        allowed = ", ".join(suffixes("relational"))
        problems.append(f"is not a table with columns: give a file {allowed}, or add {parameter('format', 'csv')}")
    return problems + delimiter_problems(source)


def read_relational(
    data: Any,
    *,
    domain: Domain,
    user: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    max_events: int | None = None,
) -> SetTable:
    """The rows of a CSV or Parquet file or a data frame as sets of attribute=value labels.

    >>> import polars as pl
    >>> domain = Domain.of(["sex=f", "sex=m", "smokes=yes", "smokes=no"])
    >>> people = pl.DataFrame({"sex": ["f", "m", "?"], "smokes": ["no", "yes", None], "name": ["a", "b", "c"]})
    >>> [codes.tolist() for codes in read_relational(people, domain=domain).flat]
    [[0, 3], [1, 2]]
    """
    source = Source(data, domain, "relational", user=user, format=format, delimiter=delimiter, max_events=max_events)
    table: SetTable = source.read()
    return table


@dataclass(frozen=True, slots=True)
class Rows:
    """What every row is read for: its declared categories and, where users are named, its owner."""

    domain: Domain
    attributes: list[Attribute]
    user: str | None
    max_events: int | None


def _refuse(source: str, wanted: list[str], names: list[str], schema: Any) -> None:
    problems = [f"has no column {name!r}, which the domain or {parameter('user')} names" for name in wanted if name not in names]
    problems += [f"has the column {name!r} more than once" for name in wanted if names.count(name) > 1]
    if not problems and schema is not None:
        kinds = {name: schema.field(name).type for name in wanted}
        problems = [f"column {n!r} holds {k}: give text or numbers" for n, k in kinds.items() if not is_text_like(k)]
    if problems:
        raise InputProblems(source, problems)


def _spelled(batches: Iterable[dict[str, Column]], wanted: list[str]) -> Iterator[list[Spans]]:
    return ([as_text(batch[name]) for name in wanted] for batch in batches)


def _parquet(path: Path, wanted: list[str], rows: Rows) -> Callable[[], SetTable]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError):
        raise InputProblems(str(path), ["is not a Parquet file, or is truncated: copy it again"]) from None
    _refuse(str(path), wanted, schema.names, schema)

    def read() -> SetTable:
        try:
            with open_parquet(path) as file:
                batches = parquet_batches(file, sorted(set(wanted)))
                return _read(_spelled(columns_of(batches, wanted), wanted), rows)
        except (pa.ArrowException, OSError):
            raise InputProblems(str(path), ["is a damaged Parquet file: copy it again"]) from None

    return read


def _lines(path: Path, layout: Layout, names: list[str], wanted: list[str]) -> Iterator[list[Spans]]:
    columns = sorted({names.index(name) for name in wanted})
    place = np.full(columns[-1] + 1, -1, np.int64)
    place[columns] = np.arange(len(columns))
    tally = Tally()
    for number, block in enumerate(line_blocks(path)):
        rows = block[int(np.argmax(block == 10)) + 1 :] if number == 0 else block
        if len(rows):
            cells = split_cells(rows, layout.separator, place, len(columns), tally)
            yield [cells[columns.index(names.index(name))] for name in wanted]


def _read(cells: Iterator[list[Spans]], rows: Rows) -> SetTable:
    """Rows without any declared value, or without a user where users are named, are left out."""
    people, cap = Numbering(), None if rows.max_events is None else Cap(rows.max_events)
    sets: list[NDArray[np.int32]] = [np.zeros((0, len(rows.attributes)), np.int32)]
    owners: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for columns in cells:
        codes = np.stack([a.find(column) for a, column in zip(rows.attributes, columns, strict=False)], axis=1)
        keep = (codes >= 0).any(axis=1)
        if rows.user is not None:
            owner = people.number(columns[-1]).astype(np.int64)
            keep &= owner >= 0
            if cap is not None:
                cap.apply(owner, keep)
            owners.append(owner[keep])
        sets.append(codes[keep])
    wide = np.sort(np.concatenate(sets), axis=1)
    declared = wide >= 0
    offsets = np.concatenate([[0], np.cumsum(declared.sum(axis=1))]).astype(np.int64)
    flat = Flat(wide[declared], offsets)
    if rows.user is None:
        return SetTable(rows.domain, flat)
    users = np.concatenate(owners)
    return SetTable(rows.domain, flat, users, digests(people.spans())[users])
