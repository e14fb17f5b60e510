"""Parquet columns of whole numbers, written and read in bounded memory, and nothing else accepted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.errors import InputProblems

ROWS_AT_ONCE = 1 << 17
_UNREADABLE = "is no Parquet file that can be read, or was cut off: copy it again"


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
        with pq.ParquetFile(path) as file:
            if not file.schema_arrow.equals(schema):
                raise InputProblems(source, [f"has other columns than {', '.join(schema.names)}: it was not written by Seqveil"])
            if file.metadata.num_rows != rows:
                raise InputProblems(source, [f"has {file.metadata.num_rows:,} rows, but {rows:,} are announced"])
    except (pa.ArrowException, OSError, ValueError):
        raise InputProblems(source, [_UNREADABLE]) from None
    return _batches(path, rows)


def _batches(path: Path, rows: int) -> Iterator[pa.RecordBatch]:
    source, seen = str(path), 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                seen += len(batch)
                if seen > rows or any(column.null_count for column in batch.columns):
                    raise InputProblems(source, ["has gaps or more rows than it says: it was not written by Seqveil"])
                yield batch
            if seen != rows:
                raise InputProblems(source, ["ends before its last row"])
    except (pa.ArrowException, OSError, ValueError):
        raise InputProblems(source, [_UNREADABLE]) from None
