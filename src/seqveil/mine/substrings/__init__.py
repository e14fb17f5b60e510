"""Substrings of any length: candidates by doubling, counts along a trie, contributions clipped."""

from seqveil.mine.substrings.mechanism import Substrings

__all__ = ["Substrings"]
