"""Grams and their counts: what an N-gram mechanism releases."""

from __future__ import annotations

from seqveil.release.grams.answer import Answer
from seqveil.release.grams.release import GramRelease
from seqveil.release.grams.table import UNSELECTED, GramTable

__all__ = ["UNSELECTED", "Answer", "GramRelease", "GramTable"]
