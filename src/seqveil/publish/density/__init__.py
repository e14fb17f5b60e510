"""Density-based exploration and reconstruction of graphs."""

from seqveil.publish.density.mechanism import DER

__all__ = ["DER"]
