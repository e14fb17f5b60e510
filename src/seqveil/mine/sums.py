"""Patterns whose counts are sums of noisy answers: the largest of them, and their error bars. Post-processing.

A pattern with one answer of its own, X: given all other answers it is among the largest exactly when X reaches a threshold.
Raising X raises the pattern and all patterns whose sums hold X by the same amount and nothing else, so its place among these
never changes, and all others stand still. The usual interval for an answer that passed a threshold is then exact. A pattern with
several answers gets an interval that holds for all such candidates together with 95 %, whichever of them are released.
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


def largest_sums(
    patterns: Sequence[tuple[int, ...]], holds: NDArray[np.bool_], answers: Ints, scale: float, k: int
) -> PatternTable:
    """The k patterns with the largest sums; `holds` has an entry (p, q): whether the sum of p holds answer q.

    Every pattern holds its own answer, and all answers have noise of one scale.

    >>> holds = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1]], np.bool_)
    >>> table = largest_sums([(0, 0), (1, 0), (1, 0, 0)], holds, np.array([40, 70, 35]), scale=2.0, k=2)
    >>> [table.pattern(k) for k in range(2)], table.noisy.tolist()
    ([(0, 0), (1, 0)], [75, 70])
    """
    count = holds @ answers
    order = np.argsort(-count, kind="stable")
    best = order[:k]
    sizes = holds.sum(axis=1)
    together = int((sizes > 1).sum())
    scales = [scale if sizes[p] == 1 else _scale_of_a_sum(scale, int(sizes[p]), together) for p in best]
    thresholds = [_threshold(int(p), order, count, holds, k) if sizes[p] == 1 else UNSELECTED for p in best]
    return PatternTable.of([patterns[p] for p in best], count[best], scales, thresholds)


def _threshold(p: int, order: Ints, count: Ints, holds: NDArray[np.bool_], k: int) -> int:
    """What the count of p, which has one answer, had to reach to be among the k largest, given all other answers."""
    moves_along = holds[order, p]  # all sums with its answer, and p itself
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
