"""N-grams and their counts: what an n-gram mechanism releases."""

from __future__ import annotations

from seqveil.release.grams.release import GramRelease
from seqveil.release.grams.table import UNSELECTED, GramTable

__all__ = ["UNSELECTED", "GramRelease", "GramTable"]
