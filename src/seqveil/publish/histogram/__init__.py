"""Flat histograms: every cell of a small table with noise, without a threshold."""

from seqveil.publish.histogram.mechanism import Histogram

__all__ = ["Histogram"]
