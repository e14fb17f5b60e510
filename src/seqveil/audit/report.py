"""The report of an audit: dated, as JSON for programs and as a page for people."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from seqveil.audit.budget import Effort
from seqveil.audit.findings import Audited
from seqveil.extras import need

CANNOT_SHOW = [
    "An audit can show that a promise is broken; that it holds, only the proof in docs/mechanisms/ can show. What was not "
    "tried is not covered: larger data, longer records, other parameters, other plug-ins.",
    "The exact loss is computed from the laws that the wall claims to draw from. That it does draw from them is tested by "
    "statistics, with power against a scale 20 % off, not against every other mistake.",
    "The statistical bound is a lower bound on ε. A low number means a weak attack or a careful mechanism; it never means "
    "that ε could be smaller.",
    "Time, memory, power and the use of caches are not compared: whoever can measure the machine while it publishes may "
    "learn more than the release says.",
    "The domain, the parameters and the unit are taken to be public and right. If they were chosen by looking at the data, "
    "or if one person hides behind two user ids, nothing here notices.",
    "Everything ran on made-up data in this process; nothing about real data was read or is in this report.",
]
"""What no run of this can show, for the end of every report."""


def as_dict(audited: list[Audited], effort: Effort, seconds: float) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "schema": 1,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seqveil": version("seqveil"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "budget": asdict(effort),
        "seconds": round(seconds, 1),
        "passed": not any(one.broken for one in audited),
        "audited": [{**asdict(one), "passed": not one.broken} for one in audited],
        "gaps": [gap for one in audited for gap in one.gaps],
        "cannot_show": CANNOT_SHOW,
    }


def as_page(report: dict[str, Any]) -> str:
    """The report as one self-contained page."""
    need("pages")
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("seqveil.audit", "files"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("audit.html.j2").render(report=report) + "\n"


def file_names(name: str, report: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """Where the two files go: `audit-NAME-DATE.json` and `.html`."""
    stem = f"audit-{name}-{report['date'][:10]}"
    return folder / f"{stem}.json", folder / f"{stem}.html"
