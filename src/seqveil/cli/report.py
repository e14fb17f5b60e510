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
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    raw: Annotated[Path | None, typer.Option(help="INTERNAL: also set the original data beside it.")] = None,
    out: Annotated[Path, typer.Option(help="The page to write; must not exist.")] = Path("report.html"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a page that is there already.")] = False,
    as_json: Json = False,
    **description: Any,
) -> None:
    """Write one self-contained HTML page: the promise, the bill, the tree, patterns, lengths. With --raw it is INTERNAL.

    Example: seqveil report release/ --out report.html
    """
    need("pages")
    refuse_taken(out, "give another name with --out" + ("" if overwrite else ", or --overwrite"), overwrite)
    from seqveil.release import load
    from seqveil.report.page import write_report

    held = load(release)
    if raw is not None and not as_json:
        banner("INTERNAL", "the page holds numbers from the raw data. Do not share it.")
    with progress("reporting", quiet=as_json) as step:
        table = None if raw is None else raw_table(raw, held.domain, {**description, "as_json": as_json})
        write_report(held, out, raw=table, on_step=step, overwrite=overwrite)
    told = {"release": held.manifest.release, "out": str(out), "internal": raw is not None, "private": held.manifest.private}
    emit(told) if as_json else say(f"{out}: open it in any browser; it needs no network.")
