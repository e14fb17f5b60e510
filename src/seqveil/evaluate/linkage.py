"""INTERNAL: which pairs of names a linkage should have found, and how many of them it did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError
from seqveil.extras import need
from seqveil.tables.flat import Flat
from seqveil.tables.names import Alphabet

RowPairs = NDArray[np.int64]
"""Two columns: positions in the first and in the second list, counted from 0."""

_BLOCK = 1 << 26
"""Distances that are held at once, one byte each."""


class Scores(NamedTuple):
    """How good a set of pairs is; a share of nothing is 1."""

    precision: float
    recall: float
    f1: float


def true_pairs(a: Sequence[str], b: Sequence[str], edits: int, workers: int = -1) -> RowPairs:
    """All pairs of texts within so many edits (insertions, deletions, substitutions), in order; by rapidfuzz.

    Equal texts are compared once, and only texts whose lengths are within reach.

    >>> true_pairs(["anna", "bob", "anna"], ["ann", "rob", "anna"], 1).tolist()
    [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]]
    """
    if edits < 0 or edits > 254:
        raise CallError(f"edits = {edits}: give a number from 0 to 254.")
    left, left_of = _distinct(a)
    right, right_of = _distinct(b)
    near = _equal(left, right) if edits == 0 else _near(left, right, edits, workers)
    return _expanded(near, left_of, right_of)


def plain(alphabet: Alphabet, a: Sequence[str], b: Sequence[str], edits: int, workers: int = -1) -> RowPairs:
    """What people do without privacy: both lists in one place, normalised, compared by edit distance. Empty names match nobody.

    >>> plain(Alphabet.parse("latin"), ["Émile", ""], ["EMIL", "?"], 1).tolist()
    [[0, 0]]
    """
    first, second = [alphabet.normalise(name) for name in a], [alphabet.normalise(name) for name in b]
    pairs = true_pairs(first, second, edits, workers)
    named = [np.array([bool(name) for name in names], np.bool_) for names in (first, second)]
    return pairs[named[0][pairs[:, 0]] & named[1][pairs[:, 1]]]


def scores(pairs: RowPairs, true: RowPairs) -> Scores:
    """Precision, recall and their harmonic mean.

    >>> scores(np.array([[0, 0], [1, 1]]), np.array([[0, 0], [2, 2], [3, 3], [4, 4]]))
    Scores(precision=0.5, recall=0.25, f1=0.3333333333333333)
    """
    right = len(np.intersect1d(_keys(pairs), _keys(true)))
    wrong, missed = len(np.unique(_keys(pairs))) - right, len(np.unique(_keys(true))) - right
    precision = right / (right + wrong) if right + wrong else 1.0
    recall = right / (right + missed) if right + missed else 1.0
    return Scores(precision, recall, 2 * right / (2 * right + wrong + missed) if right + wrong + missed else 1.0)


def _keys(pairs: RowPairs) -> NDArray[np.int64]:
    """A pair as one number: positions are below 2^31."""
    pairs = np.asarray(pairs, np.int64).reshape(-1, 2)
    return (pairs[:, 0] << 32) | pairs[:, 1]


def _distinct(texts: Sequence[str]) -> tuple[list[str], Flat]:
    """Different texts, short ones first, and where each stands."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, []).append(place)
    different = sorted(places, key=lambda text: (len(text), text))
    return different, Flat.of(places[text] for text in different)


def _equal(left: list[str], right: list[str]) -> RowPairs:
    place = {text: j for j, text in enumerate(right)}
    return np.array([(i, place[text]) for i, text in enumerate(left) if text in place], np.int64).reshape(-1, 2)


def _near(left: list[str], right: list[str], edits: int, workers: int) -> RowPairs:
    need("edit distances")
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    lengths = np.array([len(text) for text in right], np.int64)
    near: list[RowPairs] = [np.zeros((0, 2), np.int64)]
    start = 0
    while start < len(left):
        # Invariant: pairs of left[:start] are found. Lengths ascend, so what is within reach of a block is a run of `right`.
        stop = start + 1
        low = int(np.searchsorted(lengths, len(left[start]) - edits))
        while stop < len(left) and len(left[stop]) == len(left[start]) and (stop + 1 - start) * len(right) <= _BLOCK:
            stop += 1
        high = int(np.searchsorted(lengths, len(left[start]) + edits, side="right"))
        if low < high:
            far = cdist(
                left[start:stop],
                right[low:high],
                scorer=Levenshtein.distance,
                score_cutoff=edits,
                dtype=np.uint8,
                workers=workers,
            )
            near.append(np.argwhere(far <= edits) + np.array([start, low]))
        start = stop
    return np.concatenate(near)


def _expanded(near: RowPairs, left_of: Flat, right_of: Flat) -> RowPairs:
    """RowPairs of different texts as pairs of places, in order."""
    i, j = near[:, 0], near[:, 1]
    across = right_of.lengths[j]
    each = left_of.lengths[i] * across
    pair = np.repeat(np.arange(len(near)), each)
    nth = np.arange(len(pair)) - np.repeat(np.cumsum(each) - each, each)
    rows = left_of.items[left_of.offsets[i[pair]] + nth // across[pair]]
    columns = right_of.items[right_of.offsets[j[pair]] + nth % across[pair]]
    pairs = np.stack([rows, columns], axis=1).astype(np.int64)
    return pairs[np.lexsort((columns, rows))]
