"""Budget allocation strategies of the prefix-tree miner [Bonomi thesis, §3.2.1].

Their sums do not exceed ε (docs/soundness.md, 'Prefix-tree miner').

The root is not asked: the levels are 1..h, and level i gets the i-th share.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

Strategy = Literal["linear", "exponential", "adaptive", "hybrid"]


def shares(strategy: Strategy, h: int, q: int) -> list[Fraction]:
    """What each level gets of ε: exact fractions that sum to 1.

    linear       1/h
    exponential  2^(i−1)/(2^h − 1); adaptive too, and nodes whose family came back empty are asked again with the rest
    hybrid       i/(q(q+1)) up to level q, then 2^(i−q−1)/(2(2^(h−q) − 1)), adaptive below q; for h ≤ q all by the first rule

    >>> [str(s) for s in shares("hybrid", h=4, q=2)]
    ['1/6', '1/3', '1/6', '1/3']
    >>> {s: sum(shares(s, 10, 7)) for s in ("linear", "exponential", "adaptive", "hybrid")}
    {'linear': Fraction(1, 1), 'exponential': Fraction(1, 1), 'adaptive': Fraction(1, 1), 'hybrid': Fraction(1, 1)}
    """
    levels = range(1, h + 1)
    if strategy == "linear":
        return [Fraction(1, h) for _ in levels]
    if strategy in ("exponential", "adaptive"):
        return [Fraction(2 ** (i - 1), 2**h - 1) for i in levels]
    if h <= q:
        return [Fraction(2 * i, h * (h + 1)) for i in levels]
    return [Fraction(i, q * (q + 1)) if i <= q else Fraction(2 ** (i - q - 1), 2 * (2 ** (h - q) - 1)) for i in levels]
