"""The data holder's key: which row of the names file stands at which position of the vectors. Never leaves the data holder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from seqveil.errors import InputProblems
from seqveil.link.columns import ROWS_AT_ONCE, open_columns, whole, write_columns
from seqveil.release.regular import opened
from seqveil.surface import parameter
from seqveil.whole import INTERNAL, write_whole

FORMAT, VERSION = "seqveil linkage key", 1
_META = b"seqveil"


@dataclass(slots=True, eq=False)
class Seen:
    """The names read so far: how many, and a SHA-256 by which a key recognises them, whatever batches they came in.

    >>> one, other = Seen(), Seen()
    >>> one.add(["Anna", "Bob"]), other.add(["Anna"]), other.add(["Bob"])
    (None, None, None)
    >>> one.names, one.digest == other.digest
    (2, True)
    """

    names: int = 0
    _hash: Any = field(default_factory=hashlib.sha256)

    def add(self, batch: Sequence[str]) -> None:
        """The next names of the file."""
        self.names += len(batch)
        self._hash.update("".join(f"{name}\n" for name in batch).encode("utf-8", "surrogatepass"))

    @property
    def digest(self) -> str:
        """Of all names so far, in their order."""
        return str(self._hash.hexdigest())


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """`rows[p - 1]` is the row (from 1, a header not counted) behind position p of the vectors with this digest."""

    vectors: str
    names: int
    """How many rows the names file had."""
    rows: NDArray[np.int64]
    names_digest: str
    """What `Seen` makes of them: the same number of other names would put other people into the pairs."""

    def save(self, path: str | Path) -> Path:
        """As a file that only its owner may read."""
        return write_whole(Path(path), self._write, mode=INTERNAL)

    def _write(self, work: Path) -> None:
        about = {
            "format": FORMAT, "version": VERSION, "vectors": self.vectors, "names": self.names,
            "names_digest": self.names_digest, "positions": len(self.rows),
        }  # fmt: skip
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
            raise InputProblems(str(path), ["lists a row twice, or a row that does not exist: it was not written by Seqveil"])
        return cls(about["vectors"], about["names"], rows, about["names_digest"])

    def refuse_other_names(self, seen: Seen, source: str) -> None:
        """The names must be those that were embedded, in the same order."""
        if seen.names != self.names:
            problem = f"has {seen.names:,} rows, but {self.names:,} rows were embedded:"
        elif seen.digest != self.names_digest:
            problem = f"has other names than were embedded, or in another order: check {parameter('column')}, and"
        else:
            return
        raise InputProblems(source, [f"{problem} give the same file that was embedded"])


def _about(path: Path) -> dict:
    """The metadata of a key."""
    source = str(path)
    try:
        with opened(path, follow=True) as raw, pq.ParquetFile(raw) as file:
            about = json.loads((file.schema_arrow.metadata or {}).get(_META, b"null"))
            rows = file.metadata.num_rows
    except FileNotFoundError:
        raise InputProblems(source, ["does not exist: give the key that `seqveil link embed` wrote"]) from None
    except (pa.ArrowException, OSError, ValueError, RecursionError):
        raise InputProblems(source, ["is not a key: give the key that `seqveil link embed` wrote"]) from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputProblems(source, ["is not a key: give the key that `seqveil link embed` wrote"])
    if about.get("version") != VERSION:
        raise InputProblems(source, [f"has version {str(about.get('version'))[:20]}, but this Seqveil reads version {VERSION}"])
    kinds = {"format": str, "version": int, "vectors": str, "names": int, "names_digest": str, "positions": int}
    if (
        about.keys() != kinds.keys()
        or any(type(about[key]) is not kind for key, kind in kinds.items())
        or about["positions"] != rows
    ):
        raise InputProblems(source, ["has incomplete metadata: it was changed, or not written by Seqveil"])
    return about
