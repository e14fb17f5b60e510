"""Parquet columns of whole numbers, written and read in bounded memory, and nothing else accepted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.errors import InputProblems
from seqveil.release.limits import MOST_CELLS
from seqveil.release.regular import opened

ROWS_AT_ONCE = 1 << 17
CELLS_PER_BYTE = 400
"""Values that a byte on disk may stand for, beyond the first 100 million; vectors over the largest base pack 51 to a byte."""

_UNREADABLE = "is not a readable Parquet file, or was truncated: copy it again"


def whole(name: str, kind: Any = None) -> pa.Field:
    """A column without gaps; of 64-bit integers unless another kind is given."""
    return pa.field(name, kind or pa.int64(), nullable=False)


def write_columns(path: Path, schema: pa.Schema, batches: Iterator[list[Any]]) -> None:
    """Arrays in the order of the schema, batch after batch."""
    with pq.ParquetWriter(path.absolute(), schema, compression="zstd") as writer:
        for arrays in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def open_columns(path: Path, schema: pa.Schema, rows: int) -> Iterator[pa.RecordBatch]:
    """The batches of a file that has exactly these columns and rows; checked at once, before anybody makes room for them."""
    source = str(path)
    try:
        with opened(path, follow=True) as raw, pq.ParquetFile(raw) as file:
            _refuse_large(source, file.metadata, os.fstat(raw.fileno()).st_size)
            if not file.schema_arrow.equals(schema):
                raise InputProblems(source, [f"has columns other than {', '.join(schema.names)}: it was not written by Seqveil"])
            if file.metadata.num_rows != rows:
                raise InputProblems(source, [f"has {file.metadata.num_rows:,} rows, but its manifest states {rows:,}"])
    except (pa.ArrowException, OSError, ValueError):
        raise InputProblems(source, [_UNREADABLE]) from None
    return _batches(path, rows)


def _refuse_large(source: str, about: Any, size: int) -> None:
    """Refuse a small file that would unpack into a large one: real numbers do not compress so well."""
    groups = map(about.row_group, range(about.num_row_groups))
    values = sum(max(group.num_rows, group.column(i).num_values) for group in groups for i in range(group.num_columns))
    if values > max(MOST_CELLS, CELLS_PER_BYTE * size):
        raise InputProblems(source, [f"claims {values:,} values in {size:,} bytes: it is damaged or forged"])


def _batches(path: Path, rows: int) -> Iterator[pa.RecordBatch]:
    source, seen = str(path), 0
    try:
        with opened(path, follow=True) as raw, pq.ParquetFile(raw) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                seen += len(batch)
                if seen > rows or any(column.null_count for column in batch.columns):
                    raise InputProblems(source, ["has missing values or more rows than it states: it was not written by Seqveil"])
                yield batch
            if seen != rows:
                raise InputProblems(source, ["ends before its last row"])
    except (pa.ArrowException, OSError, ValueError):
        raise InputProblems(source, [_UNREADABLE]) from None
