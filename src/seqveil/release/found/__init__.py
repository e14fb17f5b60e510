"""Labels that were discovered, with their noisy weights."""

from seqveil.release.found.release import LabelRelease

__all__ = ["LabelRelease"]
