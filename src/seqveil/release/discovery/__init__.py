"""Labels that were discovered, with their noisy weights."""

from seqveil.release.discovery.release import LabelRelease

__all__ = ["LabelRelease"]
