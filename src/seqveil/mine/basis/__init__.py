"""The most frequent itemsets, by bases."""

from __future__ import annotations

from seqveil.mine.basis.mechanism import Basis

__all__ = ["Basis"]
