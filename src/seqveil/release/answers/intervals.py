"""Error bars of counts that are seen only because they passed a threshold.

A kept answer is y = t + X with X discrete Laplace, P(x) ∝ q^|x|, q = e^(-1/s), seen only if y reaches the threshold T.
An ordinary bar around y would cover a false gram (t = 0) almost never. So a count t is judged by the law of y *given*
y >= T: it stays in the interval unless y is among the 5 % least likely answers under it. That law has one mode, at
max(t, T), hence the likely answers form an interval, and so do the counts that survive. For every t, 0 included, the
interval misses with probability at most 5 %, and it is never empty (docs/decisions/error-bars.md).

>>> low, high = interval(np.array([60, 400]), np.array([20.0, 20.0]), np.array([50, 50]))
>>> low.tolist(), high.tolist()      # just above the threshold nothing rules out 0; far above, the plain bar
([0, 340], [114, 460])
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from seqveil.release.answers import gaussian as normal

CONFIDENCE = 0.95
"""How often an interval covers the true count, at least."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def variance(scale: Floats) -> Floats:
    """The variance of discrete Laplace noise, 2q/(1-q)².

    >>> variance(np.array([1.0])).round(4).tolist()
    [1.8413]
    """
    with np.errstate(divide="ignore"):
        half = 0.5 / np.asarray(scale, np.float64)
    return np.asarray(0.5 / np.sinh(np.minimum(half, 300.0)) ** 2)


def surprise(t: Ints, y: Ints, scale: Floats, threshold: Ints) -> Floats:
    """The probability, given that the answer passes and the true count is t, of an answer no more likely than y.

    With d = |y - t|, the answers t ± d or further out that still pass have mass A - L where
    A = 2q^d/(1+q) and L = q^(1+t-T)/(1+q) is the mass below the threshold; all that pass have 1 - L. When t - d lies
    below the threshold only the upper side is left. For t <= T the excess is memoryless: q^(y-T), whatever t is.
    """
    q = np.exp(-1.0 / scale)
    d = np.abs(y - t)
    below = np.exp(-np.maximum(1 + t - threshold, 0) / scale) / (1.0 + q)
    side = np.exp(-d / scale) / (1.0 + q)
    passing = np.maximum(1.0 - below, 1e-300)  # 0 only where t <= T, which is answered below
    outside = np.where(t - d >= threshold, 2.0 * side - below, side) / passing
    memoryless = np.exp(-np.maximum(y - threshold, 0) / scale)
    return np.asarray(np.where(t <= threshold, memoryless, np.where(d == 0, 1.0, outside)))


def interval(
    y: Ints, scale: Floats, threshold: Ints, alpha: float | Floats = 1.0 - CONFIDENCE, gaussian: bool = False
) -> tuple[Ints, Ints]:
    """The smallest and largest count t >= 0 that y does not rule out at level alpha; arrays in, arrays out.

    Where noise is `gaussian`, `scale` is σ.

    `surprise` rises in t up to y and falls after it, so both ends are found by bisection over whole numbers.
    """
    y, threshold = np.asarray(y, np.int64), np.asarray(threshold, np.int64)
    exact = np.asarray(scale) <= 0
    s = np.where(exact, 1.0, scale)
    start = np.maximum(y, 0)
    reach = np.ceil(s * (np.log(2.0 / np.asarray(alpha)) + 2.0)).astype(np.int64) + 2

    if gaussian:
        # A count far below the threshold may explain an answer just above it, so every count below y is in question.
        reach = np.ceil(s * np.sqrt(2 * np.log(4.0 / np.asarray(alpha)))).astype(np.int64) + 2
        low = _edge(np.full_like(start, -1), start, y, s, threshold, alpha, normal.surprise)
        high = _edge(start + reach, start, y, s, threshold, alpha, normal.surprise)
        return np.where(exact, start, np.maximum(low, 0)), np.where(exact, start, high)
    low = _edge(np.maximum(start - reach, -1), start, y, s, threshold, alpha)
    # For t <= T the surprise does not depend on t: if T is not ruled out, neither is 0.
    low = np.where((low <= threshold) | (surprise(np.zeros_like(y), y, s, threshold) > alpha), 0, low)
    high = _edge(start + reach, start, y, s, threshold, alpha)
    return np.where(exact, start, low), np.where(exact, start, high)


def bound_of_unseen(scale: float, threshold: int, alpha: float = 1.0 - CONFIDENCE, gaussian: bool = False) -> int:
    """The smallest b such that a count above b stays under its threshold with probability at most alpha.

    A count t > b is seen unless its noise is below T - t. P(X <= -k) = q^k/(1+q), so k = b + 2 - T makes that at most alpha.

    >>> bound_of_unseen(20.0, 50), bound_of_unseen(0.0, 50)
    (95, 49)
    """
    if scale <= 0:
        return max(threshold - 1, 0)
    if gaussian:  # P(X >= k) is at most the probability that a normal variable of the same σ exceeds k − 1
        return max(threshold - 1 + max(int(np.ceil(-scale * ndtri(alpha))), 1), 0)
    reach = -scale * (np.log(alpha) + np.log1p(np.exp(-1.0 / scale)))
    return max(threshold - 2 + max(int(np.ceil(reach)), 1), 0)


def _edge(
    out: Ints,
    inside: Ints,
    y: Ints,
    scale: Floats,
    threshold: Ints,
    alpha: float | Floats,
    surprising: Callable[[Ints, Ints, Floats, Ints], Floats] = surprise,
) -> Ints:
    """The count closest to `out` that survives, between `out` (ruled out) and `inside` (kept)."""
    while (np.abs(out - inside) > 1).any():
        # Invariant: `inside` is in the interval, `out` is not.
        middle = (out + inside) // 2
        kept = surprising(middle, y, scale, threshold) > alpha
        inside, out = np.where(kept, middle, inside), np.where(kept, out, middle)
    return inside
