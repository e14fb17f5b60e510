"""Record linkage by vectors of frequent grams [1]. Only the base is differentially private: docs/mechanisms/linkage.md.

[1] L. Bonomi, L. Xiong, R. Chen, B. Fung, Frequent grams based embedding for privacy preserving record linkage, CIKM 2012;
    L. Bonomi's thesis, chapter 4.
"""

from __future__ import annotations

from seqveil.fenced.linkage.base import Base
from seqveil.fenced.linkage.key import Key
from seqveil.fenced.linkage.matching import match
from seqveil.fenced.linkage.opening import open_pairs
from seqveil.fenced.linkage.pairs import Pairs
from seqveil.fenced.linkage.vectors import Vectors
from seqveil.fenced.linkage.writing import write_vectors

__all__ = ["Base", "Key", "Pairs", "Vectors", "match", "open_pairs", "write_vectors"]
