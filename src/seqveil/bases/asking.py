"""Asking for supports in clipped records: first how many patterns records contain, then the supports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.noise import Noise, noise_on
from seqveil.bases.width import balanced, clipped_records, widths
from seqveil.wall import ClippedSupports, Contained, Wall

Patterns = NDArray[np.int64]
"""One pattern per row, as codes of the domain; shorter ones are padded with -1."""

WIDTH_SHARE = 8
"""One part in so many of what a count may spend asks how many patterns records contain."""


@dataclass(frozen=True, slots=True)
class Width:
    """How many patterns a record may count for, what asking for it cost, and about how many records it clips."""

    most: int
    spent: int
    clipped: int


def asked_width(wall: Wall, patterns: Patterns, least: float, epsilon: int) -> Width:
    """The width for patterns that are counted with what is left of ε; `least` is the support worth finding."""
    if len(patterns) == 1:
        return Width(1, 0, 0)
    bounds, share = widths(len(patterns)), epsilon // WIDTH_SHARE
    noisy = wall.ask(Contained(patterns, bounds), share)
    most = balanced(noisy, bounds, len(patterns), max(least, 1.0), epsilon - share, wall.measure)
    return Width(most, share, clipped_records(noisy, bounds, len(patterns), most))


def clipped_counts(wall: Wall, patterns: Patterns, width: Width, epsilon: int, fair: bool) -> tuple[NDArray[np.int64], Noise]:
    """The noisy supports of all patterns, paid with what asking for the width left of ε, and their noise."""
    question = ClippedSupports(patterns, width.most, fair)
    noisy = wall.ask(question, epsilon - width.spent)
    return noisy, noise_on(wall, question, epsilon - width.spent)


def padded(patterns: list[tuple[int, ...]]) -> Patterns:
    """Patterns of several lengths as one table.

    >>> padded([(1,), (2, 3)]).tolist()
    [[1, -1], [2, 3]]
    """
    table = np.full((len(patterns), max(map(len, patterns), default=1)), -1, np.int64)
    for row, pattern in enumerate(patterns):
        table[row, : len(pattern)] = pattern
    return table
