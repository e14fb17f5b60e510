"""Downloads: every table and the synthetic records in the formats that people work with, and the files as they were published.

None of them is held in memory as a whole.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.release.signed import SIGNATURE
from seqveil.studio.pages import studio_of
from seqveil.studio.streaming import PIECE, Fill, Streamed

TABLES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "json": "application/json"}
RECORDS = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "xes": "application/xml",
    "jsonl": "application/jsonl",
    "txt": "text/plain",
}
"""Endings of files, and their types."""

CONTENTS = {
    "grams": "counts of patterns",
    "firsts": "counts of first labels",
    "lasts": "counts of last labels",
    "trips": "counts of pairs of first and last label",
    "lengths": "counts of record lengths",
}
"""What well-known tables hold; any other is listed by its name."""

MOST_ROWS = 1 << 13
"""Rows of a table that are spelled at once."""


class Download(NamedTuple):
    """A line of the list: what it is, and the names under which it can be loaded."""

    what: str
    names: list[tuple[str, str]]


def downloads(release: Any) -> list[Download]:
    """Everything that can be downloaded."""
    from seqveil.release.capabilities import Synthetic

    listed = []
    if isinstance(release, Synthetic):
        endings = [one for one in RECORDS if release.form == "sequences" or one != "xes"]
        if release.form == "edges":
            endings = ["csv", "txt"]
        what = "synthetic edges" if release.form == "edges" else "synthetic records"
        listed.append(Download(what, [(one.upper(), f"synthetic.{one}") for one in endings]))
    listed += [
        Download(CONTENTS.get(name, f"table {name}"), [(one.upper(), f"{name}.table.{one}") for one in TABLES])
        for name in release.tables()
    ]
    vouching = ["manifest.json", *([SIGNATURE] if release.manifest.signer else [])]
    published = [(name, name) for name in [*vouching, *release.manifest.files]]
    return [*listed, Download("files as published", published)]


def download(request: Request) -> Response:
    """One file, sent while it is written. Its name is looked up in what the release has; nothing else is opened."""
    studio, name = studio_of(request), request.path_params["name"]
    line = studio.shelf.line(request.path_params["key"])
    release = studio.shelf.load(line)
    if name == "map.svg":
        return _picture(release)
    if name not in [one for listed in downloads(release) for _, one in listed.names]:
        raise CallError(f"{name!r:.80} is not a file of this release: choose one from the list.")
    fill, kind = _filling(release, line.folder, name)
    saved = name if release.manifest.private or "EXPERIMENT" in name else f"EXPERIMENT.{name}"
    headers = {"content-disposition": f'attachment; filename="{saved}"'}
    return Response(media_type=kind, headers=headers) if request.method == "HEAD" else Streamed(fill, kind, headers)


def _filling(release: Any, folder: Path, name: str) -> tuple[Fill, str]:
    """What writes a file, and its type. Whatever can be refused is refused here, before the first byte is sent."""
    stem, _, ending = name.rpartition(".")
    if name == "manifest.json":
        return lambda file: file.write(release.manifest.to_json().encode()), "application/json"
    if name == SIGNATURE:
        return lambda file: file.write((folder / SIGNATURE).read_bytes()), "application/json"
    if name in release.manifest.files:
        return published(folder / name, release.manifest.files[name]), "application/octet-stream"
    if stem.endswith(".table"):
        table = release.tables()[stem.removesuffix(".table")]
        return partial(TABLE_WRITERS[ending], table), TABLES[ending]
    from seqveil.tables.write.files import writer_for

    records = release.synthesize()
    write = writer_for(f".{ending}", records.domain)
    return lambda file: write(file, records.domain, records.flat), RECORDS[ending]


def published(path: Path, digest: str) -> Fill:
    """A file as it was published: verified before anything is sent, and once more on its way, since somebody may change it."""
    from seqveil.errors import ReleaseDamaged
    from seqveil.release.regular import opened, sha256

    damaged = ReleaseDamaged(f"{path.name} was changed: its SHA-256 is not the manifest's. Copy the release again.")
    try:
        if sha256(path) != digest:
            raise damaged
    except OSError as error:
        raise ReleaseDamaged(f"{path.name} {error.strerror or 'cannot be read'}. Copy the release again.") from None

    def fill(out: IO[bytes]) -> None:
        sent, last = hashlib.sha256(), b""
        with opened(path) as file:
            while piece := file.read(PIECE):
                sent.update(piece)
                out.write(last)
                last = piece
        if sent.hexdigest() != digest:
            raise damaged
        out.write(last)  # the last piece makes it whole

    return fill


def _write_parquet(table: Any, file: IO[bytes]) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, file, compression="zstd", row_group_size=MOST_ROWS)


def _write_json(table: Any, file: IO[bytes]) -> None:
    """A list of objects, one for every row."""
    comma = b""
    file.write(b"[")
    for row in _rows(table):
        file.write(comma + json.dumps(row, ensure_ascii=False).encode())
        comma = b", "
    file.write(b"]")


def _write_csv(table: Any, file: IO[bytes]) -> None:
    """Lists of labels are written as `query` reads them: cells are text."""
    from seqveil.notation import to_text
    from seqveil.tables.write.cells import neutral

    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in _rows(table):
        cells = [to_text(map(str, value)) if isinstance(value, list) else value for value in row.values()]
        writer.writerow([neutral(cell) if isinstance(cell, str) else cell for cell in cells])
    text.detach()  # whoever opened the file closes it


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table, some at a time in memory."""
    for part in table.to_batches(max_chunksize=MOST_ROWS):
        yield from part.to_pylist()


TABLE_WRITERS = {"csv": _write_csv, "parquet": _write_parquet, "json": _write_json}


def _picture(release: Any) -> Response:
    """The drawing of a release that has one."""
    from seqveil.release.capabilities import Pictured

    drawing = release.drawing() if isinstance(release, Pictured) else None
    if drawing is None:
        raise CallError("this release has no picture.")
    return Response(drawing.encode(), media_type="image/svg+xml")
