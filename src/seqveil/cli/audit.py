"""`seqveil audit`: attack a method's privacy guarantee, and report how thoroughly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, emit, progress, say, table
from seqveil.errors import RunFailed
from seqveil.extras import need
from seqveil.whole import write_whole


def audit(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="Method to audit, or noise, readers, stream, all.")],
    budget: Annotated[
        str, typer.Option(help="Effort: quick (about a minute for all methods) or full (20 to 40 minutes).")
    ] = "quick",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the dated report (JSON and HTML). Default: the current folder.")
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: one per core.")] = None,
    as_json: Json = False,
) -> None:
    """Attack a method's privacy guarantee on simulated data. Reads none of your data.

    Attacks: replay on neighbouring data with the exact privacy loss, sensitivity of every question, statistics, noise, and the
    output of the command line.

    Example: seqveil audit ngram
    """
    import json
    import time

    from seqveil.audit.audit import audit as attack
    from seqveil.audit.audit import everything
    from seqveil.audit.budget import effort
    from seqveil.audit.report import as_dict, as_page, file_names

    need("pages")
    tried = effort(budget)
    begun = time.perf_counter()
    with progress("audit", steps=len(everything()) if method == "all" else 1, quiet=as_json) as stage:
        audited = attack(method, tried, stage, processes)
    report = as_dict(audited, tried, time.perf_counter() - begun)
    folder = out or Path()
    data, page = file_names(method, report, folder)
    write_whole(data, (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode(), overwrite=True)
    write_whole(page, as_page(report).encode(), overwrite=True)
    _tell(report, page, as_json)
    if not report["passed"]:
        raise RunFailed(
            "the audit found a violated guarantee (see above). Do not publish with this method, and please report it."
        )


def _tell(report: dict[str, Any], page: Path, as_json: bool) -> None:
    if as_json:
        emit(report)
        return
    rows = []
    for one in report["audited"]:
        for tried in one["attacks"]:
            shown = "–" if tried["shown"] is None else f"{tried['shown']:.4f}"
            verdict = "BROKEN" if any(f["severity"] == "violation" for f in tried["findings"]) else "held"
            rows.append([one["name"], tried["name"], f"{tried['tried']:,}", shown, f"{tried['seconds']:.1f}", verdict])
    table(["method", "attack", "tried", "shown / claimed", "seconds", "verdict"], rows)
    for one in report["audited"]:
        for tried in one["attacks"]:
            if tried["name"] == "statistics":
                say(f"{one['name']}: {tried['summary']}")
            for finding in tried["findings"]:
                say(f"{finding['severity']}: {one['name']}: {finding['text']} {finding['witness']}")
    say(f"Report, with what an audit cannot show: {page}")
