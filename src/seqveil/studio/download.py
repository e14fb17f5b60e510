"""Downloads: every table and the synthetic records in the formats that people work with, and the files as they were published."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from seqveil.errors import CallError
from seqveil.studio.pages import studio_of

TABLES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "json": "application/json"}
RECORDS = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "xes": "application/xml",
    "jsonl": "application/jsonl",
    "txt": "text/plain",
}
"""Endings of files, and their types."""


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
    listed += [Download(f"table {name}", [(one.upper(), f"{name}.table.{one}") for one in TABLES]) for name in release.tables()]
    published = [("manifest.json", "manifest.json"), *((name, name) for name in release.manifest.files)]
    return [*listed, Download("files as published", published)]


def download(request: Request) -> Response:
    """One file. Its name is looked up in what the release has; nothing else is opened."""
    studio, name = studio_of(request), request.path_params["name"]
    line = studio.shelf.line(request.path_params["key"])
    release = studio.shelf.load(line)
    if name == "map.svg":
        return _picture(release)
    if name not in [one for listed in downloads(release) for _, one in listed.names]:
        raise CallError(f"{name!r:.80} is not a file of this release: choose one from the list.")
    body, kind = _body(release, line.folder, name)
    saved = name if release.manifest.private or "EXPERIMENT" in name else f"EXPERIMENT.{name}"
    return Response(body, media_type=kind, headers={"content-disposition": f'attachment; filename="{saved}"'})


def _body(release: Any, folder: Path, name: str) -> tuple[bytes, str]:
    stem, _, ending = name.rpartition(".")
    if name == "manifest.json":
        return release.manifest.to_json().encode(), "application/json"
    if name in release.manifest.files:
        from seqveil.release.saved import vouched

        return vouched(folder / name, release.manifest.files[name]), "application/octet-stream"
    if stem.endswith(".table"):
        return _table(release.tables()[stem.removesuffix(".table")], ending), TABLES[ending]
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / name
        release.synthesize().write(path)
        return path.read_bytes(), RECORDS[ending]


def _table(table: Any, ending: str) -> bytes:
    """A table of a release in a format; lists of labels are written as `query` reads them where cells are text."""
    out = io.BytesIO()
    if ending == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, out, compression="zstd")
        return out.getvalue()
    rows = table.to_pylist()
    if ending == "json":
        return json.dumps(rows, ensure_ascii=False).encode()
    import csv

    from seqveil.notation import to_text
    from seqveil.tables.write.cells import neutral

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    for row in rows:
        cells = [to_text(map(str, value)) if isinstance(value, list) else value for value in row.values()]
        writer.writerow([neutral(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue().encode()


def _picture(release: Any) -> Response:
    """The drawing of a release that has one."""
    from seqveil.release.capabilities import Pictured

    drawing = release.drawing() if isinstance(release, Pictured) else None
    if drawing is None:
        raise CallError("this release has no picture.")
    return Response(drawing.encode(), media_type="image/svg+xml")
