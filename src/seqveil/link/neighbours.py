"""The farthest vector one edit away from a name, found by trying every edit.

Grams of the name that do not touch the edited place stay. So for each place the occurrences that the edit breaks are counted
once, and for each character that may be put there only the occurrences that run through it: at most q_max walks down the
trie, which begin where the text before the place has led them.

Characters outside all grams act alike, so one of them (letter -1) stands for all.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from seqveil.link.base import Base
from seqveil.link.trie import Trie
from seqveil.tables.flat import Flat


def farthest_neighbour(base: Base, names: Flat) -> NDArray[np.int64]:
    """The largest squared distance, in units of 1 / scale², from each name to any string of the alphabet one edit away.

    >>> from seqveil.tables.names import Alphabet
    >>> alphabet = Alphabet("ab")
    >>> farthest_neighbour(Base(alphabet, ("a", "ab")), alphabet.encode(["ab", "bb"])).tolist()  # ab → b, bb → ab
    [5, 5]
    """
    trie = Trie.of(base)
    out = np.zeros(len(names), np.int64)
    strange = trie.letters < len(base.alphabet.text)
    _farthest(
        names.items, names.offsets, trie.letter, trie.child, trie.gram, trie.longest, base.weights.astype(np.int64), strange, out
    )
    return out


@njit(cache=True, nogil=True)
def _move(g, by, change, weights):  # type: ignore[no-untyped-def]
    """One occurrence of gram g more or less; what that adds to Σ (change · weight)²."""
    old = change[g]
    change[g] = old + by
    return (2 * old * by + 1) * weights[g] * weights[g]


@njit(cache=True, nogil=True)
def _walk(text, node, at, child, gram, by, change, weights):  # type: ignore[no-untyped-def]
    """Move every gram that ends in text[at:] on the walk that has reached `node` before it."""
    added = 0
    while at < len(text) and text[at] >= 0:
        node = child[node, text[at]]
        if node == 0:
            break
        if gram[node] >= 0:
            added += _move(gram[node], by, change, weights)
        at += 1
    return added


@njit(cache=True, nogil=True)
def _through(text, x, after, before, child, gram, by, change, weights):  # type: ignore[no-untyped-def]
    """Move every gram that contains the letter x, put where `before` ends and followed by text[after:]."""
    added = 0
    if x >= 0:
        for j in range(len(before)):
            node = child[before[j], x] if before[j] >= 0 else 0
            if node > 0:
                if gram[node] >= 0:
                    added += _move(gram[node], by, change, weights)
                added += _walk(text, node, after, child, gram, by, change, weights)
    return added


@njit(cache=True, nogil=True)
def _across(text, after, before, child, gram, by, change, weights):  # type: ignore[no-untyped-def]
    """Move every gram that begins before a junction and ends after it, in text[after:]."""
    added = 0
    for j in range(1, len(before)):
        if before[j] > 0:
            added += _walk(text, before[j], after, child, gram, by, change, weights)
    return added


@njit(cache=True, nogil=True)
def _lead(text, place, child, before):  # type: ignore[no-untyped-def]
    """`before[j]`: the node after text[place - j : place], or -1 where the trie has no such path; before[0] is the root."""
    before[0] = 0
    for j in range(1, len(before)):
        before[j] = -1
        if j <= place:
            node = 0
            for at in range(place - j, place):
                node = child[node, text[at]] if text[at] >= 0 else 0
                if node == 0:
                    break
            if node > 0:
                before[j] = node


@njit(cache=True, nogil=True)
def _farthest_letter(text, after, before, child, gram, least, squares, change, weights, moved):  # type: ignore[no-untyped-def]
    """The largest Σ (change · weight)² over the letters that may stand where `before` ends, given what is broken already.

    The same as `_through` for every letter in turn, in one loop because it is the innermost one; `moved` lists what to undo.
    """
    best = 0
    for x in range(least, child.shape[1]):
        total, many = squares, 0
        for j in range(len(before)):
            node = child[before[j], x] if x >= 0 and before[j] >= 0 else 0
            at = after
            while node > 0:
                g = gram[node]
                if g >= 0:
                    total += (2 * change[g] + 1) * weights[g] * weights[g]
                    change[g] += 1
                    moved[many] = g
                    many += 1
                if at == len(text) or text[at] < 0:
                    break
                node = child[node, text[at]]
                at += 1
        for m in range(many):
            change[moved[m]] -= 1
        best = max(best, total)
    return best


@njit(cache=True, nogil=True)
def _farthest(items, offsets, letter, child, gram, longest, weights, strange, out):  # type: ignore[no-untyped-def]
    change, before = np.zeros(len(weights), np.int64), np.zeros(longest, np.int64)
    least, moved = -1 if strange else 0, np.zeros(longest * longest, np.int64)  # q_max walks meet at most q_max grams each
    for s in range(len(offsets) - 1):
        text = letter[items[offsets[s] : offsets[s + 1]]]
        best = 0
        for place in range(len(text) + 1):
            # Invariant: `change` is all 0 here.
            _lead(text, place, child, before)
            broken = _across(text, place, before, child, gram, -1, change, weights)  # an insertion breaks the junction
            best = max(best, _farthest_letter(text, place, before, child, gram, least, broken, change, weights, moved))
            change[:] = 0
            if place < len(text):
                broken = _through(text, text[place], place + 1, before, child, gram, -1, change, weights)
                best = max(best, _farthest_letter(text, place + 1, before, child, gram, least, broken, change, weights, moved))
                best = max(best, broken + _across(text, place + 1, before, child, gram, 1, change, weights))  # a deletion
                change[:] = 0
        out[s] = best
