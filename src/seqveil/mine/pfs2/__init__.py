"""PFS²: frequent sequences with gaps, found with the help of secret samples."""

from __future__ import annotations

from seqveil.mine.pfs2.mechanism import PFS2

__all__ = ["PFS2"]
