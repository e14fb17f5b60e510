"""Draw exactly from a law whose probabilities are irrational, by looking only as closely as needed.

A uniform real U in [0, 1) selects the smallest k with U < F(k), where F is the cumulative law. Neither U nor F is ever
known in full: U is a string of random decimal digits that can be continued, F is known within an error that can be made
smaller. When the two are not close, they are known well enough to tell which k is meant. When they are close, both are
refined: U keeps the digits it has and gets more. So the answer is the one that infinitely precise arithmetic would have
given, whatever the rounding on the way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

FIRST_DIGITS = 30
"""A second look is then needed about once in 10**25 draws."""

Digits = Callable[[int], int]
"""How many digits -> a uniform integer of that many decimal digits."""


def working(digits: int) -> Context:
    """Arithmetic for laws that must be known to `digits` decimals: 25 more are room for the roundings on the way."""
    return Context(prec=digits + 25, Emin=MIN_EMIN, Emax=MAX_EMAX)


@dataclass(frozen=True)
class Steps:
    """A stretch of a cumulative law F, known within an error.

    |F(first + i) - heights[i]| <= error for every i; heights ascend. `open_below`: there may be probability (at most
    `error`) below `first`; `open_above`: likewise above the last.
    """

    first: int
    heights: list[Decimal]
    error: Decimal
    open_below: bool
    open_above: bool

    def locate(self, low: Decimal, high: Decimal) -> int | None:
        """The k that every U in [low, high) selects, or None when that is not certain."""
        i = bisect_right(self.heights, low)
        bottom, top = i == 0, i == len(self.heights) - 1  # low < 1, and the last height is 1: i is never beyond it
        previous = Decimal(0) if bottom else self.heights[i - 1]
        above_previous = (bottom and not self.open_below) or previous + self.error <= low
        below_own = (top and not self.open_above) or high <= self.heights[i] - self.error
        return self.first + i if above_previous and below_own else None


def steps(first: int, weights: list[Decimal], digits: int, open_below: bool, open_above: bool) -> Steps:
    """The cumulative law of weights, each right to a relative 10**-(digits+5), of which all but a share of
    10**-(digits+1) is listed. docs/mechanisms/noise.md adds the roundings up: they stay within 10**-digits.
    """
    sums: list[Decimal] = []
    total = Decimal(0)
    for weight in weights:
        total += weight
        sums.append(total)
    return Steps(first, [s / total for s in sums], Decimal(10) ** -digits, open_below, open_above)


def select(law: Callable[[int], Steps], source: Digits) -> int:
    """One draw from the law, given as a function from the wanted digits to what is known at that precision."""
    digits = FIRST_DIGITS
    uniform = source(digits)
    while True:
        with localcontext(working(digits)):
            place = law(digits).locate(Decimal(uniform).scaleb(-digits), Decimal(uniform + 1).scaleb(-digits))
        if place is not None:
            return place
        uniform = uniform * 10**digits + source(digits)
        digits *= 2
