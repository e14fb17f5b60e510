"""Tables of a release from Parquet: what the file says of itself is checked before anything of it is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from seqveil.errors import ReleaseDamaged
from seqveil.release.limits import MOST_CELLS, MOST_UNPACKED, refuse_beyond

if TYPE_CHECKING:
    from seqveil.tables.domain import Domain

Kind = Literal["labels", "label", "whole", "number", "numbers"]
"""A column of lists of labels, of labels, of whole numbers, of numbers, or of lists of numbers."""

_ROWS_AT_ONCE = 1 << 16


def read_columns(name: str, body: bytes, columns: Mapping[str, Kind], gaps: Collection[str] = ()) -> dict[str, Any]:
    """The columns of a Parquet file, each as one Arrow array.

    Labels come as dictionary-encoded text, so that one long label that is repeated takes its room once. A file may
    have more columns than asked for; they count, but are not read. Only the columns in `gaps` may lack values.
    """
    try:
        with pq.ParquetFile(pa.BufferReader(body)) as file:
            _refuse_large(name, file.metadata)
            _refuse_other_columns(name, file.schema_arrow, columns)
        texts = [path for path in _leaves(file) if columns.get(path.split(".")[0]) in ("labels", "label")]
        with pq.ParquetFile(pa.BufferReader(body), read_dictionary=texts) as file:
            batches = _batches(name, file, list(columns))
            table = pa.Table.from_batches(batches, file.schema_arrow.empty_table().select(list(columns)).schema)
    except (pa.ArrowException, OSError, ValueError, KeyError):
        raise ReleaseDamaged(f"{name} is not a readable Parquet file. Copy the release again.") from None
    read = {column: table.column(column).combine_chunks() for column in columns}
    for column, values in read.items():
        if column not in gaps and (values.null_count or (hasattr(values, "values") and values.values.null_count)):
            raise ReleaseDamaged(f"{name}: the column {column!r} has missing values. Copy the release again.")
    return read


def label_codes(column: Any, domain: Domain) -> NDArray[np.int32]:
    """The codes of all labels in a column (of lists), -1 for those outside; every distinct label is looked up once."""
    labels = column.values if hasattr(column, "values") else column
    words = labels.dictionary
    codes = domain.encode(words) if len(words) else np.zeros(0, np.int32)
    return codes[np.asarray(labels.indices)] if len(codes) else np.zeros(0, np.int32)


def _leaves(file: Any) -> list[str]:
    schema = file.metadata.schema
    return [schema.column(i).path for i in range(len(schema))]


def _refuse_large(name: str, about: Any) -> None:
    """Rows, values and unpacked bytes by the file's own account; what it hides is counted again while it is read."""
    cells = unpacked = 0
    for group in range(about.num_row_groups):
        row_group = about.row_group(group)
        for column in range(row_group.num_columns):
            cells += max(row_group.column(column).num_values, row_group.num_rows)
            unpacked += max(row_group.column(column).total_uncompressed_size, 0)
    refuse_beyond(f"number of values that {name} declares", max(cells, about.num_rows), MOST_CELLS)
    refuse_beyond(f"unpacked size in bytes that {name} declares", unpacked, MOST_UNPACKED)


def _refuse_other_columns(name: str, schema: Any, columns: Mapping[str, Kind]) -> None:
    for column, kind in columns.items():
        if schema.get_field_index(column) < 0:  # -1 where it is missing or stands twice
            raise ReleaseDamaged(f"{name} has no column {column!r}, or more than one. Copy the release again.")
        is_kind, expected = _KINDS[kind]
        if not is_kind(schema.field(column).type):
            raise ReleaseDamaged(f"{name}: the column {column!r} does not hold {expected}. Copy the release again.")


def _is_whole(kind: Any) -> bool:
    return bool(pa.types.is_int64(kind) or pa.types.is_int32(kind))


def _is_label(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _listed(of_kind: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda kind: bool((pa.types.is_list(kind) or pa.types.is_large_list(kind)) and of_kind(kind.value_type))


_KINDS: dict[Kind, tuple[Callable[[Any], bool], str]] = {
    "labels": (_listed(_is_label), "lists of labels"),
    "label": (_is_label, "labels"),
    "whole": (_is_whole, "whole numbers"),
    "number": (pa.types.is_float64, "numbers"),
    "numbers": (_listed(pa.types.is_float64), "lists of numbers"),
}


def _batches(name: str, file: Any, columns: list[str]) -> list[Any]:
    """All batches; reading stops as soon as they hold more values than a release has."""
    batches, cells = [], 0
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=columns, use_threads=False):
        cells += sum(len(column) + (len(column.values) if hasattr(column, "values") else 0) for column in batch.columns)
        refuse_beyond(f"number of values in {name}", cells, 2 * MOST_CELLS)
        batches.append(batch)
    return batches
