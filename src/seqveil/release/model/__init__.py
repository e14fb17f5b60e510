"""The record model as it is released: measured tables with their noise, and the synthetic records drawn from the model."""

from __future__ import annotations

from seqveil.release.model.release import RecordRelease
from seqveil.release.model.tables import Counted, SequenceCounts

__all__ = ["Counted", "RecordRelease", "SequenceCounts"]
