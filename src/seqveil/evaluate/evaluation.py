"""One release held against the raw data it was made from. INTERNAL: every number here comes from raw data without noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqveil.errors import CallError
from seqveil.evaluate.baseline import exact_records, mechanism_of
from seqveil.evaluate.intervals import covered
from seqveil.evaluate.yardstick import Yardstick
from seqveil.release.grams import GramRelease

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.sequences import SequenceTable

TRUNCATE = 20
"""Where "truncated" cuts for a release that does not say where it cut itself: the paper's l_max."""


SEQUENCES = ("grams", "prefixes")
"""The contents of releases whose records are sequences."""


def cut_of(release: Release) -> int:
    """Where the release cut records: l_max of a gram model, the height of a prefix tree."""
    return int(getattr(release, "l_max", 0) or getattr(release, "h", 0) or TRUNCATE)


def evaluate(
    table: SequenceTable,
    release: Release,
    yardstick: Yardstick | None = None,
    sources: bool = True,
    on_step: Callable[[str], None] = lambda step: None,
) -> dict[str, Any]:
    """All metrics under the keys that docs/evaluate.md lists; `sources` also runs the method without noise."""
    if release.content not in SEQUENCES:
        raise CallError(f"the release holds {release.content}, which has no sequences to compare: give one that `publish` made.")
    labels, records = len(release.domain), release.synthetic  # type: ignore[attr-defined]
    yard = yardstick or Yardstick(table.flat, labels, cut_of(release))
    out: dict[str, Any] = {"release": summary(release), **yard.measure(records, on_step)}
    # Of a user's records a secret choice is published, so only for records does anyone know the counts behind the bars.
    if isinstance(release, GramRelease) and release.manifest.whom.name == "record":
        on_step("intervals")
        out["intervals"] = covered(release, table.flat.truncate(cut_of(release)))
    mechanism = mechanism_of(release) if sources else None
    if mechanism is not None:
        on_step("sources of the error")
        exact = exact_records(table, mechanism, release)
        if exact is not None:
            out["error_sources"] = yard.error_sources(records, exact)
    return out


def summary(release: Release) -> dict[str, Any]:
    """What was evaluated, from its manifest."""
    manifest = release.manifest
    return {
        "id": manifest.release,
        "method": manifest.mechanism.name,
        "parameters": manifest.mechanism.parameters,
        "epsilon": manifest.epsilon,
        "unit": manifest.unit,
        "private": manifest.private,
        "records": len(release.synthetic),  # type: ignore[attr-defined]
    }
