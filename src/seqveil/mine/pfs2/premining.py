"""The pre-mining phase [Xu 2015, Alg. 3, lines 2–9]: noisy size, length constraint, threshold, longest frequent length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.noise import alone
from seqveil.wall import KthSupport, Lengths, LengthSupport, LongestSupports, Wall

MOST_RANKED = 20_000
"""Patterns that the search for the longest frequent length may hold; more raise its floor (wall/questions/longest.py)."""

FAR = 20
"""The floor lies this many noise scales below the threshold: noise bridges that with probability below e^(−20)."""


@dataclass(frozen=True, slots=True)
class Premined:
    """What is known before mining starts; all of it noisy."""

    size: int
    l_max: int
    threshold: int
    longest: int


def length_constraint(alpha: NDArray[np.int64], size: int, eta: float) -> int:
    """The first length at which the running total of noisy length counts reaches η·size; the longest one if none does.

    >>> length_constraint(np.array([50, 30, 15, 5]), 100, 0.85), length_constraint(np.array([0, -3]), 100, 0.85)
    (3, 2)
    """
    reached = np.flatnonzero(np.cumsum(alpha) >= eta * size)
    return int(reached[0]) + 1 if len(reached) else len(alpha)


def queries(l_max: int) -> int:
    """How many answers a binary search for L_f in 0..l_max needs at most: ⌈log2(l_max + 1)⌉.

    >>> [queries(n) for n in (1, 2, 3, 7, 8, 32)]
    [1, 2, 2, 3, 4, 6]
    """
    return l_max.bit_length()


def longest_frequent(wall: Wall, l_max: int, threshold: int, epsilon: int, search: Literal["sparse", "binary"]) -> int:
    """L_f: the longest length of which some pattern reaches the threshold, 0 if none does."""
    asked = 4 if search == "sparse" else queries(l_max)
    floor = max(1, threshold - math.ceil(FAR * asked * alone(wall, epsilon).width))
    if search == "sparse":
        slot = wall.first_above(LongestSupports(l_max, floor, MOST_RANKED), epsilon, threshold)
        return 0 if slot is None else l_max - slot
    low, high = 0, l_max
    while low < high:
        # Invariant: L_f lies in low..high, and a further bit_length(high − low) questions are enough.
        middle = (low + high + 1) // 2
        if int(wall.ask(LengthSupport(middle, floor, MOST_RANKED), epsilon // asked)[0]) >= threshold:
            low = middle
        else:
            high = middle - 1
    return low


def kth_threshold(wall: Wall, top: int, longest: int, epsilon: int) -> int:
    """A threshold that about `top` patterns reach: the k-th largest support, with noise."""
    return int(wall.ask(KthSupport(top, longest), epsilon)[0])


def noisy_lengths(wall: Wall, most: int, epsilon: int) -> NDArray[np.int64]:
    """How many records have each length 1..most; longer ones count as `most`, so that the loop over lengths ends."""
    return wall.ask(Lengths(most), epsilon)
