"""How many of `chosen` marks fall on `ones` marked cells rather than on `zeros` unmarked ones, exactly.

P(w) ∝ C(ones, w) · C(zeros, chosen − w) · e^{rate·w}: a mark on a one weighs e^{rate}, and every set of `chosen` cells that
hits w ones weighs the same. Only ratios of neighbouring weights are ever computed,

    P(w + 1) / P(w) = e^{rate} · (ones − w)(chosen − w) / ((w + 1)(zeros − chosen + w + 1)),

walked outwards from the mode in decimals of unbounded exponent: binomials of millions neither over- nor underflow, and
the cost follows the width of the law. The ratio falls with w, so what a walk leaves out is less than a geometric series.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from seqveil.wall.noise.inverse import Digits, Steps, select, steps, working


def draw_overlap(ones: int, zeros: int, chosen: int, rate: Fraction, source: Digits) -> int:
    """One draw of w."""
    low, high = max(0, chosen - zeros), min(ones, chosen)
    if low == high:
        return low
    return select(lambda digits: _law(ones, zeros, chosen, rate, digits), source)


def _law(ones: int, zeros: int, chosen: int, rate: Fraction, digits: int) -> Steps:
    low, high = max(0, chosen - zeros), min(ones, chosen)
    odds = _odds(rate, digits)

    def ratio(w: int) -> Decimal:
        """P(w + 1) / P(w)."""
        return odds * ((ones - w) * (chosen - w)) / ((w + 1) * (zeros - chosen + w + 1))

    mode = _mode(ratio, low, high)
    floor = Decimal(10) ** -(digits + 3)
    up, down = [], []
    weight = Decimal(1)
    for w in range(mode, high):
        step = ratio(w)
        weight *= step
        up.append(weight)
        if weight * step < floor * (1 - step):
            break
    weight = Decimal(1)
    for w in range(mode - 1, low - 1, -1):
        step = 1 / ratio(w)
        weight *= step
        down.append(weight)
        if weight * step < floor * (1 - step):
            break
    first, last = mode - len(down), mode + len(up)
    return steps(first, [*reversed(down), Decimal(1), *up], digits, open_below=first > low, open_above=last < high)


@lru_cache(maxsize=4096)
def _odds(rate: Fraction, digits: int) -> Decimal:
    with localcontext(working(digits)):
        return (Decimal(rate.numerator) / rate.denominator).exp()


def _mode(ratio: Callable[[int], Decimal], low: int, high: int) -> int:
    """The most likely w: the first at which the ratio, which falls with w, is below 1."""
    while low < high:
        middle = (low + high) // 2
        if ratio(middle) >= 1:
            low = middle + 1
        else:
            high = middle
    return low
