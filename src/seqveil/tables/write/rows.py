"""Event logs with one row per item, and Parquet with one row per sequence."""

from __future__ import annotations

import csv
import io
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.cells import neutral
from seqveil.tables.write.clock import moment
from seqveil.tables.write.lines import label_lists, parts


def write_csv(file: IO[bytes], domain: Domain, flat: Flat, raw_cells: bool = False) -> None:
    """Columns sequence, position, item and timestamp; both numbers start at 1, and the times are public ones (`clock`).

    Labels are spelled for spreadsheets, unless `raw_cells`.
    """
    _write_rows(file, domain, flat, ",", raw_cells)


def write_tsv(file: IO[bytes], domain: Domain, flat: Flat, raw_cells: bool = False) -> None:
    """The same, separated by tabs."""
    _write_rows(file, domain, flat, "\t", raw_cells)


def _write_rows(file: IO[bytes], domain: Domain, flat: Flat, delimiter: str, raw_cells: bool) -> None:
    spelled = str if raw_cells else neutral
    file.write(delimiter.join(("sequence", "position", "item", "timestamp")).encode() + b"\n")
    number = 0
    for part in label_lists(domain, flat):
        text = io.StringIO()
        rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        for number, labels in enumerate(part, number + 1):  # noqa: B020 - it counts on over the parts
            rows.writerows((number, n + 1, spelled(label), moment(n)) for n, label in enumerate(labels))
        file.write(text.getvalue().encode())


def write_parquet(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """One column, `sequence`, of lists of labels."""
    schema = pa.schema({"sequence": pa.large_list(pa.large_string())})
    with pq.ParquetWriter(file, schema, compression="zstd") as table:
        for offsets, labels in parts(domain, flat):
            lists = pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), labels)
            table.write_table(pa.table({"sequence": lists}, schema))
