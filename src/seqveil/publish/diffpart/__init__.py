"""Sets, published by private top-down partitioning."""

from seqveil.publish.diffpart.mechanism import DiffPart
from seqveil.publish.diffpart.rows import DiffPartRows

__all__ = ["DiffPart", "DiffPartRows"]
