"""Rows that hold several items: which row each item stands in, decided row by row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from seqveil.sources.columns import as_text
from seqveil.tables.spans import Spans


class Rows(NamedTuple):
    """The items of some rows, in order."""

    items: Spans
    row: NDArray[np.int64]
    """The row of each item, counted from 0."""
    listed: NDArray[np.bool_]
    """Whether the item stands in a list."""
    number: int
    """How many rows there are."""


def rows_of(column: Any) -> Rows:
    """The items of a column of lists, or of Python objects, of which some may be lists.

    >>> rows = rows_of(np.array(["a", None, 3], object))
    >>> rows.row.tolist(), rows.listed.tolist()
    ([0, 1, 2], [False, False, False])
    """
    if isinstance(column, np.ndarray):
        return _of_objects(column)
    lengths = pc.list_value_length(column).fill_null(0).to_numpy(zero_copy_only=False)
    row = np.repeat(np.arange(len(column)), lengths)
    return Rows(as_text(pc.list_flatten(column)), row, np.ones(len(row), np.bool_), len(column))


def _of_objects(column: NDArray[np.object_]) -> Rows:
    if not any(issubclass(kind, (list, tuple, np.ndarray)) for kind in set(map(type, column))):
        return Rows(as_text(column), np.arange(len(column)), np.zeros(len(column), np.bool_), len(column))
    listed = np.fromiter(map(_is_sequence, column), np.bool_, len(column))
    members = [list(value) if whole else [value] for value, whole in zip(column, listed.tolist(), strict=True)]
    row = np.repeat(np.arange(len(column)), [len(m) for m in members])
    items = np.fromiter((item for m in members for item in m), object, len(row))
    return Rows(as_text(items), row, listed[row], len(column))


def _is_sequence(value: object) -> bool:
    """Lists, plain tuples and arrays; a named tuple is a record, and an array without dimensions a value."""
    return isinstance(value, list) or type(value) is tuple or (isinstance(value, np.ndarray) and value.ndim > 0)
