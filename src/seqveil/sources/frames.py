"""Data frames of Polars, pandas, PyArrow and whatever has the Arrow interface: their columns by type, their rows in batches.

A library's own type of a column decides how it is read. Nothing is handed to Arrow to find out a type from values: that would be
one type for everybody. Columns that may hold any Python object stay objects, and their values are read one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seqveil.errors import InputProblems
from seqveil.sources.columns import OBJECTS

ROWS = 1 << 17

NO_FRAME = (
    "has no Arrow interface: give a path or a Polars, pandas or PyArrow table (collect lazy frames first); "
    "for lists of labels use table_of or sets_of"
)
"""What is wrong with an object that is neither a path nor a data frame; a sentence without its subject."""

Column = Any
"""An Arrow array, or a NumPy array of Python objects."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The public side of a data frame (names and types, `OBJECTS` for columns of Python objects), and a way to its rows."""

    schema: Any
    read: Callable[[list[str]], Iterator[dict[str, Column]]]

    @classmethod
    def of(cls, source: Any) -> Frame:
        """From any object with the Arrow stream interface."""
        if _is(source, "pandas"):
            return _of_pandas(source)
        if _is(source, "polars"):
            return _of_polars(source)
        if hasattr(source, "type") or hasattr(source, "dtype"):  # a row of it may be null, and no row of a table can
            raise InputProblems("the data frame", ["is a single column: give a table with named columns"])
        stream = pa.RecordBatchReader.from_stream(source)
        return cls(stream.schema, lambda wanted: columns_of(stream, wanted))

    def batches(self, wanted: Iterable[str]) -> Iterator[dict[str, Column]]:
        """The wanted columns by name, a stretch of rows at a time; no batch is empty."""
        return self.read(sorted(set(wanted)))


def _is(source: Any, library: str) -> bool:
    """Whether it is a data frame of this library, or of a class made from its own."""
    loaded = sys.modules.get(library)
    return loaded is not None and isinstance(source, loaded.DataFrame)


def columns_of(batches: Iterable[Any], wanted: Iterable[str]) -> Iterator[dict[str, Column]]:
    """The wanted columns of Arrow record batches that have rows."""
    return ({name: batch.column(name) for name in wanted} for batch in batches if len(batch))


def parquet_batches(file: Any, columns: list[str]) -> Iterator[Any]:
    """Record batches of an open Parquet file, as large as can be.

    A batch of lists is refused by Arrow when its texts have 2 GB together, which may be one person's doing. It is then read again
    in smaller batches: what is read is the same, whatever the size.
    """
    for group in range(file.metadata.num_row_groups):
        done, size, whole = 0, ROWS, False
        while not whole:
            skip = done
            try:
                for batch in file.iter_batches(batch_size=size, row_groups=[group], columns=columns):
                    fresh = batch.slice(min(skip, len(batch)))
                    skip -= len(batch) - len(fresh)
                    done += len(fresh)
                    yield fresh
                whole = True
            except pa.ArrowNotImplementedError:
                if size == 1:
                    raise
                size = max(1, min(size, file.metadata.row_group(group).num_rows) // 16)


def open_parquet(path: Path) -> Any:
    """A Parquet file whose texts and lists have room for any length, where the file itself does not say otherwise."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, binary_type=pa.large_binary(), list_type=pa.LargeListType)


def _schema(names: list[str], empty: Callable[[int], Column]) -> Any:
    """The types of columns, as a part of each without rows shows them."""
    columns = [empty(place) for place in range(len(names))]
    return pa.schema([(n, OBJECTS if isinstance(c, np.ndarray) else c.type) for n, c in zip(names, columns, strict=True)])


def _of_polars(frame: Any) -> Frame:
    def read(wanted: list[str]) -> Iterator[dict[str, Column]]:
        for start in range(0, len(frame), ROWS):
            yield {name: _polars(frame[name].slice(start, ROWS)) for name in wanted}

    return Frame(_schema(frame.columns, lambda place: _polars(frame[frame.columns[place]].clear())), read)


def _polars(series: Any) -> Column:
    import polars as pl

    if series.dtype == pl.Object:  # in Arrow form its values would be addresses in memory
        return np.fromiter(series.to_list(), object, len(series))
    if str(series.dtype) in ("Int128", "UInt128"):  # Arrow has no such integers; Polars spells them as digits
        series = series.cast(pl.String)
    return _whole(series.to_arrow())


def _of_pandas(frame: Any) -> Frame:
    names = [str(name) for name in frame.columns]

    def read(wanted: list[str]) -> Iterator[dict[str, Column]]:
        places = {name: names.index(name) for name in wanted}
        for start in range(0, len(frame), ROWS):
            yield {name: _pandas(frame.iloc[start : start + ROWS, place]) for name, place in places.items()}

    return Frame(_schema(names, lambda place: _pandas(frame.iloc[:0, place])), read)


def _pandas(values: Any) -> Column:
    """A series or an index of pandas. What has one Arrow type, whatever its values, goes through Arrow; the rest are objects."""
    import pandas as pd

    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(values.array)
    if isinstance(dtype, pd.SparseDtype):
        return _dense(values.array)
    if isinstance(dtype, np.dtype):
        return _numpy(values.to_numpy())
    if isinstance(dtype, pd.StringDtype) and dtype.storage == "python":  # may hold halves of characters, which Arrow refuses
        return np.asarray(values, object)
    arrow = isinstance(dtype, pd.ArrowDtype | pd.StringDtype | pd.DatetimeTZDtype | pd.PeriodDtype | pd.IntervalDtype)
    return _whole(pa.array(values.array)) if arrow or _is_masked(dtype) else np.asarray(values, object)


def _is_masked(dtype: Any) -> bool:
    """pandas' own numbers and booleans with a mask for missing ones."""
    import pandas as pd

    numbers = (pd.Int8Dtype, pd.Int16Dtype, pd.Int32Dtype, pd.Int64Dtype, pd.UInt8Dtype, pd.UInt16Dtype, pd.UInt32Dtype)
    return isinstance(dtype, (*numbers, pd.UInt64Dtype, pd.Float32Dtype, pd.Float64Dtype, pd.BooleanDtype))


def _dense(values: Any) -> Column:
    """Each row's own value. As one NumPy array its type would follow from whether anybody has the value that is left out."""
    dense = np.full(len(values), values.fill_value, object)
    dense[values.sp_index.to_int_index().indices] = list(values.sp_values)
    return dense


def _numpy(values: Any) -> Column:
    simple = values.dtype.kind in "iufb" and values.dtype.itemsize <= 8
    return pa.array(values) if simple or values.dtype.kind in "mM" else values.astype(object)


def _categories(values: Any) -> Column:
    """Each row's category, which is a value like any other: the list of categories may hold what somebody wrote."""
    categories, codes = _pandas(values.categories), values.codes
    if isinstance(categories, np.ndarray):
        return np.fromiter([*categories, None], object)[codes]  # -1, the last, stands for no category
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), categories)


def _whole(array: Any) -> Any:
    """One array of what may come in chunks, with room for any number of long or different texts."""
    if not isinstance(array, pa.ChunkedArray):
        return array
    kind = _roomy(array.type)
    if pa.types.is_dictionary(kind):
        chunks = [(chunk.indices.cast(kind.index_type), chunk.dictionary.cast(kind.value_type)) for chunk in array.chunks]
        array = pa.chunked_array([pa.DictionaryArray.from_arrays(*c) for c in chunks], kind).unify_dictionaries()
    return array.cast(kind).combine_chunks()


def _roomy(kind: Any) -> Any:
    """The type with 64-bit offsets and indices: those of 32 bits run out when somebody's texts are long or many."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int64(), _roomy(kind.value_type), kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.large_list(_roomy(kind.value_type))
    if pa.types.is_string(kind):
        return pa.large_string()
    return pa.large_binary() if pa.types.is_binary(kind) else kind
