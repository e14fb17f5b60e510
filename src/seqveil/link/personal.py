"""The personalised threshold [Bonomi thesis, Alg. 6]. A heuristic: names within t edits can lie farther away.

D and P are those of (4.18) and (4.20), with P as the text describes it (j ≤ i - |g|; printed is j < i - |g| - 1). Theorem 4.8
is false (docs/soundness.md, 'Record linkage'): the algorithm sees only n-grams that are lost, not those that an edit creates,
counts an n-gram once where it overlaps itself, and adds squares where changes add up before they are squared. For aa, the base
{a} and two edits it gives √2, but the empty string is 2 away. `neighbours` is personal and sound.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.link.base import Base
from seqveil.link.trie import Trie
from seqveil.tables.flat import Flat


def personal_th(base: Base, names: Flat, edits: int) -> NDArray[np.int64]:
    """T[t, |s| - 1] of every name, the square of its threshold, in units of 1 / scale².

    >>> from seqveil.tables.names import Alphabet
    >>> alphabet = Alphabet("aimps")
    >>> personal_th(Base(alphabet, ("a", "i", "s", "si")), alphabet.encode(["mississippi", "aa"]), 2).tolist()   # 2.5, 2
    [10, 8]
    """
    trie = Trie.of(base)
    out = np.zeros(len(names), np.int64)
    _personal(names.items, names.offsets, trie.letter, trie.child, trie.gram, base.lengths, base.weights, edits, out)
    return out


@njit(cache=True, nogil=True)
def impact(text, child, gram, lengths, weights):  # type: ignore[no-untyped-def]
    """D[i], what grams over i contribute, in units of 1 / scale²; P[i], the last start of a gram that ends before i, or -1."""
    d, p = np.zeros(len(text), np.int64), np.full(len(text), -1, np.int64)
    reached = np.zeros(len(lengths), np.int64)  # end of the part of the text where the gram has been counted: D counts it once
    for start in range(len(text)):
        node, at = 0, start
        while at < len(text) and text[at] >= 0:
            node = child[node, text[at]]
            if node == 0:
                break
            at += 1
            g = gram[node]
            if g >= 0:
                for i in range(max(start, reached[g]), at):
                    d[i] += weights[g] * weights[g]
                reached[g] = at
                if at < len(text):
                    p[at] = max(p[at], start)
    for i in range(1, len(text)):
        p[i] = max(p[i], p[i - 1])
    return d, p


@njit(cache=True, nogil=True)
def _personal(items, offsets, letter, child, gram, lengths, weights, edits, out):  # type: ignore[no-untyped-def]
    for s in range(len(offsets) - 1):
        text = letter[items[offsets[s] : offsets[s + 1]]]
        d, p = impact(text, child, gram, lengths, weights)
        row, above = np.zeros(len(text), np.int64), np.zeros(len(text), np.int64)
        for _ in range(min(edits, len(text))):  # T has T[i, j] = T[|s|, j] for more edits than positions
            above, row = row, above
            for j in range(len(text)):
                row[j] = d[j] + (above[p[j]] if p[j] >= 0 else 0)
                if j and row[j - 1] > row[j]:
                    row[j] = row[j - 1]
        out[s] = row[-1] if len(text) else 0
