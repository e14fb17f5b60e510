"""Sets and their counts: what DiffPart and its baseline release."""

from __future__ import annotations

from seqveil.release.sets.release import SetRelease, Size
from seqveil.release.sets.table import SetCounts

__all__ = ["SetCounts", "SetRelease", "Size"]
