"""Sets and their counts: what DiffPart and its baseline release, and models of sets that were fitted to counted itemsets."""

from __future__ import annotations

from seqveil.release.sets.modelled import SetModelRelease
from seqveil.release.sets.release import SetRelease, Size
from seqveil.release.sets.table import SetCounts

__all__ = ["SetCounts", "SetModelRelease", "SetRelease", "Size"]
