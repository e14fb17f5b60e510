"""Where a release cut records: what "truncated" means when it is evaluated. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqveil.release import Release

TRUNCATE = 20
"""Where "truncated" cuts for a release that does not say where it cut itself: the l_max of [Chen 2012]."""

SEQUENCES = ("grams", "prefixes")
"""The contents of releases whose records are sequences."""


def cut_of(release: Release) -> int:
    """Where the release cut records: l_max of an n-gram model, the height of a prefix tree."""
    return int(getattr(release, "l_max", 0) or getattr(release, "h", 0) or TRUNCATE)
