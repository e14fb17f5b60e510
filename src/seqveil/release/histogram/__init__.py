"""Flat histograms: a noisy count for every cell of a small table, and the release that holds such tables."""

from __future__ import annotations

from seqveil.release.histogram.cells import Cells
from seqveil.release.histogram.release import HistogramRelease

__all__ = ["Cells", "HistogramRelease"]
