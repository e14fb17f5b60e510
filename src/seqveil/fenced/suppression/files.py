"""An event log in, the suppressed event log and its report out; the folder is either whole and durable, or not there at all."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from seqveil.durable import sync
from seqveil.errors import CallError, InputProblems, RunFailed
from seqveil.places import partial_folder
from seqveil.surface import parameter
from seqveil.tables.flat import Flat
from seqveil.tables.trajectories import TrajectoryTable
from seqveil.tables.write.cells import NUMBER, UNSAFE, neutral

SUPPRESSED, REPORT, README = "suppressed.csv", "report.json", "README.txt"


@dataclass(frozen=True, slots=True, eq=False)
class EventLog:
    """The rows of a file in the order of the table's points, so that a mark on a point is a mark on a row."""

    rows: pl.DataFrame
    table: TrajectoryTable
    user: str
    time: str
    item: str
    sensitive: tuple[str, ...]

    @property
    def others(self) -> list[str]:
        """Columns that are carried along untouched: quasi-identifiers."""
        return [name for name in self.rows.columns if name not in (self.user, self.time, self.item, *self.sensitive)]


def read_event_log(
    path: str | Path, *, user: str, time: str, item: str, sensitive: Sequence[str], values: Sequence[Sequence[str]],
    delimiter: str = ",", sort: bool = False,
) -> EventLog:  # fmt: skip
    """One row per (person, location, time); a person's rows repeat the sensitive values. `values` are listed by column."""
    name = str(path)
    try:
        rows = pl.read_csv(path, separator=delimiter, infer_schema=False)
    except OSError as error:
        raise InputProblems(name, [f"cannot be read: {error.strerror or 'the disk failed'}"]) from None
    except pl.exceptions.NoDataError:
        raise InputProblems(name, ["is empty: the first line must be a header, followed by one row per event"]) from None
    except (pl.exceptions.PolarsError, ValueError):
        raise InputProblems(
            name, [f"is not a delimited text file: if columns have another separator, add {parameter('delimiter', 'CHARACTER')}"]
        ) from None
    wanted = [("user", user), ("time", time), ("item", item), *(("sensitive", column) for column in sensitive)]
    problems = [f"no column {column!r} ({parameter(role)}): the columns are {', '.join(rows.columns)}"
                for role, column in wanted if column not in rows.columns]  # fmt: skip
    if len({column for _, column in wanted}) < len(wanted):
        roles = ", ".join(parameter(role) for role in dict(wanted))
        problems.append(f"{roles} must name {len(wanted)} different columns")
    if problems:
        raise InputProblems(name, problems)
    if rows.is_empty():
        raise InputProblems(name, ["has no events: every trajectory needs at least one"])
    moments = _moments(rows[time])
    if problems := _problems(rows, moments, user, item, time, sensitive, sort):
        raise InputProblems(name, problems)
    return _encode(rows, moments, user, time, item, tuple(sensitive), values)


def _moments(times: pl.Series) -> pl.Series:
    """Times as numbers: plain numbers if all are, else ISO 8601 in microseconds; null where it is neither."""
    number = times.cast(pl.Float64, strict=False)
    if (number.is_null() & times.is_not_null()).any():
        number = times.str.to_datetime(time_unit="us", time_zone="UTC", strict=False, ambiguous="earliest").cast(pl.Float64) \
            if times.str.contains(r"(Z|[+-]\d\d:?\d\d)$").all() \
            else times.str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="us", strict=False).fill_null(
                times.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False)
            ).cast(pl.Float64)  # fmt: skip
    return number.fill_nan(None)


def _problems(
    rows: pl.DataFrame, moments: pl.Series, user: str, item: str, time: str, sensitive: Sequence[str], sort: bool
) -> list[str]:
    """Everything that is wrong with the rows, each with the first line where it is."""

    def first(wrong: pl.Series) -> str:
        return f"in {int(wrong.sum()):,} rows, first in line {int(wrong.arg_max() or 0) + 2}"

    problems = []
    absent = rows[user].is_null()
    if absent.any():
        problems.append(f"column {user!r} is empty {first(absent)}: every row needs a person")
    empty = rows[item].is_null() | rows[time].is_null()
    if empty.any():
        problems.append(f"a location or a time is missing {first(empty)}: remove such rows; a trajectory must not be empty")
    strange = moments.is_null() & rows[time].is_not_null()
    if strange.any():
        problems.append(f"column {time!r} is neither a number nor a time like 2026-10-31T08:00:00 {first(strange)}")
    if problems:
        return problems
    order = pl.DataFrame({"user": rows[user], "moment": moments}).with_row_index("row")
    order = order.sort("user", "moment") if sort else order
    before = order.select("row", stuck=(pl.col("moment") <= pl.col("moment").shift(1).over("user")).fill_null(False)).sort("row")
    if before["stuck"].any():
        unsorted = "" if sort else f", and add {parameter('sort', 'True')} if rows are only out of order"
        advice = f"keep one row per person and time{unsorted}"
        problems.append(f"the times of a person do not increase {first(before['stuck'])}: {advice}")
    for column in sensitive:
        value = pl.DataFrame({"user": rows[user], "value": rows[column].fill_null("")})
        other = value.select(pl.col("value") != pl.col("value").first().over("user")).to_series()
        if other.any():
            problems.append(f"a person has two sensitive values in column {column!r} {first(other)}")
    return problems


def _encode(
    rows: pl.DataFrame, moments: pl.Series, user: str, time: str, item: str, sensitive: tuple[str, ...],
    values: Sequence[Sequence[str]],
) -> EventLog:  # fmt: skip
    """Codes of pairs ascend with time. Equal times that are spelled differently are written as the first of them."""
    names = set(rows.columns)
    person, moment, pair = (next(n for n in (w, f"{w}!", f"{w}!!") if n not in names) for w in ("person", "moment", "pair"))
    rows = rows.with_columns(moments.alias(moment), pl.col(user).rank("dense").cast(pl.Int64).alias(person))
    rows = rows.with_columns(pl.col(time).first().over(moment)).sort(person, moment)
    points = rows.select(moment, item, time).unique([moment, item]).sort(moment, item).with_row_index(pair)
    rows = rows.join(points.select(moment, item, pair), on=[moment, item], how="left", maintain_order="left")
    lengths = np.bincount(rows[person].to_numpy() - 1)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.empty((len(lengths), len(sensitive)), np.int64)
    for attribute, (column, listed) in enumerate(zip(sensitive, values, strict=True)):
        code = {value: i for i, value in enumerate(listed)}
        codes[:, attribute] = [code.get(value, -1) for value in rows[column].gather(offsets[:-1]).to_list()]
    table = TrajectoryTable(
        list(zip(points[item].to_list(), points[time].to_list(), strict=True)),
        Flat(rows[pair].to_numpy().astype(np.int32), offsets),
        codes,
        tuple(map(tuple, values)),
    )
    return EventLog(rows.drop(person, moment, pair), table, user, time, item, sensitive)


def suppressed_rows(log: EventLog, alive: NDArray[np.bool_]) -> pl.DataFrame:
    """The rows that are left. People get new numbers in random order: a name or a position in the file would reveal who it is."""
    lengths = log.table.flat.lengths
    key = np.frombuffer(secrets.token_bytes(8 * len(lengths)), np.uint64)
    number = np.empty(len(lengths), np.int64)
    # People without a point left have no rows; numbering them last leaves no gaps.
    owner = np.repeat(np.arange(len(lengths)), lengths)
    gone = np.bincount(owner[alive], minlength=len(lengths)) == 0
    number[np.lexsort((key, gone))] = np.arange(1, len(lengths) + 1)
    kept = log.rows.with_columns(pl.Series(log.user, number[owner])).filter(pl.Series(alive))
    return kept.sort(log.user, maintain_order=True)


def _for_spreadsheets(rows: pl.DataFrame) -> pl.DataFrame:
    """Texts and column names spelled by `cells.neutral`, column by column."""
    texts = pl.col(pl.String)
    risky = texts.str.contains(UNSAFE) & ~texts.str.contains(NUMBER)
    spelled = rows.with_columns(pl.when(risky).then("'" + texts).otherwise(texts).name.keep())
    return spelled.rename({name: neutral(name) for name in rows.columns})


def write_folder(out: str | Path, rows: pl.DataFrame, report: dict[str, Any], text: str, raw_cells: bool = False) -> Path:
    """The suppressed log, the report for programs and the report for people, all or nothing."""
    target = Path(out)
    refuse_existing(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(target) as work:
            (rows if raw_cells else _for_spreadsheets(rows)).write_csv(work / SUPPRESSED)
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
