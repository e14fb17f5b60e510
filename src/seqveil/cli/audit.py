"""`seqveil audit`: tries to break a method's promise, and says how hard it tried."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from seqveil.cli.console import Json, emit, progress, say, table
from seqveil.errors import RunFailed
from seqveil.extras import need
from seqveil.whole import write_whole


def audit(
    method: Annotated[str, typer.Argument(metavar="METHOD", help="A method, `noise`, `stream`, or `all`.")],
    budget: Annotated[str, typer.Option(help="quick: all methods in about a minute. full: 20 to 40 minutes.")] = "quick",
    out: Annotated[Path | None, typer.Option(help="A folder for the dated report (JSON and HTML). Default: here.")] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="How many processes. Default: one per core.")] = None,
    as_json: Json = False,
) -> None:
    """Attack a method on made-up data: replay, exact loss, sensitivity, statistics, noise, the command line. Reads no data.

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
        found = attack(method, tried, stage, processes)
    report = as_dict(found, tried, time.perf_counter() - begun)
    folder = out or Path()
    data, page = file_names(method, report, folder)
    write_whole(data, (json.dumps(report, indent=2, ensure_ascii=False) + "\n").encode(), overwrite=True)
    write_whole(page, as_page(report).encode(), overwrite=True)
    _tell(report, page, as_json)
    if not report["passed"]:
        raise RunFailed("the audit found a broken promise: see above. Publish nothing with it; please report it.")


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
    say(f"What was tried, and what an audit cannot show: {page}")
