"""Strings by doubling: those of length 2n are two of length n, one after the other, and a third one across their border.

If a string of length 2n is frequent, so are its first half, its second half and the n labels in its middle. So anyone who knows
the frequent strings of length n needs to ask about few of length 2n, and can number them without writing them down. The frequent
strings are noisy answers, so everything here is public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from seqveil.errors import CallError

Ints = NDArray[np.int64]

MOST_SLOTS = 2**62
"""Slots are numbered in int64."""


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Known strings of one length, in ascending order of their slots, and how pairs of them are numbered.

    `first[m]` is the first slot whose middle is m. Within it, slots go by the rank of the left string among those that end with
    the first half of m, then by the rank of the right one among those that begin with its second half; `right[m]` are so many.
    Strings of one label have no middle: any two of them make a pair.
    """

    slot: Ints
    codes: NDArray[np.int32]
    first: Ints
    right: Ints
    left_rank: Ints
    right_rank: Ints
    slots: int

    @classmethod
    def of(cls, slot: Ints, codes: NDArray[np.int32]) -> Level:
        """The known strings: one row of codes for each, all different."""
        n, wide = codes.shape
        if wide == 1:
            each = np.arange(n, dtype=np.int64)
            return cls(slot, codes, np.zeros(n, np.int64), np.full(n, n, np.int64), each, each, n * n)
        halves = np.concatenate([codes[:, : wide // 2], codes[:, wide // 2 :]])
        number = np.unique(halves, axis=0, return_inverse=True)[1].reshape(2, n)
        begins, ends = number[0], number[1]
        left_rank, left = _ranks(ends, 2 * n)
        right_rank, right = _ranks(begins, 2 * n)
        slots = left[begins] * right[ends]
        first = np.cumsum(slots) - slots
        return cls(slot, codes, first, right[ends], left_rank, right_rank, int(slots.sum()))

    def halves(self, slots: Ints) -> tuple[Ints, Ints]:
        """The left and the right string of pairs."""
        n, wide = self.codes.shape
        if wide == 1:
            return slots // n, slots % n
        # A middle without pairs begins where the next one does, so the last that begins there is the one with pairs.
        middle = np.searchsorted(self.first, slots, side="right") - 1
        within = slots - self.first[middle]
        half = wide // 2
        left = _find(self.codes[:, half:], self.left_rank, self.codes[middle, :half], within // self.right[middle])
        right = _find(self.codes[:, :half], self.right_rank, self.codes[middle, half:], within % self.right[middle])
        return left, right


def _ranks(group: NDArray[np.integer], groups: int) -> tuple[Ints, Ints]:
    """The rank of each member within its group, and how many members every group has."""
    size = np.bincount(group, minlength=groups).astype(np.int64)
    order = np.argsort(group, kind="stable")
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - (np.cumsum(size) - size)[group[order]]
    return rank, size


def _find(half: NDArray[np.int32], rank: Ints, wanted: NDArray[np.int32], wanted_rank: Ints) -> Ints:
    """The rows with a half and a rank."""
    row = {(*codes, r): k for k, (codes, r) in enumerate(zip(half.tolist(), rank.tolist(), strict=True))}
    return np.array([row[(*codes, r)] for codes, r in zip(wanted.tolist(), wanted_rank.tolist(), strict=True)], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Doubling:
    """What is known of strings of `base`, 2·base, 4·base, … labels; the next length is asked about.

    Without known strings, the slots are all strings of `base` labels.

    >>> pairs = Doubling.over(labels=3, base=1)
    >>> pairs.length, pairs.slots
    (1, 3)
    >>> twos = pairs.longer(np.array([0, 2]))               # a and c are frequent
    >>> twos.length, twos.slots, twos.strings(np.array([1, 2])).tolist()
    (2, 4, [[0, 2], [2, 0]])
    >>> fours = twos.longer(np.array([1, 2]))             # so are ac and ca: acac and caca have such a middle
    >>> fours.slots, fours.strings(np.arange(2)).tolist()
    (2, [[2, 0, 2, 0], [0, 2, 0, 2]])
    """

    labels: int
    base: int
    levels: tuple[Level, ...]

    @classmethod
    def over(cls, labels: int, base: int) -> Doubling:
        """Nothing is known: all strings of `base` labels, a power of two."""
        if base < 1 or base & (base - 1) or labels**base > MOST_SLOTS:
            raise CallError(f"base = {base}: strings begin with 1, 2, 4, … labels, and with no more than can be numbered.")
        return cls(labels, base, ())

    @property
    def length(self) -> int:
        """How many labels the strings have that are asked about."""
        return self.base << len(self.levels)

    @property
    def shortest(self) -> int:
        """The same: they all have one length."""
        return self.length

    @property
    def slots(self) -> int:
        """How many strings of this length there are to ask about."""
        return self.levels[-1].slots if self.levels else self.labels**self.base

    def strings(self, slots: Ints) -> NDArray[np.int32]:
        """The strings of some slots, one per row."""
        if self.levels:
            left, right = self.levels[-1].halves(slots)
            codes = self.levels[-1].codes
            return np.concatenate([codes[left], codes[right]], axis=1)
        power = self.labels ** np.arange(self.base - 1, -1, -1, dtype=np.int64)
        return (slots[:, None] // power % self.labels).astype(np.int32)

    def longer(self, slots: Ints) -> Self:
        """The next length: these slots, ascending, are the known strings of this one."""
        return type(self)(self.labels, self.base, (*self.levels, Level.of(slots, self.strings(slots))))
