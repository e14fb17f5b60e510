"""[Bonomi thesis, Def. 4.3]: the vector of a name, s̄[i] = O_s(gᵢ) / |gᵢ|, kept as the integers O_s(gᵢ).

Multiplied by `base.scale` every coordinate is an integer, and so is every squared distance in units of 1 / scale². Nothing
in linkage is ever rounded.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.link.base import Base
from seqveil.link.trie import Trie
from seqveil.tables.flat import Flat

LONGEST_NAME = 65_535
"""A name has no more occurrences of a gram than characters, so that 16 bits hold every count. Callers refuse longer names."""


def embed(base: Base, names: Flat) -> NDArray[np.uint16]:
    """O_s(g) of every name and gram; overlapping occurrences all count.

    >>> from seqveil.tables.names import Alphabet
    >>> alphabet = Alphabet("aimps")
    >>> embed(Base(alphabet, ("a", "i", "s", "si", "issi")), alphabet.encode(["Mississippi", "Ana", ""])).tolist()
    [[0, 4, 4, 2, 2], [2, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    """
    trie = Trie.of(base)
    counts = np.zeros((len(names), len(base)), np.uint16)
    _count(names.items, names.offsets, trie.letter, trie.child, trie.gram, counts)
    return counts


def coordinates(base: Base, counts: NDArray[np.uint16] | NDArray[np.uint8]) -> NDArray[np.int32]:
    """The vectors in units of 1 / scale: exact integers.

    >>> from seqveil.tables.names import Alphabet
    >>> coordinates(Base(Alphabet("aimps"), ("a", "i", "s", "si")), np.array([[0, 4, 4, 2]], np.uint16)).tolist()
    [[0, 8, 8, 2]]
    """
    return counts.astype(np.int32) * base.weights.astype(np.int32)


@njit(cache=True, nogil=True)
def _count(items, offsets, letter, child, gram, counts):  # type: ignore[no-untyped-def]
    for s in range(len(offsets) - 1):
        stop = offsets[s + 1]
        for start in range(offsets[s], stop):
            node = 0
            for at in range(start, stop):
                x = letter[items[at]]
                if x < 0:
                    break
                node = child[node, x]
                if node == 0:
                    break
                if gram[node] >= 0:
                    counts[s, gram[node]] += 1
