"""Event logs with one row per item, and Parquet with one row per sequence."""

from __future__ import annotations

import csv
import io
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat
from seqveil.tables.write.cells import neutral
from seqveil.tables.write.clock import moment
from seqveil.tables.write.lines import divided, item_lists, parts


def write_csv(file: IO[bytes], domain: Domain, flat: Flat, raw_cells: bool = False) -> None:
    """Columns sequence, position, item, and time where labels have one, else timestamp, a public one (`clock`).

    Numbers start at 1. Labels are spelled for spreadsheets, unless `raw_cells`.
    """
    _write_rows(file, domain, flat, ",", raw_cells)


def write_tsv(file: IO[bytes], domain: Domain, flat: Flat, raw_cells: bool = False) -> None:
    """The same, separated by tabs."""
    _write_rows(file, domain, flat, "\t", raw_cells)


def _write_rows(file: IO[bytes], domain: Domain, flat: Flat, delimiter: str, raw_cells: bool) -> None:
    spelled = str if raw_cells else neutral
    when = "timestamp" if domain.calendar is None else "time"
    file.write(delimiter.join(("sequence", "position", "item", when)).encode() + b"\n")
    number = 0
    for part in item_lists(domain, flat):
        text = io.StringIO()
        rows = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        for number, (labels, times) in enumerate(part, number + 1):  # noqa: B020 - it counts on over the parts
            moments = map(spelled, times) if times else map(moment, range(len(labels)))
            cells = zip(map(spelled, labels), moments, strict=True)
            rows.writerows((number, position, *cell) for position, cell in enumerate(cells, 1))
        file.write(text.getvalue().encode())


def write_parquet(file: IO[bytes], domain: Domain, flat: Flat) -> None:
    """One column, `sequence`, of lists of labels; with times, a row per item, as in the event logs."""
    items, times = divided(domain, flat)
    if times is not None:
        _write_events(file, items, times)
        return
    schema = pa.schema({"sequence": pa.large_list(pa.large_string())})
    with pq.ParquetWriter(file, schema, compression="zstd") as table:
        for offsets, labels in parts(domain, flat):
            lists = pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), labels)
            table.write_table(pa.table({"sequence": lists}, schema))


def _write_events(file: IO[bytes], items: tuple[Domain, Flat], times: tuple[Domain, Flat]) -> None:
    """Columns sequence, position, item, time."""
    text, whole = pa.large_string(), pa.int64()
    schema = pa.schema({"sequence": whole, "position": whole, "item": text, "time": text})
    with pq.ParquetWriter(file, schema, compression="zstd") as table:
        before = 0
        for (offsets, labels), (_, clocks) in zip(parts(*items), parts(*times), strict=True):
            starts = offsets.to_numpy().astype(np.int64)
            owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            columns = {"sequence": before + owner + 1, "position": np.arange(len(owner)) - starts[owner] + 1}
            table.write_table(pa.table({**columns, "item": labels, "time": clocks}, schema))
            before += len(starts) - 1
