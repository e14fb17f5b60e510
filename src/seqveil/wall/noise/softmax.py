"""The exponential mechanism, exactly: index i with probability ∝ exp(rate · score_i).

Candidates of equal score are equally likely, so one draw picks a score and another picks among those who have it.
Scores are walked from the best down, each weight from the one before, and the walk ends where the rest cannot matter.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.inverse import Digits, Steps, select, steps


def pick_score(scores: NDArray[np.int64], rate: Fraction, source: Digits) -> NDArray[np.intp]:
    """The indices that have the chosen score; each of them is then equally likely."""
    distinct, counts = np.unique(scores, return_counts=True)
    best_first, members = distinct[::-1].tolist(), counts[::-1].tolist()
    chosen = best_first[select(lambda digits: _law(best_first, members, rate, digits), source)]
    return np.flatnonzero(scores == chosen)


def _law(best_first: list[int], members: list[int], rate: Fraction, digits: int) -> Steps:
    # Whoever lies more than `reach` below the best is less likely than the best by a factor of more than
    # 10**(digits+2) · (number of candidates), so all of those together hold a share below 10**-(digits+2).
    reach = math.floor(Fraction(2.5 * (digits + 2) + math.log(sum(members))) / rate)
    step: dict[int, Decimal] = {}
    weight = Decimal(1)
    weights: list[Decimal] = []
    previous = best_first[0]
    for score, count in zip(best_first, members, strict=True):
        if best_first[0] - score > reach:
            break
        gap = previous - score
        if gap not in step:
            step[gap] = (-Decimal(rate.numerator * gap) / rate.denominator).exp()
        weight *= step[gap]
        weights.append(weight * count)
        previous = score
    return steps(0, weights, digits, open_below=False, open_above=len(weights) < len(best_first))
