"""The holder's key: which row of the names file stands at which position of the vectors. Never leaves the holder."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.fenced.linkage.columns import ROWS_AT_ONCE, open_columns, whole, write_columns
from seqveil.fenced.linkage.whole import write_whole

FORMAT, VERSION = "seqveil linkage key", 1
_META = b"seqveil"


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """`rows[p - 1]` is the row (from 1, a header not counted) behind position p of the vectors with this digest."""

    vectors: str
    names: int
    """How many rows the names file had."""
    rows: NDArray[np.int64]

    def save(self, path: str | Path) -> Path:
        """As a file that only its owner may read."""
        write_whole(Path(path), self._write, mode=0o600)
        return Path(path)

    def _write(self, work: Path) -> None:
        about = {"format": FORMAT, "version": VERSION, "vectors": self.vectors, "names": self.names, "positions": len(self.rows)}
        schema = pa.schema([whole("row")], metadata={_META: json.dumps(about)})
        parts = ([pa.array(self.rows[at : at + ROWS_AT_ONCE])] for at in range(0, len(self.rows), ROWS_AT_ONCE))
        write_columns(work, schema, parts)

    @classmethod
    def load(cls, path: str | Path) -> Key:
        """Read strictly."""
        path = Path(path)
        about = _about(path)
        batches = open_columns(path, pa.schema([whole("row")]), about["positions"])
        rows = np.empty(about["positions"], np.int64)
        at = 0
        for batch in batches:
            rows[at : at + len(batch)] = batch.column(0).to_numpy()
            at += len(batch)
        if len(rows) and (rows.min() < 1 or rows.max() > about["names"] or len(np.unique(rows)) < len(rows)):
            raise InputProblems(str(path), ["names rows twice, or rows that are not there: it was not written by Seqveil"])
        return cls(about["vectors"], about["names"], rows)

    def refuse_other_names(self, rows: int, source: str) -> None:
        """The names file must be the one that was embedded; its number of rows is what the key knows of it."""
        if rows != self.names:
            told = f"has {rows:,} rows, but {self.names:,} rows were embedded"
            raise InputProblems(source, [f"{told}: give the very file that `seqveil link embed` read"])


def _about(path: Path) -> dict:
    """What the key says of itself."""
    source = str(path)
    try:
        with pq.ParquetFile(path) as file:
            about = json.loads((file.schema_arrow.metadata or {}).get(_META, b"null"))
            rows = file.metadata.num_rows
    except FileNotFoundError:
        raise InputProblems(source, ["does not exist: give the file that `seqveil link embed --key` wrote"]) from None
    except (pa.ArrowException, OSError, ValueError, RecursionError):
        raise InputProblems(source, ["is no key: give the file that `seqveil link embed --key` wrote"]) from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputProblems(source, ["is no key: give the file that `seqveil link embed --key` wrote"])
    if about.get("version") != VERSION:
        raise InputProblems(source, [f"has version {str(about.get('version'))[:20]}, but this Seqveil reads version {VERSION}"])
    kinds = {"format": str, "version": int, "vectors": str, "names": int, "positions": int}
    if (
        about.keys() != kinds.keys()
        or any(type(about[key]) is not kind for key, kind in kinds.items())
        or about["positions"] != rows
    ):
        raise InputProblems(source, ["does not say what it must about itself: it was changed or not written by Seqveil"])
    return about
