"""Patterns with noisy counts: what a miner releases."""

from __future__ import annotations

from seqveil.release.grams.table import UNSELECTED
from seqveil.release.patterns.release import KINDS, PatternRelease
from seqveil.release.patterns.table import PatternTable, top_thresholds

__all__ = ["KINDS", "UNSELECTED", "PatternRelease", "PatternTable", "top_thresholds"]
