"""Where a release cut records: what "truncated" means when it is evaluated. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.release.grams.counted import CountedTree

if TYPE_CHECKING:
    from seqveil.release import Release

TRUNCATE = 20
"""Where "truncated" cuts for a release that does not say where it cut itself: the l_max of [Chen 2012]."""


def cut_of(release: Release) -> int:
    """Where the release cut records: l_max of an n-gram model, the height of a prefix tree."""
    return release.cut if isinstance(release, CountedTree) else TRUNCATE
