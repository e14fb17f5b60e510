"""Frequent itemsets: by truncated transactions, or pruned by secret samples first."""

from __future__ import annotations

from seqveil.mine.itemsets.mechanism import FrequentItemsets

__all__ = ["FrequentItemsets"]
