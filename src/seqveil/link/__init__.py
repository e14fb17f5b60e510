"""Record linkage by vectors of frequent grams [1]. Only the base is differentially private: docs/mechanisms/linkage.md.

[1] L. Bonomi, L. Xiong, R. Chen, B. Fung, Frequent grams based embedding for privacy preserving record linkage, CIKM 2012;
    L. Bonomi's thesis, chapter 4.
"""

from __future__ import annotations

from seqveil.link.base import Base
from seqveil.link.key import Key
from seqveil.link.matching import match
from seqveil.link.opening import open_pairs
from seqveil.link.pairs import Pairs
from seqveil.link.vectors import Vectors
from seqveil.link.writing import write_vectors

__all__ = ["Base", "Key", "Pairs", "Vectors", "match", "open_pairs", "write_vectors"]
