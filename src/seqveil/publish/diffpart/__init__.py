"""Sets, published by private top-down partitioning."""

from seqveil.publish.diffpart.mechanism import DiffPart

__all__ = ["DiffPart"]
