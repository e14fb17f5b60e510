"""How many patterns one record may count for: the bound B that balances noise against what clipping loses.

Noise on a count has the scale B/ε. Clipping at B loses Σ_r max(0, c_r − B) of the Σ_r c_r = M occurrences, where c_r is the
number of patterns that record r contains. A pattern at the threshold θ that loses its share of that becomes too small by
θ/M·Σ_r max(0, c_r − B). The sum of both is least where its slope in B is 0: where M/(θ·ε) records are clipped, that is, have
c_r > B. (For sums of clipped values this is the rule of [Amin 2019].) Where many candidates are asked, an answer must exceed w
noise scales to mean anything; then noise weighs w times as much, and w times as many records are clipped.

The number of records by c_r is asked with noise; a record is in one slot, so this costs little.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqveil.wall import GRAINS, Measure

WIDEST = 1000
"""The largest B that is considered."""

CAUTION = 0.5
"""So much of the number of clipped records at which noise and loss balance is allowed: a loss is always in one direction."""


def widths(patterns: int) -> NDArray[np.int64]:
    """Public candidates for B, below the number of patterns, with 0 before them; each about a quarter above the one before.

    >>> widths(12).tolist(), widths(1).tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 10], [0])
    """
    bounds, b = [0], 1
    while b < min(patterns, WIDEST):
        bounds.append(b)
        b = max(b + 1, b * 5 // 4)
    return np.array(bounds, np.int64)


def balanced(
    noisy: NDArray[np.int64], bounds: NDArray[np.int64], patterns: int, least: float, epsilon: int, measure: Measure = "pure"
) -> int:
    """B, from the noisy number of records for each range of c_r (`widths`), for counts that are then paid with `epsilon`.

    `least` is θ/w. Gaussian noise has the scale √B/(2√ρ), so its slope falls with B.

    >>> bounds = widths(12)                                         # slots 0, 1, …, 8, 9–10, more
    >>> few, many = np.array([0, 500, 300, 150, 40, 9, 1, 0, 0, 0, 0]), np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 500, 500])
    >>> balanced(few, bounds, 12, 100, GRAINS), balanced(many, bounds, 12, 100, GRAINS), balanced(-few, bounds, 12, 100, GRAINS)
    (5, 12, 1)
    """
    upper = np.append(bounds, min(patterns, WIDEST))
    occurrences = max(int((upper * noisy).sum()), 1)
    room = np.full(len(upper), CAUTION * occurrences * GRAINS / (least * epsilon))
    if measure == "zcdp":
        room = CAUTION * occurrences / least * np.sqrt(GRAINS / (epsilon * np.maximum(upper, 1))) / 4
    # clipped[j]: records with more than upper[j] patterns. From the largest B down, where less noise adds up.
    clipped = np.append(np.cumsum(noisy[::-1])[::-1][1:], 0)
    j = len(upper) - 1
    while j > 1 and clipped[j - 1] <= room[j - 1]:
        j -= 1
    return int(upper[j])


def clipped_records(noisy: NDArray[np.int64], bounds: NDArray[np.int64], patterns: int, width: int) -> int:
    """About how many records contain more than `width` of so many patterns.

    >>> slots = np.array([5, 4, 3, 2])
    >>> clipped_records(slots, np.array([0, 1, 2]), 4, 1), clipped_records(slots, np.array([0, 1, 2]), 4, 4)
    (5, 0)
    """
    if width >= patterns:
        return 0
    return max(0, int(noisy[int(np.searchsorted(bounds, width, "right")) :].sum()))
