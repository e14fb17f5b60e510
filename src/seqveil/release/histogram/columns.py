"""Tables of cells as columns that anyone can read, and back: every cell of the domain has a row, in the order of the domain.

`count` is the number that is shown, `low` and `high` its 95 % confidence interval, `noisy` the count as it was drawn.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from seqveil.errors import CallError
from seqveil.release.histogram.axes import COLUMNS, Table, shape_of
from seqveil.release.histogram.cells import Cells
from seqveil.release.limits import refuse_odd_noise
from seqveil.release.parquet import Kind, label_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seqveil.tables.domain import Domain


def kinds_of(table: Table) -> dict[str, Kind]:
    """The columns that a table is rebuilt from."""
    names: Kind = "whole" if table == "length" else "label"
    return {**dict.fromkeys(COLUMNS[table], names), "noisy": "whole"}


def to_columns(table: Table, cells: Cells, domain: Domain) -> pa.Table:
    """The columns that name a cell, then count, low, high, noisy."""
    low, high = cells.intervals()
    numbers = {"count": cells.shown, "low": low, "high": high, "noisy": cells.noisy}
    return pa.table({**_names(table, cells, domain), **{name: values.ravel() for name, values in numbers.items()}})


def _names(table: Table, cells: Cells, domain: Domain) -> dict[str, Any]:
    at = np.indices(cells.noisy.shape).reshape(cells.noisy.ndim, -1)
    if table == "length":
        return {"length": at[0] + 1}
    if table == "hour":
        assert domain.calendar is not None
        return {"hour": pa.array(domain.calendar.names, pa.string()).take(pa.array(at[0]))}
    labels = domain.untimed if table == "od" else domain
    return {name: labels.strings(codes).cast(pa.string()) for name, codes in zip(COLUMNS[table], at, strict=True)}


def from_columns(table: Table, column: dict[str, Any], scale: float, domain: Domain, l_max: int) -> Cells:
    """The cells that `to_columns` wrote; a file that lacks one, or has them in another order, is refused."""
    shape, noisy = shape_of(table, domain, l_max), np.asarray(column["noisy"]).astype(np.int64)
    refuse_odd_noise(noisy, np.array([scale]))
    if len(noisy) != math.prod(shape):  # before room is made for as many cells as a stranger's manifest says there are
        raise CallError(f"not a table of {table}: it has {len(noisy):,} rows, and the domain {math.prod(shape):,} cells.")
    codes = [_codes(table, column[name], domain) for name in COLUMNS[table]]
    expected = np.indices(shape).reshape(len(shape), -1)
    if any(not np.array_equal(got, want) for got, want in zip(codes, expected, strict=True)):
        raise CallError(f"not a table of {table}: its rows are not all cells of the domain, each once, in order.")
    return Cells(noisy.reshape(shape), scale)


def _codes(table: Table, column: Any, domain: Domain) -> NDArray[np.integer]:
    if table == "length":
        return np.asarray(column) - 1
    if table == "hour":
        names = () if domain.calendar is None else domain.calendar.names
        return np.array([names.index(name) if name in names else -1 for name in column.to_pylist()], np.int64)
    return label_codes(column, domain.untimed if table == "od" else domain)
