"""An event log in, the suppressed event log and its report out; the folder is either whole and durable, or not there at all."""

from __future__ import annotations

import csv
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.durable import sync
from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.places import partial_folder
from seqveil.sources.blocks import first_line
from seqveil.sources.times import parse_times
from seqveil.surface import parameter
from seqveil.tables.flat import Flat
from seqveil.tables.spans import Spans
from seqveil.tables.trajectories import TrajectoryTable
from seqveil.tables.write.cells import NUMBER, UNSAFE, neutral

SUPPRESSED, REPORT, README = "suppressed.csv", "report.json", "README.txt"


@dataclass(frozen=True, slots=True, eq=False)
class EventLog:
    """The rows of a file in the order of the table's points, so that a mark on a point is a mark on a row."""

    rows: pa.Table
    table: TrajectoryTable
    user: str
    time: str
    item: str
    sensitive: tuple[str, ...]

    @property
    def others(self) -> list[str]:
        """Columns that are carried along untouched: quasi-identifiers."""
        return [name for name in self.rows.column_names if name not in (self.user, self.time, self.item, *self.sensitive)]


def read_event_log(
    path: str | Path, *, user: str, time: str, item: str, sensitive: Sequence[str], values: Sequence[Sequence[str]],
    delimiter: str = ",", sort: bool = False,
) -> EventLog:  # fmt: skip
    """One row per (person, location, time); a person's rows repeat the sensitive values. `values` are listed by column."""
    name = str(path)
    rows = _rows(Path(path), delimiter)
    wanted = [("user", user), ("time", time), ("item", item), *(("sensitive", column) for column in sensitive)]
    names = rows.column_names
    problems = [f"no column {column!r} ({parameter(role)}): the columns are {', '.join(names)}"
                for role, column in wanted if column not in names]  # fmt: skip
    problems += [f"has the column {column!r} {names.count(column)} times: rename all but one"
                 for column in dict.fromkeys(names) if names.count(column) > 1]  # fmt: skip
    if len({column for _, column in wanted}) < len(wanted):
        roles = ", ".join(parameter(role) for role in dict(wanted))
        problems.append(f"{roles} must name {len(wanted)} different columns")
    if problems:
        raise InputProblems(name, problems)
    if not len(rows):
        raise InputProblems(name, ["has no events: every trajectory needs at least one"])
    moments = parse_times(Spans.of(rows[time]))
    if problems := _problems(rows, moments, user, item, time, sensitive, sort):
        raise InputProblems(name, problems)
    return _encode(rows, moments, user, time, item, tuple(sensitive), values)


def _rows(path: Path, delimiter: str) -> pa.Table:
    """Every column as text; a cell without anything in it is null."""
    from pyarrow import csv as arrow

    try:
        line = first_line(path).decode()
        if not line:
            raise InputProblems(str(path), ["is empty: the first line must be a header, followed by one row per event"])
        names = next(csv.reader([line], delimiter=delimiter))
        return arrow.read_csv(
            path,
            arrow.ReadOptions(column_names=[str(place) for place in range(len(names))], skip_rows=1),
            arrow.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow.ConvertOptions(
                column_types={str(place): pa.large_string() for place in range(len(names))},
                strings_can_be_null=True,
                null_values=[""],
                quoted_strings_can_be_null=False,
            ),
        ).rename_columns(names)
    except OSError as error:
        raise InputProblems(str(path), [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    except (pa.ArrowException, csv.Error, TypeError, ValueError):
        advice = f"if columns have another separator, add {parameter('delimiter', 'CHARACTER')}"
        raise InputProblems(str(path), [f"is not a delimited text file: {advice}"]) from None


def _numbered(column: Any) -> tuple[NDArray[np.int64], list[str]]:
    """The number of every value among the different ones, in the order of their bytes, and these."""
    encoded = column.combine_chunks().dictionary_encode()
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[encoded.indices.to_numpy()], encoded.dictionary.take(order).to_pylist()


def _problems(
    rows: pa.Table, moments: NDArray[np.float64], user: str, item: str, time: str, sensitive: Sequence[str], sort: bool
) -> list[str]:
    """Everything that is wrong with the rows, each with the first line where it is."""

    def first(wrong: NDArray[np.bool_]) -> str:
        return f"in {int(wrong.sum()):,} rows, first in line {int(wrong.argmax()) + 2}"

    absent = {column: rows[column].is_null().to_numpy() for column in (user, item, time)}
    empty, strange = absent[item] | absent[time], np.isnan(moments) & ~absent[time]
    problems = []
    if absent[user].any():
        problems.append(f"column {user!r} is empty {first(absent[user])}: every row needs a person")
    if empty.any():
        problems.append(f"a location or a time is missing {first(empty)}: remove such rows; a trajectory must not be empty")
    if strange.any():
        problems.append(f"column {time!r} is neither a number nor a time like 2026-10-31T08:00:00 {first(strange)}")
    if problems:
        return problems
    people, _ = _numbered(rows[user])
    order = np.lexsort((moments, people)) if sort else np.argsort(people, kind="stable")
    stuck = np.zeros(len(rows), np.bool_)
    stuck[order[1:]] = (np.diff(people[order]) == 0) & (np.diff(moments[order]) <= 0)
    if stuck.any():
        unsorted = "" if sort else f", and add {parameter('sort', 'True')} if rows are only out of order"
        advice = f"keep one row per person and time{unsorted}"
        problems.append(f"the times of a person do not increase {first(stuck)}: {advice}")
    _, begins = np.unique(people, return_index=True)
    for column in sensitive:
        values, _ = _numbered(rows[column].fill_null(""))
        other = values != values[begins][people]
        if other.any():
            problems.append(f"a person has two sensitive values in column {column!r} {first(other)}")
    return problems


def _encode(
    rows: pa.Table, moments: NDArray[np.float64], user: str, time: str, item: str, sensitive: tuple[str, ...],
    values: Sequence[Sequence[str]],
) -> EventLog:  # fmt: skip
    """Codes of pairs ascend with time. Equal times that are spelled differently are written as the first of them."""
    people, _ = _numbered(rows[user])
    places, names = _numbered(rows[item])
    _, begins, moment = np.unique(moments, return_index=True, return_inverse=True)
    spelled = rows[time].take(begins)
    points, pair = np.unique(moment * len(names) + places, return_inverse=True)
    order = np.lexsort((moments, people))
    rows = rows.set_column(rows.column_names.index(time), time, spelled.take(moment)).take(order)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(people))]).astype(np.int64)
    codes = np.empty((len(offsets) - 1, len(sensitive)), np.int64)
    for attribute, (column, listed) in enumerate(zip(sensitive, values, strict=True)):
        code = {value: i for i, value in enumerate(listed)}
        codes[:, attribute] = [code.get(value, -1) for value in rows[column].take(offsets[:-1]).to_pylist()]
    times = spelled.take(points // len(names)).to_pylist()
    table = TrajectoryTable(
        [(names[point], written) for point, written in zip(points % len(names), times, strict=True)],
        Flat(pair[order].astype(np.int32), offsets),
        codes,
        tuple(map(tuple, values)),
    )
    return EventLog(rows, table, user, time, item, sensitive)


def suppressed_rows(log: EventLog, alive: NDArray[np.bool_]) -> pa.Table:
    """The rows that are left. People get new numbers in random order: a name or a position in the file would reveal who it is."""
    lengths = log.table.flat.lengths
    key = np.frombuffer(secrets.token_bytes(8 * len(lengths)), np.uint64)
    number = np.empty(len(lengths), np.int64)
    # People without a point left have no rows; numbering them last leaves no gaps.
    owner = np.repeat(np.arange(len(lengths)), lengths)
    gone = np.bincount(owner[alive], minlength=len(lengths)) == 0
    number[np.lexsort((key, gone))] = np.arange(1, len(lengths) + 1)
    left = np.flatnonzero(alive)
    left = left[np.argsort(number[owner[left]], kind="stable")]
    return log.rows.take(left).set_column(log.rows.column_names.index(log.user), log.user, pa.array(number[owner[left]]))


def _for_spreadsheets(rows: pa.Table) -> pa.Table:
    """Texts and column names spelled by `cells.neutral`, column by column."""

    def spelled(texts: Any) -> Any:
        if not pa.types.is_large_string(texts.type):
            return texts
        risky = pc.and_not(pc.match_substring_regex(texts, UNSAFE), pc.match_substring_regex(texts, NUMBER))
        return pc.if_else(risky, pc.binary_join_element_wise(pa.scalar("'", texts.type), texts, pa.scalar("", texts.type)), texts)

    return pa.table([spelled(column) for column in rows.columns], [neutral(name) for name in rows.column_names])


def _write_csv(path: Path, rows: pa.Table) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(rows.column_names)
        for batch in rows.to_batches(max_chunksize=1 << 16):
            out.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))


def write_folder(out: str | Path, rows: pa.Table, report: dict[str, Any], text: str, raw_cells: bool = False) -> Path:
    """The suppressed log, the report for programs and the report for people, all or nothing."""
    target = Path(out)
    refuse_existing(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(target) as work:
            _write_csv(work / SUPPRESSED, rows if raw_cells else _for_spreadsheets(rows))
            (work / REPORT).write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            (work / README).write_text(text, encoding="utf-8")
            for path in [*work.iterdir(), work]:
                sync(path)
            os.rename(work, target)
        sync(target.parent)
    except OSError as error:
        raise RunFailed(f"{target} could not be written: {error.strerror or 'the disk failed'}.") from None
    return target


def refuse_existing(target: Path) -> None:
    """Nothing is ever overwritten."""
    if target.exists() or target.is_symlink():
        raise CallError(f"{target} exists already: choose another folder.")
