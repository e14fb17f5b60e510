"""`seqveil report`: one HTML page about a release, for people who will never open a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, banner, emit, progress, say
from seqveil.cli.evaluate import raw_table
from seqveil.cli.groups import takes
from seqveil.cli.reading import Description
from seqveil.extras import need
from seqveil.whole import refuse_taken


@takes(..., Description)
def report(
    release: Annotated[Path, typer.Argument(help="Folder of a release.")],
    raw: Annotated[Path | None, typer.Option(help="INTERNAL: compare it with the original data in this file.")] = None,
    out: Annotated[Path, typer.Option(help="Page to write; must not exist yet.")] = Path("report.html"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing page.")] = False,
    as_json: Json = False,
    **description: Any,
) -> None:
    """Write one self-contained HTML page: guarantee, budget, tree, patterns, lengths. With --raw it is INTERNAL: do not share it.

    Example: seqveil report release/ --out report.html
    """
    need("pages")
    refuse_taken(out, "give another name with --out" + ("" if overwrite else ", or --overwrite"), overwrite)
    from seqveil.release import load
    from seqveil.report.page import write_report

    opened = load(release)
    if raw is not None and not as_json:
        banner("INTERNAL", "the page holds numbers from the raw data. Do not share it.")
    with progress("reporting", quiet=as_json) as step:
        table = None if raw is None else raw_table(raw, opened.domain, {**description, "as_json": as_json})
        write_report(opened, out, raw=table, on_step=step, overwrite=overwrite)
    manifest = opened.manifest
    result = {"release": manifest.release, "out": str(out), "internal": raw is not None, "private": manifest.private}
    emit(result) if as_json else say(f"{out}: open it in any browser; it needs no network.")
