"""The ladder mechanism, exactly: a whole number x around 0 with probability ∝ e^(−rung(x)/s) [Zhang 2015].

Rung 0 is the number 0 alone. Rung j ≥ 1 has the next widths[j − 1] numbers on either side; after the last of the T widths all
rungs have that last width. So a rung j ≤ T weighs 2·widths[j − 1]·e^(−j/s), and all rungs beyond T together, a geometric
series, 2·last·e^(−(T+1)/s) / (1 − e^(−1/s)). One draw picks a rung or "beyond"; beyond, how far is geometric with the same s,
exactly; within a rung all numbers are equally likely. Nothing is cut: whichever number is meant by infinitely precise
arithmetic is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import partial

import numpy as np
from numpy.typing import NDArray

from seqveil.wall.noise.inverse import Digits, Steps, select, steps, working
from seqveil.wall.noise.scale import Scale

ROOM = 40
"""Digits more than other laws compute with: 15 are lost where e^(−1/s) is taken from 1 at the largest scale, and a power of it
that is the product of 10⁹ factors loses 9."""


def draw_ladder(
    widths: NDArray[np.int64], scale: Scale, digits: Digits, below: Callable[[int], int], tail: Callable[[], int]
) -> int:
    """One draw; `below(n)` is uniform on 0..n−1 and `tail()` geometric with P(k) ∝ e^(−k/s)."""
    rung = select(partial(_law, widths, scale), digits)
    if rung == 0:
        return 0
    last, beyond = int(widths[-1]), tail() if rung > len(widths) else 0
    inner = int(widths[: rung - 1].sum()) + beyond * last  # numbers of the rungs below, on one side
    number = below(2 * (last if rung > len(widths) else int(widths[rung - 1])))
    return (inner + 1 + number // 2) * (1 if number % 2 else -1)


def _law(widths: NDArray[np.int64], scale: Scale, digits: int) -> Steps:
    """The cumulative law of rungs 0..T and of all beyond, as step T + 1."""
    with localcontext(working(digits + ROOM)):
        numerator, denominator = scale.exact.as_integer_ratio()
        down = (-Decimal(denominator) / numerator).exp()
        rest = 2 * int(widths.max()) / (1 - down)  # times the power of the next rung: no less than all from there on
        floor = Decimal(10) ** -(digits + 3)
        weights, power = [Decimal(1)], Decimal(1)
        for start in range(0, len(widths), 1024):  # an array of many thousand Python numbers is made only if it is needed
            for width in widths[start : start + 1024].tolist():
                power *= down
                weights.append(2 * width * power)
                if rest * power * down < floor:
                    return steps(0, weights, digits, open_below=False, open_above=rest > 0)
        weights.append(2 * int(widths[-1]) * power * down / (1 - down))
        return steps(0, weights, digits, open_below=False, open_above=False)


def rung_of(distance: NDArray[np.int64], widths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rungs on which numbers so far from 0 lie; no rung where the last width is 0 and they are further away.

    >>> rung_of(np.array([0, 1, 2, 3, 4, 7, 8]), np.array([1, 2])).tolist()
    [0, 1, 2, 2, 3, 4, 5]
    """
    reach, last = np.cumsum(widths), int(widths[-1])
    if last == 0:
        return np.where(distance > reach[-1], np.iinfo(np.int64).max, np.searchsorted(np.append(0, reach), distance))
    beyond = -(-(distance - reach[-1]) // last)
    return np.where(distance > reach[-1], len(widths) + beyond, np.searchsorted(np.append(0, reach), distance))
