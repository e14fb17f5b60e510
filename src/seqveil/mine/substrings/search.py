"""The search for candidates: frequent strings of 1, 2, 4, 8, … labels, each length made from the one before.

What is asked next depends on noisy answers and public parameters alone. A string is followed up while its count may matter: if K
strings are known to occur more often, none of its own extensions can be among the K most frequent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log

import numpy as np

from seqveil.mine.substrings.bounds import ask_bound, price_of
from seqveil.tables.doubling import Doubling
from seqveil.wall import GRAINS, Matches, Wall, holdings

String = tuple[int, ...]

BROAD = 12.0
"""The first length is the largest power of two, not above the shortest pattern, for which ln(number of strings) is at most this:
noise on so many empty slots is cheaper than another question."""

FALSE = 0.25
"""Empty slots that may pass at each length, as a share of the patterns wanted: later questions find out."""

DOUBT = 0.5
"""A string is followed up if its count is at least this share of what the K-th pattern is known to have."""

AHEAD = 3
"""A length gets this part of the ε that is left for the search (or an equal part, if fewer lengths are left)."""


@dataclass(slots=True)
class Known:
    """Strings of one length with their estimated counts."""

    length: int
    count: dict[String, float]


@dataclass(slots=True)
class Search:
    """Public parameters of a search, and what it has found."""

    top: int
    shortest: int
    longest: int
    l_max: int
    once: bool
    levels: list[Known] = field(default_factory=list)

    def run(self, wall: Wall, epsilon: int) -> int:
        """Ask length after length; returns what is left of ε."""
        labels = len(wall.domain)
        asked = Doubling.over(labels, first_length(labels, self.shortest))
        while asked.length <= self.longest and asked.slots:
            left = (self.longest // asked.length).bit_length()
            paid = epsilon // min(left, AHEAD)
            if paid < 2:
                break
            with wall.stage(f"candidates of {asked.length} labels"):
                kept = self._level(wall, asked, paid)
            epsilon -= paid
            if not len(kept):
                break
            asked = asked.longer(kept)
        return epsilon

    def _level(self, wall: Wall, asked: Doubling, epsilon: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """One length: the bound, the counts above a threshold, and the slots of strings to follow up."""
        price = price_of(asked.slots, max(1.0, FALSE * self.top))
        most = holdings(asked, self.l_max, self.once)
        bound, paid = ask_bound(wall, asked, self.l_max, self.once, most, self.worth(), epsilon, price)
        question = Matches(asked, self.l_max, bound.most, self.once)
        threshold = ceil(price * question.influence(wall.unit) * GRAINS / paid)
        slots, noisy = wall.ask_above(question, paid, threshold)
        slots = np.asarray(slots, np.int64)
        best = np.sort(np.argsort(-noisy, kind="stable")[: max(2000, 20 * self.top)])
        slots, count = slots[best], noisy[best] / bound.share
        if not len(slots):
            return slots
        strings = [tuple(codes) for codes in asked.strings(slots).tolist()]
        self.levels.append(Known(asked.length, dict(zip(strings, count.tolist(), strict=True))))
        return slots[count >= DOUBT * (self.worth() or 0.0)]

    def worth(self) -> float | None:
        """What the K-th most frequent pattern is known to have, as far as noise allows; None while fewer are known.

        A string occurs wherever one that begins with it does, and wherever one that ends with it does.
        """
        least: dict[String, float] = {}
        for level in self.levels:
            for at_end in (False, True):
                sums: dict[String, float] = {}
                for string, count in level.count.items():
                    for n in range(self.shortest, level.length + 1):
                        part = string[-n:] if at_end else string[:n]
                        sums[part] = max(sums.get(part, 0.0), count) if self.once else sums.get(part, 0.0) + count
                for part, count in sums.items():
                    least[part] = max(least.get(part, 0.0), count)
        if len(least) < self.top:
            return None
        return sorted(least.values(), reverse=True)[self.top - 1]


def first_length(labels: int, shortest: int) -> int:
    """How many labels the first strings have.

    >>> first_length(17, 8), first_length(4, 8), first_length(13_905, 8), first_length(17, 2)
    (4, 8, 1, 2)
    """
    first = 1
    while 2 * first <= shortest and 2 * first * log(labels) <= BROAD:
        first *= 2
    return first
