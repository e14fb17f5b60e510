"""Parquet files that executors open themselves, with the reader of one machine.

Where files lie on a file system that every process sees (`file:`: a disk, NFS, Lustre, a mounted bucket), a task is a few row
groups, and the Python of the executor reads them as columns. Spark would read them row by row in Java and write every value
again for Python, which costs more than all the rest of reading. Whether that can be done follows from the footers alone: every
file must have every wanted column, once and with the type that Spark states. Anything else is left to Spark.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seqveil.sources.spark.rows import BATCH, FILE_BITS

_TASK, _LEAST = 128 << 20, 4 << 20
"""Bytes of wanted columns in one task, at most, and the least that is worth a task: as Spark divides files."""


class Groups(NamedTuple):
    """Consecutive row groups of a file: `first` to `last - 1`. `rank` is the file's number in the order of names."""

    path: str
    rank: int
    first: int
    last: int


class Direct(NamedTuple):
    """What each task reads, and a digest of all footers."""

    tasks: tuple[tuple[Groups, ...], ...]
    digest: str


def local_path(uri: str) -> str | None:
    """The path of a file that this machine can open by its name.

    >>> local_path("file:///data/a%20b.parquet"), local_path("hdfs://node/a.parquet")
    ('/data/a b.parquet', None)
    """
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme == "file" and not parts.netloc else None


def direct(uris: list[str], columns: Iterable[str], schema: Any, parallel: int) -> Direct | None:
    """How executors can read these files themselves, or None where they cannot; reads footers only."""
    wanted, paths = set(columns), [local_path(uri) for uri in sorted(uris)]
    if not paths or None in paths or any("." in name for name in wanted):
        return None
    sizes: list[tuple[Groups, int]] = []
    sha = hashlib.sha256()
    for rank, path in enumerate(paths):
        assert path is not None
        try:
            footer = pq.read_metadata(path)
            types = footer.schema.to_arrow_schema()
        except (pa.ArrowException, OSError):
            return None
        if not all(types.names.count(name) == 1 and _alike(types.field(name).type, schema.field(name).type) for name in wanted):
            return None
        sizes += [
            (Groups(path, rank, group, group + 1), _size(footer.row_group(group), wanted, sha))
            for group in range(footer.num_row_groups)
        ]
    return Direct(_tasks(sizes, parallel), sha.hexdigest())


def _size(group: Any, wanted: set[str], sha: Any) -> int:
    """The bytes of the wanted columns. All chunks go into the digest: sizes, and the bounds of values that a writer noted."""
    size = 0
    for i in range(group.num_columns):
        chunk = group.column(i)
        bounds = chunk.statistics
        noted = (bounds.min_raw, bounds.max_raw, bounds.null_count) if bounds is not None and bounds.has_min_max else ()
        facts = (chunk.path_in_schema, chunk.num_values, chunk.total_compressed_size, chunk.total_uncompressed_size, noted)
        sha.update(repr(facts).encode("utf-8", "backslashreplace"))
        size += chunk.total_compressed_size if chunk.path_in_schema in wanted else 0
    return size


def _tasks(sizes: list[tuple[Groups, int]], parallel: int) -> tuple[tuple[Groups, ...], ...]:
    """Consecutive row groups, so that the rows of a task stand before or after those of another, never between them."""
    most = min(_TASK, max(_LEAST, sum(size for _, size in sizes) // max(1, parallel)))
    tasks: list[list[Groups]] = []
    room = 0
    for groups, size in sizes:
        if size > room or not tasks:
            tasks.append([])
            room = most
        room -= size
        before = tasks[-1][-1] if tasks[-1] else None
        if before is not None and before.rank == groups.rank:
            tasks[-1][-1] = before._replace(last=groups.last)
        else:
            tasks[-1].append(groups)
    return tuple(map(tuple, tasks))


def _alike(file: Any, stated: Any) -> bool:
    """Whether a column of a file has the values that Spark would give: types that each has in its own way are left to Spark."""
    if pa.types.is_dictionary(file):
        file = file.value_type
    if pa.types.is_timestamp(stated):
        return pa.types.is_timestamp(file) and file.unit in ("ms", "us") and (file.tz is None) == (stated.tz is None)
    for text in (pa.types.is_string, pa.types.is_large_string):
        if text(file):
            return bool(pa.types.is_string(stated) or pa.types.is_large_string(stated))
    return bool(file == stated and not pa.types.is_nested(file))


def read_groups(batches: Iterable[Any], *, tasks: tuple[tuple[Groups, ...], ...], roles: dict[str, str]) -> Iterator[Any]:
    """In an executor: the rows of the tasks whose numbers it is given, as columns by role, with their places."""
    for batch in batches:
        for task in batch.column("id").to_pylist():
            for groups in tasks[task]:
                yield from _rows(groups, roles)


def _rows(groups: Groups, roles: dict[str, str]) -> Iterator[Any]:
    names = sorted(set(roles.values()))
    schema = pq.read_schema(groups.path)
    labels = [roles[role] for role in ("item", "origin", "destination") if role in roles]
    texts = [name for name in labels if pa.types.is_string(kind := schema.field(name).type) or pa.types.is_large_string(kind)]
    with pq.ParquetFile(groups.path, read_dictionary=texts or None) as file:  # labels are found once for each dictionary
        sizes = [file.metadata.row_group(group).num_rows for group in range(groups.last)]
        place = (groups.rank << FILE_BITS) + sum(sizes[: groups.first])
        for rows in file.iter_batches(BATCH, list(range(groups.first, groups.last)), names, use_threads=False):
            columns = {role: rows.column(name) for role, name in roles.items()}
            columns["place"] = pa.array(np.arange(place, place + len(rows)))
            place += len(rows)
            yield pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
