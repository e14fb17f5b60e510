"""The grams of a base as a trie in flat arrays, for kernels.

Characters that stand in some gram are *letters*, numbered from 0 in the order of the alphabet; all others are -1 and end
every walk. Node 0 is the root. `child[node, letter]` is the next node, or 0 where there is none: no walk comes back to the root.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.link.base import Base


@dataclass(frozen=True, slots=True, eq=False)
class Trie:
    """`gram[node]` is the coordinate of the gram that ends there, or -1; `letter` is by code of the alphabet."""

    letter: NDArray[np.int32]
    child: NDArray[np.int32]
    gram: NDArray[np.int32]
    longest: int
    """q_max."""

    @classmethod
    def of(cls, base: Base) -> Trie:
        """The trie of a base's grams."""
        used = np.unique(base.codes.items)
        letter = np.full(len(base.alphabet.text), -1, np.int32)
        letter[used] = np.arange(len(used), dtype=np.int32)
        child = np.zeros((len(base.codes.items) + 1, len(used)), np.int32)
        gram = np.full(len(child), -1, np.int32)
        nodes = 1
        for coordinate, codes in enumerate(base.codes):
            node = 0
            for at in letter[codes].tolist():
                if not child[node, at]:
                    child[node, at], nodes = nodes, nodes + 1
                node = int(child[node, at])
            gram[node] = coordinate
        return cls(letter, child[:nodes].copy(), gram[:nodes].copy(), int(base.lengths.max()))

    @property
    def letters(self) -> int:
        """How many characters stand in some gram."""
        return int(self.child.shape[1])
