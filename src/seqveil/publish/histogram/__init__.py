"""Flat histograms: every cell of a small table with noise, without a threshold."""

from seqveil.publish.histogram.mechanism import Histogram
from seqveil.publish.histogram.sets import SetHistogram

__all__ = ["Histogram", "SetHistogram"]
