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
from seqveil.templates import templates

CANNOT_SHOW = [
    "An audit can show that a guarantee is violated. Only the proof in docs/mechanisms/ can show that it holds. What was not "
    "tried is not covered: larger data, longer records, other parameters, other plug-ins.",
    "The exact privacy loss is computed from the distributions that the noise is stated to have. Statistical tests check that "
    "it has them, with power against a scale that is 20 % off, not against every other mistake.",
    "The statistical bound is a lower bound on ε. A low value means a weak attack or a cautious mechanism; it does not mean "
    "that ε could be smaller.",
    "Time, memory, power and caches are not compared: an observer of the machine during a run may learn more than the release "
    "contains.",
    "The domain, the parameters and the unit of privacy are assumed to be public and correct. If they were chosen by looking at "
    "the data, or if one person has two user ids, no attack here notices.",
    "Everything ran on simulated data in this process. No real data was read, and none is in this report.",
]
"""What no audit can show, for the end of every report."""


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
    return templates("seqveil.audit").get_template("audit.html.j2").render(report=report) + "\n"


def file_names(name: str, report: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """Where the two files go: `audit-NAME-DATE.json` and `.html`."""
    stem = f"audit-{name}-{report['date'][:10]}"
    return folder / f"{stem}.json", folder / f"{stem}.html"
