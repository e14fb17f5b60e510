"""From shared tokens to pairs: which values of both sides agree, how well, and which pairs stay when each value may be in one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import RunFailed
from seqveil.link.psi.fields import EQUAL
from seqveil.link.psi.listing import Tokens
from seqveil.link.psi.terms import MOST_FIELDS

MOST_SHARED = 200_000_000
"""Shared tokens of pairs that are held at once, 20 bytes each."""

SHARED = np.dtype([("token", "<i4"), ("label", "<u8")])
"""A token that both have, with the label of one of the other side's values."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pair p is our value `value[p]` and theirs under `label[p]`; `levels[p]` has two bits for how well each field agrees."""

    value: NDArray[np.int64]
    label: NDArray[np.uint64]
    levels: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.value)

    def take(self, which: NDArray) -> Pairs:
        """Some of them, in this order."""
        return Pairs(self.value[which], self.label[which], self.levels[which])


def pairs_of(own: Tokens, shared: NDArray) -> Pairs:
    """All pairs that share a token, each once. A field agrees as well as any shared token of the pair says."""
    token = shared["token"].astype(np.int64)
    each = own.offsets[token + 1] - own.offsets[token]
    if each.sum() > MOST_SHARED:
        raise RunFailed(
            f"the pairs share more than {MOST_SHARED:,} tokens: agree on terms in which more fields must agree, so that fewer "
            "people resemble each other."
        )
    nth = np.repeat(np.arange(len(shared)), each)
    at = own.offsets[token[nth]] + np.arange(len(nth)) - np.repeat(np.cumsum(each) - each, each)
    value, label, levels = own.value[at].astype(np.int64), shared["label"][nth].astype(np.uint64), own.levels[at]
    order = np.lexsort((label, value))
    value, label, levels = value[order], label[order], levels[order]
    new = np.concatenate([[True], (value[1:] != value[:-1]) | (label[1:] != label[:-1])])[: len(value)]
    first = np.flatnonzero(new)
    if not len(first):
        return Pairs(value, label, levels)
    best = np.zeros(len(first), np.uint16)
    for i in range(MOST_FIELDS):
        best |= np.maximum.reduceat(levels >> 2 * i & 3, first).astype(np.uint16) << 2 * i
    return Pairs(value[first], label[first], best)


def level(levels: NDArray[np.uint16], i: int) -> NDArray[np.uint16]:
    """How well field i agrees."""
    return levels >> np.uint16(2 * i) & np.uint16(3)


def one_to_one(pairs: Pairs) -> Pairs:
    """Each value in at most one pair: those that agree in most fields first, then those with most equal fields, then those whose
    values have the fewest other candidates.

    >>> own, theirs = np.array([0, 0, 1]), np.array([7, 8, 8], np.uint64)
    >>> one_to_one(Pairs(own, theirs, np.array([0b0101, 0b1010, 0b1001], np.uint16))).value.tolist()
    [0]
    """
    agree = sum((level(pairs.levels, i) > 0).astype(np.int64) for i in range(MOST_FIELDS))
    equal = sum((level(pairs.levels, i) == EQUAL).astype(np.int64) for i in range(MOST_FIELDS))
    rivals = _times(pairs.value) + _times(pairs.label)
    kept, ours, theirs = [], set[int](), set[int]()
    for p in np.lexsort((rivals, -np.asarray(equal), -np.asarray(agree))).tolist():
        mine, other = int(pairs.value[p]), int(pairs.label[p])
        if mine not in ours and other not in theirs:
            ours.add(mine)
            theirs.add(other)
            kept.append(p)
    return pairs.take(np.array(kept, np.int64))


def _times(entries: NDArray) -> NDArray[np.int64]:
    """How often each entry occurs."""
    _, which, times = np.unique(entries, return_inverse=True, return_counts=True)
    return times[which]
