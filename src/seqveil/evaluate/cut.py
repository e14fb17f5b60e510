"""Where a release cut records: what "truncated" means when it is evaluated. INTERNAL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqveil.engines.protocol import engine_of
from seqveil.release.sequenced import SequenceRelease
from seqveil.wall.noise import SeededNoise

if TYPE_CHECKING:
    from seqveil.release import Release
    from seqveil.tables.flat import Flat
    from seqveil.tables.sequences import SequenceTable

TRUNCATE = 20
"""Where "truncated" cuts for a release that does not say where it cut itself: the l_max of [Chen 2012]."""


def cut_of(release: Release) -> int:
    """Where the release cut records: l_max of a model, the height of a prefix tree."""
    return release.cut if isinstance(release, SequenceRelease) else TRUNCATE


def drawn(release: Release) -> bool:
    """Whether the part of a record that was kept is secret: then exact counts of what was published are not known."""
    return bool(_way(release) != "first")


def records_of(release: Release, table: SequenceTable) -> Flat:
    """The records, cut as the release cut them. A part that was drawn is drawn again, by a seed: another one, of the same law."""
    if (way := _way(release)) == "first":
        return table.flat.truncate(cut_of(release))
    part: SequenceTable = engine_of(table).excerpts(table, cut_of(release), way, SeededNoise(0).below)
    return part.flat


def _way(release: Release) -> Any:
    return release.manifest.mechanism.parameters.get("cut", "first")
