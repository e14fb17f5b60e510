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

from seqveil.errors import CallError, InputProblems
from seqveil.sources.blocks import archive_problems, line_blocks
from seqveil.sources.cap import Cap, check_cap
from seqveil.sources.columns import as_text, is_text_like
from seqveil.sources.delimited import header_names, split_cells
from seqveil.sources.frames import Column, Frame, columns_of, open_parquet, parquet_batches
from seqveil.sources.layout import Layout, guess_format
from seqveil.sources.spool import spooled
from seqveil.sources.tally import Tally
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
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
        name, equals, value = label.partition("=")
        if not (equals and name.strip() and value.strip()):
            raise InputProblems("the domain", [f"label {code + 1} ({label!r}) is no category: write attribute=value"])
        declared.setdefault(name.strip(), []).append((value.strip(), code))
    return [
        Attribute(name, Domain.of(value for value, _ in pairs), np.array([code for _, code in pairs] + [-1], np.int32))
        for name, pairs in declared.items()
    ]


def inspect_relational(
    source: Any,
    *,
    domain: Domain,
    user: str | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    max_events: int | None = None,
) -> tuple[str, Callable[[], SetTable]]:
    """How the source will be read, in words, and the reader of its rows; InputProblems for what is wrong with its format."""
    check_cap(max_events)
    if max_events is not None and user is None:
        raise CallError(f"--max-events {max_events} bounds the rows of each user: add --user COLUMN, or leave it out.")
    attributes = attributes_of(domain)
    wanted = [a.name for a in attributes] + ([user] if user else [])
    name = str(source) if isinstance(source, str | Path) else "the data frame"
    if not isinstance(source, str | Path):
        if not hasattr(source, "__arrow_c_stream__"):
            raise InputProblems(name, ["has no Arrow interface: give a path or a Polars, pandas or PyArrow table"])
        frame = Frame.of(source)
        _refuse(name, wanted, frame.schema.names, frame.schema)
        return "data frame, one record per row", lambda: _read(
            _spelled(frame.batches(wanted), wanted), domain, attributes, user, max_events
        )
    path, kind = spooled(source), format or guess_format(Path(source).name, columns=False, time=False)
    if kind not in ("csv", "tsv", "parquet"):
        raise InputProblems(name, ["is read by its columns: give a .csv, .tsv or .parquet file, or add --format csv"])
    if problems := archive_problems(path, begins="frame" if kind == "parquet" else "header"):
        raise InputProblems(name, problems)
    if kind == "parquet":
        return "Parquet table, one record per row", _parquet(path, wanted, domain, attributes, user, max_events)
    layout = Layout(kind, delimiter=delimiter)
    try:
        names = header_names(path, layout)
    except Exception:
        raise InputProblems(
            name, ["line 1 (the header) cannot be read: save the file as UTF-8 with one name per column"]
        ) from None
    _refuse(name, wanted, names, None)
    return f"{kind} table, one record per row", lambda: _read(
        _lines(path, layout, names, wanted), domain, attributes, user, max_events
    )


def read_relational(source: Any, *, domain: Domain, user: str | None = None, **described: Any) -> SetTable:
    """The rows of a CSV or Parquet file or a data frame as sets of attribute=value labels.

    >>> import polars as pl
    >>> domain = Domain.of(["sex=f", "sex=m", "smokes=yes", "smokes=no"])
    >>> people = pl.DataFrame({"sex": ["f", "m", "?"], "smokes": ["no", "yes", None], "name": ["a", "b", "c"]})
    >>> [codes.tolist() for codes in read_relational(people, domain=domain).flat]
    [[0, 3], [1, 2]]
    """
    return inspect_relational(source, domain=domain, user=user, **described)[1]()


def _refuse(source: str, wanted: list[str], names: list[str], schema: Any) -> None:
    problems = [f"has no column {name!r}, which the domain or --user names" for name in wanted if name not in names]
    problems += [f"has the column {name!r} more than once" for name in wanted if names.count(name) > 1]
    if not problems and schema is not None:
        kinds = {name: schema.field(name).type for name in wanted}
        problems = [f"column {n!r} holds {k}: give text or numbers" for n, k in kinds.items() if not is_text_like(k)]
    if problems:
        raise InputProblems(source, problems)


def _spelled(batches: Iterable[dict[str, Column]], wanted: list[str]) -> Iterator[list[Spans]]:
    return ([as_text(batch[name]) for name in wanted] for batch in batches)


def _parquet(
    path: Path, wanted: list[str], domain: Domain, attributes: list[Attribute], user: str | None, max_events: int | None
) -> Callable[[], SetTable]:
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
                return _read(_spelled(columns_of(batches, wanted), wanted), domain, attributes, user, max_events)
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


def _read(
    cells: Iterator[list[Spans]], domain: Domain, attributes: list[Attribute], user: str | None, max_events: int | None
) -> SetTable:
    """Rows without any declared value, or without a user where users are named, are left out."""
    people, cap = Numbering(), None if max_events is None else Cap(max_events)
    sets: list[NDArray[np.int32]] = [np.zeros((0, len(attributes)), np.int32)]
    owners: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    for columns in cells:
        codes = np.stack([a.find(column) for a, column in zip(attributes, columns, strict=False)], axis=1)
        keep = (codes >= 0).any(axis=1)
        if user is not None:
            owner = people.number(columns[-1]).astype(np.int64)
            keep &= owner >= 0
            if cap is not None:
                cap.apply(owner, keep)
            owners.append(owner[keep])
        sets.append(codes[keep])
    wide = np.sort(np.concatenate(sets), axis=1)
    there = wide >= 0
    offsets = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int64)
    return SetTable(domain, Flat(wide[there], offsets), None if user is None else np.concatenate(owners))
