"""From longest matches to occurrences: sums, the largest of them, and their error bars. Post-processing.

A pattern occurs where it is the longest match, and where the longest match is a candidate that ends with it. So its occurrences
are a sum of answers, one for each candidate that ends with it, itself included.

Error bars. A pattern that no other candidate ends with has one answer of its own, X. Given all other answers it is among the
largest exactly when X reaches a threshold: raising X raises the pattern and its own endings by the same amount and nothing else,
so its place among its endings never changes, and all others stand still. The usual interval for an answer that passed a threshold
is then exact. A pattern with several answers gets an interval that holds for all such candidates together with 95 %, whichever of
them are released.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from seqveil.release.answers.intervals import CONFIDENCE
from seqveil.release.answers.sums import spread
from seqveil.release.patterns import UNSELECTED, PatternTable

Ints = NDArray[np.int64]


def endings(patterns: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Entry (p, q): whether pattern q ends with pattern p; every pattern ends with itself.

    >>> endings([(0, 0), (1, 0), (1, 0, 0)]).astype(int).tolist()
    [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
    """
    number = {pattern: p for p, pattern in enumerate(patterns)}
    ends = np.zeros((len(patterns), len(patterns)), np.bool_)
    for q, pattern in enumerate(patterns):
        for start in range(len(pattern)):
            if pattern[start:] in number:
                ends[number[pattern[start:]], q] = True
    return ends


def most_frequent(patterns: Sequence[tuple[int, ...]], longest: Ints, scale: float, k: int) -> PatternTable:
    """The k patterns that occur most often, from noisy numbers of longest matches, each with noise of the given scale.

    >>> table = most_frequent([(0, 0), (1, 0), (1, 0, 0)], np.array([40, 70, 35]), scale=2.0, k=2)
    >>> [table.pattern(k) for k in range(2)], table.noisy.tolist()
    ([(0, 0), (1, 0)], [75, 70])
    """
    ends = endings(patterns)
    count = ends @ longest
    order = np.argsort(-count, kind="stable")
    best = order[:k]
    answers = ends.sum(axis=1)
    together = int((answers > 1).sum())
    scales = [scale if answers[p] == 1 else _scale_of_a_sum(scale, int(answers[p]), together) for p in best]
    thresholds = [_threshold(int(p), order, count, ends, k) if answers[p] == 1 else UNSELECTED for p in best]
    return PatternTable.of([patterns[p] for p in best], count[best], scales, thresholds)


def _threshold(p: int, order: Ints, count: Ints, ends: NDArray[np.bool_], k: int) -> int:
    """What the count of p, which has one answer, had to reach to be among the k largest, given all other answers."""
    moves_along = ends[order, p]  # its endings, and p itself
    ahead = int(moves_along[: int(np.flatnonzero(order == p)[0])].sum())
    others = order[~moves_along]
    if len(others) < k - ahead:
        return UNSELECTED
    rival = int(others[k - ahead - 1])
    return int(count[rival]) + (p > rival)


def _scale_of_a_sum(scale: float, answers: int, together: int) -> float:
    """The scale of noise whose 95 % interval is as wide as that of a sum of answers, `together` such sums at a time."""
    reach = spread((scale,) * answers, (1 - CONFIDENCE) / together)
    return (reach + 1) / log(1 / (1 - CONFIDENCE))
