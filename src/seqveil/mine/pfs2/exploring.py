"""Mining with clipped records: explore length by length, then count everything that was found at once.

No record is cut. Each counts for at most B of the patterns asked, the first in a public order, so noise grows with B and not with
the number of patterns. While exploring, only the side of the threshold matters: the patterns that are expected closest to it come
first. In the final count the rarest come first: many records hold the common ones, so these lose the smaller share.
docs/mechanisms/pfs2.md, 'Clipped records'.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqveil.bases.asking import padded
from seqveil.bases.noise import Noise, enough, false_bar, noise_on
from seqveil.bases.width import balanced, clipped_records, widths
from seqveil.mine.pfs2.candidates import Patterns, every_label
from seqveil.mine.pfs2.language import Language
from seqveil.mine.pfs2.mining import affordable
from seqveil.mine.pfs2.premining import Premined
from seqveil.wall import ClippedSupports, Contained, Wall

NoisySupports = dict[tuple[int, ...], int]
"""Patterns that may be frequent, with their noisy supports."""

WIDTH_SHARE = 10
"""One part in so many of a level's ε asks how many patterns records contain."""

PRECISE = 0.03
"""Noise of this share of the threshold is small enough for exploring; ε beyond that is kept for later."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The final count: what reached the threshold, the noise, B, and about how many records were clipped (None: not asked)."""

    patterns: list[tuple[int, ...]]
    noisy: NDArray[np.int64]
    noise: Noise
    width: int
    clipped: int | None


@dataclass(frozen=True, slots=True)
class Clipping:
    """Public parameters of a run: a fixed B or None (asked for), and ζ."""

    width: int | None
    zeta: float

    def explore(self, wall: Wall, language: Language, premined: Premined, epsilon: int) -> tuple[NoisySupports, int]:
        """Patterns that may be frequent, and how much of ε was not needed."""
        supports: NoisySupports = {}
        candidates, left = every_label(len(wall.domain)), epsilon
        for k in range(1, premined.longest + 1):
            # Earlier levels have more candidates: of n levels to go the next gets 2/(n + 1), which ends with all of the rest.
            share = 2 * left // (premined.longest - k + 2)
            if k > 1:
                candidates = nearest(candidates, supports, premined)
            with wall.stage(f"explore length {k}"):
                asked = self._ask(wall, candidates, premined, share, fair=k == 1)
            if asked is None:
                break
            rank, noisy, spent = asked
            left -= spent
            frequent = candidates[rank]
            supports |= zip(map(tuple, frequent.tolist()), noisy.tolist(), strict=True)
            candidates = language.longer(frequent, noisy)
            if not len(candidates):
                break
        return supports, left

    def _ask(
        self, wall: Wall, candidates: Patterns, premined: Premined, epsilon: int, fair: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], int] | None:
        """Rows and noisy supports of candidates that may be frequent, and the ε spent; None when noise would swamp them."""
        width, spent, _ = self.width_for(wall, candidates, premined, epsilon)
        epsilon -= spent
        if not width:
            return None
        question = ClippedSupports(candidates, width, fair)
        epsilon = min(epsilon, enough(wall, question, PRECISE * premined.threshold))
        noise = noise_on(wall, question, epsilon)
        relaxed = premined.threshold + noise.quantile(self.zeta)
        least = max(1, math.ceil(max(relaxed, noise.scale * false_bar(len(candidates), wall.measure))))
        rank, noisy = wall.ask_above(question, epsilon, least)
        return rank.astype(np.int64), noisy, spent + epsilon

    def width_for(self, wall: Wall, patterns: Patterns, premined: Premined, epsilon: int) -> tuple[int, int, int | None]:
        """B for patterns that are counted with ε, what asking for it cost, and about how many records it clips.

        0 when one pattern per record is too much for the noise.
        """
        rest = epsilon * (WIDTH_SHARE - 1) // WIDTH_SHARE
        most = min(affordable(premined.threshold, rest, wall.unit.sequences, wall.measure), len(patterns))
        if self.width is not None or most <= 1:
            return min(self.width or 1, most), 0, None
        bounds, share = widths(len(patterns)), epsilon // WIDTH_SHARE
        noisy = wall.ask(Contained(patterns, bounds), share)
        least = premined.threshold / false_bar(len(patterns), wall.measure)
        width = min(most, balanced(noisy, bounds, len(patterns), least, epsilon - share, wall.measure))
        return width, share, clipped_records(noisy, bounds, len(patterns), width)

    def count(self, wall: Wall, supports: NoisySupports, premined: Premined, epsilon: int) -> Counted:
        """All patterns that were found, counted again at once; those that reach the threshold."""
        rarest = sorted(supports, key=lambda p: (supports[p], p))
        patterns = padded(rarest)
        with wall.stage("count"):
            width, spent, clipped = self.width_for(wall, patterns, premined, epsilon)
            if not width:
                return Counted([], np.zeros(0, np.int64), Noise(0.0), 1, None)
            question = ClippedSupports(patterns, width)
            rank, noisy = wall.ask_above(question, epsilon - spent, premined.threshold)
        noise = noise_on(wall, question, epsilon - spent)
        return Counted([rarest[row] for row in rank.tolist()], noisy, noise, width, clipped)


def nearest(candidates: Patterns, supports: NoisySupports, premined: Premined) -> Patterns:
    """Candidates by how close their expected support is to the threshold, as a ratio: the undecided ones first."""
    away = [abs(math.log(expected(tuple(line), supports, premined.size) / premined.threshold)) for line in candidates.tolist()]
    return candidates[np.argsort(away, kind="stable")]


def expected(pattern: tuple[int, ...], supports: NoisySupports, size: int) -> float:
    """The support to expect: the ends independent given the middle, and no more than any part has; at least 1.

    >>> expected((0, 1, 2), {(0, 1): 60, (1, 2): 40, (0, 2): 50, (1,): 80}, 100), expected((0, 1), {(0,): 50, (1,): 80}, 100)
    (30.0, 40.0)
    """
    least = min(supports[(*pattern[:i], *pattern[i + 1 :])] for i in range(len(pattern)))
    middle = supports.get(pattern[1:-1], size)
    return max(1.0, min(least, supports[pattern[:-1]] * supports[pattern[1:]] / max(middle, 1)))
