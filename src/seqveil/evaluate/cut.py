"""Where a release cut records: what "truncated" means when it is evaluated. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqveil.release.sequenced import SequenceRelease

if TYPE_CHECKING:
    from seqveil.release import Release

TRUNCATE = 20
"""Where "truncated" cuts for a release that does not say where it cut itself: the l_max of [Chen 2012]."""


def cut_of(release: Release) -> int:
    """Where the release cut records: l_max of a model, the height of a prefix tree."""
    return release.cut if isinstance(release, SequenceRelease) else TRUNCATE
