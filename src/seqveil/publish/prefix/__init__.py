"""Noisy prefix trees, simple and of hybrid granularity."""

from seqveil.publish.prefix.mechanism import PrefixPublication

__all__ = ["PrefixPublication"]
